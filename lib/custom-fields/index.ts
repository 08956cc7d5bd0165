export type { CustomFieldChange, CustomFieldInput } from './changed-fields.ts';
export { type CustomFieldOperations, customFieldOperations } from './service.ts';
