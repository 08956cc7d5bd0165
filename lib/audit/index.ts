export { AuditLevel, type AuditOperations } from './audit-operations.ts';
export { auditedTable } from './audited-table.ts';
export { AuditService } from './service.ts';
