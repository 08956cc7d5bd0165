export type { AccountExportOperations } from './account-export-operations.ts';
export { ExportService } from './service.ts';
