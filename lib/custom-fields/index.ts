export type { CustomFieldChange, CustomFieldInput } from './changed-fields.ts';
export { type CustomFieldOperations, CustomFieldService } from './service.ts';
