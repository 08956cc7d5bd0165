export { AuditLevel, type AuditOperations, AuditService, auditedTable } from './service.ts';
