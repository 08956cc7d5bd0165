import type { Uuid } from '../../lib/ids/index.ts';
import { type Authorship, ChangeType } from '../../lib/ports/storage/index.ts';
import type { AuditedRecord } from './audited-records.ts';
import type { Change, ChangeLog } from './change-log.ts';
import { insert, type TenantScope, updateOf } from './record-access.ts';
import { raw, sql } from './sql.ts';
import type { RecordTable } from './tables/record-table.ts';

/** A transaction of one tenant that writes. */
export interface WriteScope extends TenantScope {
  readonly changes: ChangeLog;
  readonly authorship: Authorship;
}

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
  const recordIds = await insert(scope, kind.table, records);
  records.forEach((record, index) => {
    const stored = { ...record, recordId: recordIds[index] ?? 0 };
    scope.changes.add(changeOf(kind.audit, stored, ChangeType.INSERT));
  });
}

/** Writes `properties` of the records with these ids with one statement and notes their UPDATE audit rows. */
export async function updateAudited<R extends Audited, P extends keyof R & string>(
  scope: WriteScope,
  kind: { readonly table: RecordTable<R>; readonly audit: AuditedRecord<NoInfer<R>> },
  change: { readonly properties: readonly P[]; readonly records: readonly Pick<R, 'id' | P>[] },
): Promise<void> {
  if (change.records.length === 0) return;
  const { table, audit } = kind;
  const rows = await scope.runner.rows(sql`
    ${updateOf(scope, table, { key: 'id', ...change })}
    returning ${raw(scope.runner.dialect.selectList(table, table.name))}`);
  for (const row of rows) noteUpdate(scope, audit, table.decode(row));
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
  change: { readonly record: R & { readonly recordId: number }; readonly changeType: ChangeType },
): void {
  scope.changes.add(changeOf(audit, change.record, change.changeType));
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
