import { type Authorship, ChangeType } from '../../../lib/records/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { raw } from '../sql/sql.ts';
import {
  insert,
  readAs,
  recordColumns,
  type TenantScope,
  update,
  updateOf,
} from '../tables/record-access.ts';
import type { AuditedTable } from './audited-records.ts';
import type { Change, ChangeLog } from './change-log.ts';

/** A write transaction of one tenant. */
export interface WriteScope extends TenantScope {
  readonly changes: ChangeLog;
  readonly authorship: Authorship;
}

export interface Audited {
  readonly id: Uuid;
  /** Absent or null if the record belongs to the tenant and not to an account. */
  readonly accountRecordId?: number | null;
}

type WithId<R> = R & { readonly recordId: number };

/** Inserts the records and notes INSERT changes. */
export async function insertAudited<R extends Audited>(
  scope: WriteScope,
  audit: AuditedTable<R>,
  records: readonly NoInfer<R>[],
): Promise<void> {
  if (records.length === 0) return;
  const recordIds = await insert(scope, audit.table, records);
  const changeType = ChangeType.INSERT;
  scope.changes.addAll({
    length: records.length,
    at: (index) =>
      changeOf(audit, { record: at(records, index), recordId: at(recordIds, index), changeType }),
  });
}

/** Writes `properties` of the records with these ids in one statement and notes UPDATE changes. */
export async function updateAudited<R extends Audited, P extends keyof R & string>(
  scope: WriteScope,
  audit: AuditedTable<R>,
  change: { readonly properties: readonly P[]; readonly records: readonly Pick<NoInfer<R>, 'id' | P>[] },
): Promise<void> {
  if (change.records.length === 0) return;
  const { table } = audit;
  const records = await readAs(scope, table)`
    ${updateOf(scope, table, { key: 'id', ...change })}
    returning ${raw(recordColumns(scope, table, table.name))}`;
  const changeType = ChangeType.UPDATE;
  scope.changes.addAll({
    length: records.length,
    at: (index) => {
      const record = at(records, index);
      return changeOf(audit, { record, recordId: record.recordId, changeType });
    },
  });
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  assertInvariant(found !== undefined, `There is no change ${index}`);
  return found;
}

/** Writes `properties` of records that are otherwise known to be current, in one statement, and notes the changes. */
export async function updateKnown<R extends Audited, P extends keyof R & string>(
  scope: WriteScope,
  audit: AuditedTable<R>,
  change: {
    readonly properties: readonly P[];
    readonly records: readonly WithId<NoInfer<R>>[];
    /** Default UPDATE. */
    readonly changeType?: ChangeType;
  },
): Promise<void> {
  const { properties, records, changeType = ChangeType.UPDATE } = change;
  await update(scope, audit.table, { properties, records });
  for (const record of records) noteChange(scope, audit, { record, changeType });
}

/** Marks records as inactive and notes DELETE changes. */
export async function deactivate<R extends Audited & { readonly isActive: boolean }>(
  scope: WriteScope,
  audit: AuditedTable<R>,
  active: readonly WithId<NoInfer<R>>[],
): Promise<void> {
  const records = active.map((record) => ({ ...record, isActive: false }));
  await updateKnown(scope, audit, { properties: ['isActive'], records, changeType: ChangeType.DELETE });
}

/** Notes a change of a record without history. */
export function noteBareChange(
  { changes }: WriteScope,
  tableName: string,
  { id, recordId, changeType }: Pick<Change, 'changeType'> & { readonly id: Uuid; readonly recordId: number },
): void {
  const owner = { targetId: id, targetRecordId: recordId, accountRecordId: null };
  changes.add({ tableName, changeType, ...owner, snapshot: null });
}

/** Notes an update of a record; `record` is its stored state. */
export function noteUpdate<R extends Audited>(
  scope: WriteScope,
  audit: AuditedTable<R>,
  record: WithId<NoInfer<R>>,
): void {
  noteChange(scope, audit, { record, changeType: ChangeType.UPDATE });
}

/** Notes a change of a record; `record` is its stored state. */
export function noteChange<R extends Audited>(
  scope: WriteScope,
  audit: AuditedTable<R>,
  change: Pick<Change, 'changeType' | 'comments'> & { readonly record: WithId<NoInfer<R>> },
): void {
  const { recordId } = change.record;
  scope.changes.addAll({ length: 1, at: () => changeOf(audit, { ...change, recordId }) });
}

function changeOf<R extends Audited>(
  audit: AuditedTable<R>,
  change: Pick<Change, 'changeType' | 'comments'> & { readonly record: R; readonly recordId: number },
): Change {
  const { record, recordId, changeType, comments = null } = change;
  return {
    tableName: audit.tableName,
    changeType,
    targetId: record.id,
    targetRecordId: recordId,
    accountRecordId: record.accountRecordId ?? null,
    comments,
    snapshot: audit.snapshot(record),
  };
}
