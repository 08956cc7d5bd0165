import { type Authorship, ChangeType } from '../../lib/records/index.ts';
import { assertInvariant } from '../../lib/values/errors/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import { SERIES_FROM, seriesOf } from './audit-series.ts';
import type { AuditedRecord } from './audited-records.ts';
import type { Change, ChangeLog } from './change-log.ts';
import { numberOf, textOf } from './columns.ts';
import { insert, recordColumns, type TenantScope, updateOf, updateRows } from './record-access.ts';
import { raw, sql } from './sql.ts';
import type { RecordTable } from './tables/record-table.ts';

/** A transaction of one tenant that writes. */
export interface WriteScope extends TenantScope {
  readonly changes: ChangeLog;
  readonly authorship: Authorship;
}

type Snapshot = NonNullable<Change['snapshot']>;

interface Audited {
  readonly id: Uuid;
  /** Absent or null: the record belongs to the tenant and to no account. */
  readonly accountRecordId?: number | null;
}

/** Inserts the records and notes their INSERT audit rows. */
export async function insertAudited<R extends Audited>(
  scope: WriteScope,
  kind: { readonly table: RecordTable<R>; readonly audit: AuditedRecord<NoInfer<R>> },
  records: readonly R[],
): Promise<void> {
  if (records.length === 0) return;
  const { table, audit } = kind;
  const recordIds = await insert(scope, table, records);
  const noteInsertion = (record: R, recordId: number): void =>
    noteChange(scope, audit, { record: { ...record, recordId }, changeType: ChangeType.INSERT });
  const isLasting = records.length < SERIES_FROM ? undefined : audit.isLasting;
  const lasting: (Audited & { readonly recordId: number; readonly record: R })[] = [];
  records.forEach((record, index) => {
    const recordId = recordIds[index] ?? 0;
    const { id, accountRecordId = null } = record;
    if (isLasting?.(record)) lasting.push({ id, accountRecordId, recordId, record });
    else noteInsertion(record, recordId);
  });
  for (const series of seriesOf(lasting)) {
    const [{ record, recordId }] = series;
    if (series.length === 1) noteInsertion(record, recordId);
    else scope.changes.add(changeOfSeries(audit, series, { changeType: ChangeType.INSERT, snapshot: null }));
  }
}

/** Writes `properties` of the records with these ids with one statement and notes their UPDATE audit rows. */
export async function updateAudited<R extends Audited, P extends keyof R & string>(
  scope: WriteScope,
  kind: { readonly table: RecordTable<R>; readonly audit: AuditedRecord<NoInfer<R>> },
  change: { readonly properties: readonly P[]; readonly records: readonly Pick<NoInfer<R>, 'id' | P>[] },
): Promise<void> {
  if (change.records.length === 0) return;
  const { table, audit } = kind;
  const records = await scope.runner.read(
    sql`
    ${updateOf(scope, table, { key: 'id', ...change })}
    returning ${raw(recordColumns(scope, table, table.name))}`,
    (row) => table.decode(row),
  );
  for (const record of records) {
    assertInvariant(
      !audit.isLasting?.(record),
      `A record of ${audit.tableName} changes that is its own history`,
      {
        id: record.id,
      },
    );
    noteUpdate(scope, audit, record);
  }
}

/** The row of a record that changes: its number, and that of whose it is. */
interface ChangedRow extends Audited {
  readonly recordId: number;
}

/** A change that many records get at once. */
interface ChangeAlike<R extends Audited, P extends keyof R & string> {
  readonly properties: readonly P[];
  readonly records: readonly (Pick<R, 'id' | P> & {
    /** Of a record that was read; null = it is to be looked up. */
    readonly row: Omit<ChangedRow, 'id'> | null;
  })[];
  /** What two records have in common that change alike. */
  readonly likeness: (record: Pick<R, 'id' | P>) => string | number | null;
  /** The columns of the history that change; they follow from the likeness. */
  readonly snapshot: (record: Pick<R, 'id' | P>) => Snapshot;
}

/**
 * As `updateAudited`, for changes that many records get at once: what of the history changes is known without the records,
 * so that a series of them needs one audit row. Those that were read are neither looked up nor returned.
 */
export async function updateAuditedAlike<R extends Audited, P extends keyof R & string>(
  scope: WriteScope,
  kind: { readonly table: RecordTable<R>; readonly audit: AuditedRecord<NoInfer<R>> },
  change: ChangeAlike<NoInfer<R>, P>,
): Promise<void> {
  if (change.records.length < SERIES_FROM) return updateAudited(scope, kind, change);
  const { table, audit } = kind;
  const changed = await writeAlike(scope, table, change);
  for (const series of seriesOf(changed, change.likeness)) {
    const snapshot = change.snapshot(series[0]);
    scope.changes.add(changeOfSeries(audit, series, { changeType: ChangeType.UPDATE, snapshot }));
  }
}

/** @returns the records that there are, each with its row. */
async function writeAlike<R extends Audited, P extends keyof R & string>(
  scope: WriteScope,
  table: RecordTable<R>,
  { properties, records }: Pick<ChangeAlike<R, P>, 'properties' | 'records'>,
): Promise<readonly (Pick<R, 'id' | P> & ChangedRow)[]> {
  // Of the row the numbers alone: callers may give a whole record, with what it was before.
  const read = records.flatMap((record) => {
    const { row } = record;
    return row === null
      ? []
      : { ...record, recordId: row.recordId, accountRecordId: row.accountRecordId ?? null };
  });
  if (read.length > 0) await updateRows(scope, table, { properties, records: read });
  if (read.length === records.length) return read;
  const sought = records.filter(({ row }) => row === null);
  return [...read, ...(await updateReturning(scope, table, { properties, records: sought }))];
}

async function updateReturning<R extends Audited, P extends keyof R & string>(
  scope: WriteScope,
  table: RecordTable<R>,
  { properties, records }: Pick<ChangeAlike<R, P>, 'properties' | 'records'>,
): Promise<readonly (Pick<R, 'id' | P> & ChangedRow)[]> {
  const byId = new Map<string, Pick<R, 'id' | P>>(records.map((record) => [record.id, record]));
  const returned = ['id', 'record_id', 'account_record_id'].map((column) => `${table.name}.${column}`);
  return scope.runner.read(
    sql`${updateOf(scope, table, { key: 'id', properties, records })} returning ${raw(returned.join(', '))}`,
    (row) => {
      const id = textOf(row.id, 'id');
      const record = byId.get(id);
      assertInvariant(record !== undefined, `${table.name} has changed ${id}, which was not to change`);
      return {
        ...record,
        recordId: numberOf(row.record_id, 'record_id'),
        accountRecordId: numberOf(row.account_record_id, 'account_record_id'),
      };
    },
  );
}

/** Notes an update of a record, which is stored now as `record` says. */
export function noteUpdate<R extends Audited>(
  scope: WriteScope,
  audit: AuditedRecord<R>,
  record: R & { readonly recordId: number },
): void {
  noteChange(scope, audit, { record, changeType: ChangeType.UPDATE });
}

/** Notes a change of a record, which is stored now as `record` says. */
export function noteChange<R extends Audited>(
  scope: WriteScope,
  audit: AuditedRecord<R>,
  change: Pick<Change, 'changeType' | 'comments'> & { readonly record: R & { readonly recordId: number } },
): void {
  const { record, changeType, comments = null } = change;
  scope.changes.add({ ...changeOf(audit, record, changeType), comments });
}

/** One change for a whole series (see `StoredAuditRow`). */
function changeOfSeries(
  { tableName }: Pick<AuditedRecord<never>, 'tableName'>,
  series: readonly [first: Audited & { readonly recordId: number }, ...more: { readonly recordId: number }[]],
  change: Pick<Change, 'changeType' | 'snapshot'>,
): Change {
  const [first] = series;
  return {
    ...change,
    tableName,
    targetId: first.id,
    targetRecordId: first.recordId,
    accountRecordId: first.accountRecordId ?? null,
    lastTargetRecordId: series.at(-1)?.recordId ?? first.recordId,
  };
}

function changeOf<R extends Audited>(
  audit: AuditedRecord<R>,
  record: R & { readonly recordId: number },
  changeType: ChangeType,
): Change {
  return {
    tableName: audit.tableName,
    changeType,
    targetId: record.id,
    targetRecordId: record.recordId,
    accountRecordId: record.accountRecordId ?? null,
    snapshot: audit.snapshot(record),
  };
}
