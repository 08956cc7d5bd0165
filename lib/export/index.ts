export { type AccountExportOperations, ExportService } from './service.ts';
