import { type CustomField, customFieldFields, type New } from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { aside, text } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/** A field with its name and value lowercased in JavaScript, for searches that agree on both databases. */
export type StoredField = New<CustomField> & { readonly foldedName?: string; readonly foldedValue?: string };

const fields = {
  ...columnsOf(customFieldFields),
  ...aside({ foldedName: text, foldedValue: text }),
};

export const customFieldsTable = new RecordTable<StoredField>('custom_fields', fields, {
  uniques: { id: 'id', active: 'tenant_record_id, object_type, object_id, name, value where is_active' },
  violations: {
    active: {
      code: ErrorCode.CUSTOM_FIELD_ALREADY_EXISTS,
      message: 'A custom field with this name and value exists already on the object',
    },
  },
  indexes: {
    page: 'tenant_record_id, record_id where is_active',
    object: 'tenant_record_id, object_id, record_id',
    account: 'tenant_record_id, account_record_id, record_id',
    name: 'tenant_record_id, name, record_id where is_active',
  },
});
