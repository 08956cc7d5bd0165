import { auditedTable } from '../../../lib/audit/index.ts';
import { type AuditEntry, type AuditRow, ChangeType, ObjectType } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { formatInstant } from '../../../lib/values/time/index.ts';
import { field, model } from '../wire/model.ts';
import { enumeration, text, timestamp, uuid } from '../wire/scalars.ts';
import { anyValue, listOf, type Rendering } from '../wire/wire-type.ts';

export const AuditLog = model('AuditLog', {
  changeType: field(enumeration(ChangeType), 'R'),
  changeDate: field(timestamp, 'R'),
  objectType: field(enumeration(ObjectType), 'R', { from: objectTypeOf }),
  objectId: field(uuid, 'R', { from: ({ targetId }: AuditEntry) => targetId }),
  changedBy: field(text(), 'R'),
  reasonCode: field(text(), 'R', { nullable: true }),
  comments: field(text(), 'R', { nullable: true }),
  userToken: field(uuid, 'R'),
  history: field(anyValue, 'R', { nullable: true, from: (row: Partial<WithHistory>) => row.history ?? null }),
});

interface WithHistory {
  readonly history: Readonly<Record<string, unknown>> | null;
}

function objectTypeOf(row: AuditEntry): ObjectType | null {
  return auditedTable(row.tableName).objectType;
}

/** The last field of every audited model: the rows of the record whose id `idName` gives, without their history. */
export function auditLogsOf<K extends string, R extends Readonly<Record<K, Uuid>>>(
  idName: K,
  isStored: (record: R) => boolean = () => true,
) {
  return field(listOf(AuditLog), 'R', {
    from: (record: R, { audit }: Rendering) => (isStored(record) ? shownRows(audit.get(record[idName])) : []),
  });
}

export const auditLogs = auditLogsOf('id');

/** None for a record that is no object of the interface: clients know no type for it. */
function shownRows<R extends AuditEntry>(rows: readonly R[] = []): readonly R[] {
  return rows.filter((row) => objectTypeOf(row) !== null);
}

/** Audit rows without their history, which only the endpoints for it show (accounts §14 rule 2). */
export function auditLogsJson(rows: readonly AuditEntry[], rendering: Rendering) {
  return shownRows(rows).map((row) => AuditLog.write(row, rendering));
}

/** Audit rows with the record as it was after each (accounts §14.1). */
export function auditHistoryJson(rows: readonly AuditRow[], tenantRecordId: number, rendering: Rendering) {
  return shownRows(rows).map((row) =>
    AuditLog.write({ ...row, history: historyOf(row, tenantRecordId) }, rendering),
  );
}

/** Null for records without history. */
function historyOf(row: AuditRow, tenantRecordId: number): Readonly<Record<string, unknown>> | null {
  const { tableName, historyTableName } = auditedTable(row.tableName);
  if (row.snapshot === null || historyTableName === null) return null;
  const changeDate = formatInstant(row.changeDate);
  return {
    id: null,
    createdDate: changeDate,
    updatedDate: changeDate,
    recordId: row.targetRecordId,
    accountRecordId: row.accountRecordId,
    tenantRecordId,
    ...row.snapshot,
    tableName,
    historyTableName,
  };
}
