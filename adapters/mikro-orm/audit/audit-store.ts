import type { AuditReads } from '../../../lib/ports/storage/index.ts';
import type { AuditEntry, AuditRow } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Column } from '../sql/columns.ts';
import { isIn, raw } from '../sql/sql.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { auditLogTable } from '../tables/system.ts';

/** The columns that lists of changes read. They exclude the snapshot, which is null in these lists. */
export const entryColumns = auditLogTable.columns.filter(({ name }) => name !== 'snapshot');

export function auditReads(scope: TenantScope): AuditReads {
  return {
    findByTargets: async (targetIds) => (await findByTargets(scope, targetIds, entryColumns)).map(entryOf),
    findHistories: async (targetIds) => findByTargets(scope, targetIds, auditLogTable.columns),
  };
}

export function entryOf({ snapshot: _snapshot, ...entry }: AuditRow): AuditEntry {
  return entry;
}

async function findByTargets(
  { runner, tenantRecordId }: TenantScope,
  targetIds: readonly Uuid[],
  columns: readonly Column[],
): Promise<readonly AuditRow[]> {
  if (targetIds.length === 0) return [];
  return runner.readAs(auditLogTable)`
    select ${raw(runner.dialect.selectList({ columns }))} from bw_audit_log
    where tenant_record_id = ${tenantRecordId} and ${isIn('target_id', 'uuid', targetIds)} order by record_id`;
}
