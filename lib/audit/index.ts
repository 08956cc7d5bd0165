export { AuditLevel, type AuditOperations, auditedTable, auditOperations } from './service.ts';
