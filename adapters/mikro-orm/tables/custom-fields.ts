import { type CustomField, customFieldFields, type New } from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { aside, text } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/** A field with what a search in any letter case looks in: lower case as JavaScript knows it, alike on both databases. */
export type StoredField = New<CustomField> & { readonly foldedName?: string; readonly foldedValue?: string };

export const customFieldsTable = new RecordTable<StoredField>(
  {
    name: 'custom_fields',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        name: 'active',
        columns: ['tenant_record_id', 'object_type', 'object_id', 'name', 'value'],
        where: 'is_active',
        violation: {
          code: ErrorCode.CUSTOM_FIELD_ALREADY_EXISTS,
          message: 'A custom field with this name and value exists already on the object',
        },
      },
    ],
    indexes: [
      { name: 'page', columns: ['tenant_record_id', 'record_id'], where: 'is_active' },
      { name: 'object', columns: ['tenant_record_id', 'object_id', 'record_id'] },
      { name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] },
      { name: 'name', columns: ['tenant_record_id', 'name', 'record_id'], where: 'is_active' },
    ],
  },
  {
    ...columnsOf(customFieldFields),
    foldedName: aside(text('folded_name')),
    foldedValue: aside(text('folded_value')),
  },
);
