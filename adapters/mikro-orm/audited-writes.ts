import type { Uuid } from '../../lib/ids/index.ts';
import { type Authorship, ChangeType } from '../../lib/ports/storage/index.ts';
import type { AuditedRecord } from './audited-records.ts';
import type { ChangeLog } from './change-log.ts';
import { insert, type TenantScope } from './record-access.ts';
import type { RecordTable } from './tables/record-table.ts';

/** A transaction of one tenant that writes. */
export interface WriteScope extends TenantScope {
  readonly changes: ChangeLog;
  readonly authorship: Authorship;
}

interface OfAccount {
  readonly id: Uuid;
  readonly accountRecordId: number;
}

/** Inserts the records and notes their INSERT audit rows. */
export async function insertAudited<R extends OfAccount>(
  scope: WriteScope,
  table: RecordTable<R>,
  audit: AuditedRecord<R>,
  records: readonly R[],
): Promise<void> {
  if (records.length === 0) return;
  const recordIds = await insert(scope, table, records);
  records.forEach((record, index) => {
    noteChange(scope, audit, ChangeType.INSERT, { ...record, recordId: recordIds[index] ?? 0 });
  });
}

/** Notes one change of a record that is stored as `record` says. */
export function noteChange<R extends OfAccount>(
  scope: WriteScope,
  audit: AuditedRecord<R>,
  changeType: ChangeType,
  record: R & { readonly recordId: number },
): void {
  scope.changes.add({
    tableName: audit.tableName,
    changeType,
    targetId: record.id,
    targetRecordId: record.recordId,
    accountRecordId: record.accountRecordId,
    snapshot: audit.snapshot(record),
  });
}
