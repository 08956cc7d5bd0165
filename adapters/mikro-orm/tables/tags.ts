import {
  type New,
  type Tag,
  tagDefinitionFields,
  tagFields,
  type UserTagDefinition,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { aside, text } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/**
 * A definition with its description in lower case, in which case-insensitive searches look; names are in lower case
 * anyway.
 */
export type StoredDefinition = New<UserTagDefinition> & { readonly foldedDescription?: string };

export const tagDefinitionsTable = new RecordTable<StoredDefinition>(
  {
    name: 'tag_definitions',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        name: 'name',
        columns: ['tenant_record_id', 'name'],
        where: 'is_active',
        violation: {
          code: ErrorCode.TAG_DEFINITION_ALREADY_EXISTS,
          message:
            'A tag definition with this name exists already; choose another name or use that definition',
        },
      },
    ],
    indexes: [{ name: 'page', columns: ['tenant_record_id', 'record_id'] }],
  },
  {
    ...columnsOf(tagDefinitionFields),
    foldedDescription: aside(text('folded_description')),
  },
);

export const tagsTable = new RecordTable<New<Tag>>(
  {
    name: 'tags',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        name: 'active',
        columns: ['tenant_record_id', 'object_type', 'object_id', 'tag_definition_id'],
        where: 'is_active',
      },
    ],
    indexes: [
      { name: 'page', columns: ['tenant_record_id', 'record_id'], where: 'is_active' },
      { name: 'object', columns: ['tenant_record_id', 'object_id', 'record_id'] },
      { name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] },
      {
        name: 'definition',
        columns: ['tenant_record_id', 'tag_definition_id', 'account_record_id'],
        where: 'is_active',
      },
    ],
  },
  columnsOf(tagFields),
);
