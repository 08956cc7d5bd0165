export { type AccountExportOperations, accountExportOperations } from './service.ts';
