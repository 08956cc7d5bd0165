import { auditedTable } from '../audit/index.ts';
import type { AuditRow } from '../records/index.ts';
import { timeText, withOffset } from './export-line.ts';

/** The first columns of every history row: its audit row, and the record. */
export const historyHead = [
  'record_id',
  'id',
  'target_record_id',
  'account_record_id',
  'change_type',
  'change_date',
] as const;

/** Members of snapshots that hold an instant in its wire form; a date of the same name stays as it is. */
const instantMembers: ReadonlySet<string> = new Set([
  'referenceTime',
  'effectiveDate',
  'effectiveDateForExistingSubscriptions',
  'catalogEffectiveDate',
  'lastSysUpdateDate',
  'originalCreatedDate',
  'startDate',
  'bundleStartDate',
  'chargedThroughDate',
  'paymentDate',
]);

/** The members of the snapshots of each audited table, in the order in which they first occur. */
export type HistoryColumns = Map<string, Set<string>>;

/** Adds the tables and members that occur in these rows. */
export function noteColumns(known: HistoryColumns, rows: readonly AuditRow[]): void {
  for (const { tableName, snapshot } of rows) {
    if (snapshot === null || historyNameOf(tableName) === null) continue;
    const members = known.get(tableName) ?? new Set();
    for (const member of Object.keys(snapshot)) members.add(member);
    known.set(tableName, members);
  }
}

/** Name of the history of an audited table; null if it has none. */
export function historyNameOf(tableName: string): string | null {
  return auditedTable(tableName).historyTableName?.toLowerCase() ?? null;
}

/** A member of a snapshot as the name of a column. */
export function columnName(member: string): string {
  return member.replace(/[A-Z]+/g, (capitals) => `_${capitals.toLowerCase()}`);
}

/** The record after one change, under `historyHead` and these members. */
export function historyValues(row: AuditRow, members: readonly string[]): readonly unknown[] {
  const { recordId, targetId, targetRecordId, accountRecordId, changeType, changeDate, snapshot } = row;
  const head = [recordId, targetId, targetRecordId, accountRecordId, changeType, timeText(changeDate)];
  return [...head, ...members.map((member) => historyValue(member, snapshot?.[member] ?? null))];
}

function historyValue(member: string, value: unknown): unknown {
  return typeof value === 'string' && instantMembers.has(member) ? withOffset(value) : value;
}
