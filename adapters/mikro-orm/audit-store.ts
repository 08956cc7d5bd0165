import type { AuditReads } from '../../lib/ports/storage/index.ts';
import { select, type TenantScope } from './record-access.ts';
import { isIn, sql } from './sql.ts';
import { auditLogTable } from './tables/system.ts';

export function auditReads(scope: TenantScope): AuditReads {
  return {
    findByTargets: async (targetIds) =>
      targetIds.length === 0
        ? []
        : select(scope, auditLogTable, sql`${isIn('target_id', 'uuid', targetIds)}`),
    findByAccount: async (accountRecordId) =>
      select(scope, auditLogTable, sql`account_record_id = ${accountRecordId}`),
  };
}
