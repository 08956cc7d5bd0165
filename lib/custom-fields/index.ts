export type { CustomFieldChange } from './changed-fields.ts';
export type { CustomFieldOperations } from './custom-field-operations.ts';
export type { CustomFieldInput } from './new-fields.ts';
export { CustomFieldService } from './service.ts';
