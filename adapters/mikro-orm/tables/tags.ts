import {
  type CustomField,
  customFieldFields,
  type New,
  tagDefinitionFields,
  tagFields,
  type UserTagDefinition,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { searchOnly, text } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/** A tag definition with its description in lowercase for searches. Names are always in lowercase. */
export type StoredDefinition = New<UserTagDefinition> & { readonly foldedDescription?: string };

const definitionFields = { ...columnsOf(tagDefinitionFields), ...searchOnly({ foldedDescription: text }) };

export const tagDefinitionsTable = new RecordTable<StoredDefinition>('tag_definitions', definitionFields, {
  uniques: { id: 'id', name: 'tenant_record_id, name where is_active' },
  violations: {
    name: {
      code: ErrorCode.TAG_DEFINITION_ALREADY_EXISTS,
      message: (name) =>
        `A tag definition with ${name} already exists; choose a different name or use that definition`,
    },
  },
  indexes: { page: 'tenant_record_id, record_id' },
});

export const tagsTable = new RecordTable('tags', columnsOf(tagFields), {
  uniques: {
    id: 'id',
    active: 'tenant_record_id, object_type, object_id, tag_definition_id where is_active',
  },
  indexes: {
    page: 'tenant_record_id, record_id where is_active',
    object: 'tenant_record_id, object_id, record_id',
    account: 'tenant_record_id, account_record_id, record_id',
    definition: 'tenant_record_id, tag_definition_id, account_record_id where is_active',
  },
});

/**
 * A custom field with its name and value in lowercase. JavaScript converts them, so that both databases find the same
 * fields.
 */
export type StoredField = New<CustomField> & { readonly foldedName?: string; readonly foldedValue?: string };

const fields = {
  ...columnsOf(customFieldFields),
  ...searchOnly({ foldedName: text, foldedValue: text }),
};

export const customFieldsTable = new RecordTable<StoredField>('custom_fields', fields, {
  uniques: { id: 'id', active: 'tenant_record_id, object_type, object_id, name, value where is_active' },
  violations: {
    active: {
      code: ErrorCode.CUSTOM_FIELD_ALREADY_EXISTS,
      message: (value) =>
        `The object already has a custom field with this name and ${value}; choose a different value`,
    },
  },
  indexes: {
    page: 'tenant_record_id, record_id where is_active',
    object: 'tenant_record_id, object_id, record_id',
    account: 'tenant_record_id, account_record_id, record_id',
    name: 'tenant_record_id, name, record_id where is_active',
  },
});
