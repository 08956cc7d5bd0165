import type { AuditReads } from '../../lib/ports/storage/index.ts';
import { type AuditEntry, type AuditRow, ChangeType } from '../../lib/records/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import { stringifyExactJson } from '../../lib/values/money/index.ts';
import { seriesTables } from './audit-series.ts';
import { invoiceItemAudit } from './audited-records.ts';
import { type Column, parseStoredJson } from './columns.ts';
import { select, selectByIds, type TenantScope } from './record-access.ts';
import { isIn, raw, type Sql, sql } from './sql.ts';
import { invoiceItemsTable } from './tables/invoices.ts';
import { auditLogTable, type StoredAuditRow } from './tables/system.ts';

export type StoredRow = StoredAuditRow & { readonly recordId: number };
type Snapshot = AuditRow['snapshot'];

/** What a list of changes shows; without the column, the snapshot reads as null. */
export const entryColumns = auditLogTable.columns.filter(({ name }) => name !== 'snapshot');

export function auditReads(scope: TenantScope): AuditReads {
  return {
    findByTargets: async (targetIds) => (await findByTargets(scope, targetIds, entryColumns)).map(entryOf),
    findHistories: async (targetIds) =>
      completed(scope, await findByTargets(scope, targetIds, auditLogTable.columns)),
  };
}

export function entryOf({ snapshot: _snapshot, lastTargetRecordId: _last, ...entry }: StoredRow): AuditEntry {
  return entry;
}

async function findByTargets(
  scope: TenantScope,
  targetIds: readonly Uuid[],
  columns: readonly Column[],
): Promise<readonly StoredRow[]> {
  if (targetIds.length === 0) return [];
  const { tenantRecordId } = scope;
  // SQLite keeps the order of a cross join: from the given records to the series that they are of. With its sign the
  // tenant takes no part in its choice of an index.
  const covered = ({ tableName, table }: (typeof seriesTables)[number]): Sql => sql`
    select ${raw(coveredColumns(scope, columns))} from ${raw(table.name)} t cross join bw_audit_log a
    where +t.tenant_record_id = ${tenantRecordId} and ${isIn('t.id', 'uuid', targetIds)}
      and a.tenant_record_id = ${tenantRecordId} and a.account_record_id = t.account_record_id
      and ${ofSeries(tableName)}
      and a.target_record_id <= t.record_id and a.last_target_record_id >= t.record_id`;
  return inWriteOrder(
    scope,
    sql`${alone(scope, columns)} and ${isIn('a.target_id', 'uuid', targetIds)}`,
    seriesTables.map(covered),
  );
}

/** Audit rows that stand for one record each. */
function alone(scope: TenantScope, columns: readonly Column[]): Sql {
  return sql`select ${raw(scope.runner.dialect.selectList({ columns }, 'a'))} from bw_audit_log a
    where a.tenant_record_id = ${scope.tenantRecordId} and a.last_target_record_id is null`;
}

function ofSeries(tableName: string): Sql {
  return sql`a.table_name = '${raw(tableName)}' and a.last_target_record_id is not null`;
}

/** The columns of the audit row `a` of a series as those of one of its records `t`. */
function coveredColumns({ runner: { dialect } }: TenantScope, columns: readonly Column[]): string {
  return columns
    .map((column) => {
      if (column.name === 'target_id') return 't.id as target_id';
      if (column.name === 'target_record_id') return 't.record_id as target_record_id';
      return dialect.selectList({ columns: [column] }, 'a');
    })
    .join(', ');
}

async function inWriteOrder(
  scope: TenantScope,
  rowsAlone: Sql,
  covered: readonly Sql[],
): Promise<readonly StoredRow[]> {
  const all = covered.reduce((found, next) => sql`${found} union all ${next}`, rowsAlone);
  return scope.runner.read(
    sql`
    select * from (${all}) as found order by record_id, target_record_id`,
    (row) => auditLogTable.decode(row),
  );
}

/** The rows that a series stands for, of these of its records, with each as it was after the change. */
export async function rowsOfSeries(
  scope: TenantScope,
  { lastTargetRecordId: _last, ...series }: StoredRow,
  records: readonly Pick<AuditRow, 'targetId' | 'targetRecordId'>[],
): Promise<readonly AuditRow[]> {
  const ids = records.map(({ targetId }) => targetId);
  if (series.changeType === ChangeType.INSERT) {
    const items = await itemsOf(scope, ids);
    return records.map((record) => ({ ...series, ...record, snapshot: items.get(record.targetId) ?? null }));
  }
  // What other series have changed in between is changed again by this one.
  const rows = await select(
    scope,
    auditLogTable,
    sql`record_id in (
      select max(record_id) from bw_audit_log
      where tenant_record_id = ${scope.tenantRecordId} and last_target_record_id is null
        and ${isIn('target_id', 'uuid', ids)} and record_id < ${series.recordId}
      group by target_id)`,
  );
  const before = new Map(rows.map(({ targetId, snapshot }) => [targetId, snapshot]));
  return records.map((record) => ({
    ...series,
    ...record,
    snapshot: { ...before.get(record.targetId), ...series.snapshot },
  }));
}

async function itemsOf(scope: TenantScope, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, Snapshot>> {
  const items = await selectByIds(scope, invoiceItemsTable, ids);
  return new Map(items.map((item) => [item.id, asStored(invoiceItemAudit.snapshot(item))]));
}

/** With its numbers as they would be read from an audit row. */
function asStored(snapshot: NonNullable<Snapshot>): Snapshot {
  return parseStoredJson(stringifyExactJson(snapshot)) as Snapshot;
}

/**
 * The rows with the records as they were after each change. All rows of a record must be among them, in write order: of a
 * series only what has changed is kept, and of a series of insertions the records themselves.
 */
async function completed(scope: TenantScope, rows: readonly StoredRow[]): Promise<readonly AuditRow[]> {
  const inserted = rows.filter(isInsertedSeries).map(({ targetId }) => targetId);
  const items = await itemsOf(scope, inserted);
  const latest = new Map<Uuid, Snapshot>();
  return rows.map(({ lastTargetRecordId, ...row }) => {
    const ofSeriesRow = (): Snapshot =>
      row.changeType === ChangeType.INSERT
        ? (items.get(row.targetId) ?? null)
        : { ...latest.get(row.targetId), ...row.snapshot };
    const snapshot = lastTargetRecordId === null ? row.snapshot : ofSeriesRow();
    latest.set(row.targetId, snapshot);
    return { ...row, snapshot };
  });
}

function isInsertedSeries({ lastTargetRecordId, changeType }: StoredRow): boolean {
  return lastTargetRecordId !== null && changeType === ChangeType.INSERT;
}
