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
import type { RecordTable } from '../tables/record-table.ts';
import type { AuditedRecord } from './audited-records.ts';
import type { Change, ChangeLog } from './change-log.ts';

/** A transaction of one tenant that writes. */
export interface WriteScope extends TenantScope {
  readonly changes: ChangeLog;
  readonly authorship: Authorship;
}

/** A kind of record, and how it appears in the audit. */
interface Kind<R extends Audited> {
  readonly table: RecordTable<R>;
  readonly audit: AuditedRecord<NoInfer<R>>;
}

interface Audited {
  readonly id: Uuid;
  /** Absent or null: the record belongs to the tenant and to no account. */
  readonly accountRecordId?: number | null;
}

/** Inserts the records and notes their INSERT audit rows. */
export async function insertAudited<R extends Audited>(
  scope: WriteScope,
  kind: Kind<R>,
  records: readonly R[],
): Promise<void> {
  if (records.length === 0) return;
  const { table, audit } = kind;
  const recordIds = await insert(scope, table, records);
  const changeType = ChangeType.INSERT;
  scope.changes.addAll({
    length: records.length,
    at: (index) =>
      changeOf(audit, { record: at(records, index), recordId: at(recordIds, index), changeType }),
  });
}

/** Writes `properties` of the records with these ids with one statement and notes their UPDATE audit rows. */
export async function updateAudited<R extends Audited, P extends keyof R & string>(
  scope: WriteScope,
  kind: Kind<R>,
  change: { readonly properties: readonly P[]; readonly records: readonly Pick<NoInfer<R>, 'id' | P>[] },
): Promise<void> {
  if (change.records.length === 0) return;
  const { table, audit } = kind;
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

/**
 * Writes `properties` of records whose stored state is otherwise known, with one statement, and notes their audit rows: UPDATE
 * by default.
 */
export async function updateKnown<R extends Audited, P extends keyof R & string>(
  scope: WriteScope,
  { table, audit }: Kind<R>,
  change: {
    readonly properties: readonly P[];
    readonly records: readonly (NoInfer<R> & { readonly recordId: number })[];
    readonly changeType?: ChangeType;
  },
): Promise<void> {
  const { properties, records, changeType = ChangeType.UPDATE } = change;
  await update(scope, table, { key: 'id', properties, records });
  for (const record of records) noteChange(scope, audit, { record, changeType });
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

/** Notes an update of a record; `record` is its present, stored state. */
export function noteUpdate<R extends Audited>(
  scope: WriteScope,
  audit: AuditedRecord<R>,
  record: R & { readonly recordId: number },
): void {
  noteChange(scope, audit, { record, changeType: ChangeType.UPDATE });
}

/** Notes a change of a record; `record` is its present, stored state. */
export function noteChange<R extends Audited>(
  scope: WriteScope,
  audit: AuditedRecord<R>,
  change: Pick<Change, 'changeType' | 'comments'> & { readonly record: R & { readonly recordId: number } },
): void {
  const { recordId } = change.record;
  scope.changes.addAll({ length: 1, at: () => changeOf(audit, { ...change, recordId }) });
}

function changeOf<R extends Audited>(
  audit: AuditedRecord<R>,
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
