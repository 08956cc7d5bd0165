import type { New, ObjectType, Tag, UserTagDefinition } from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { bigint, boolean, instantAt, json, oneOf, text, uuid } from '../sql/columns.ts';
import { RecordTable } from './record-table.ts';

/**
 * A definition with its description in lower case, in which case-insensitive searches look; names are in lower case
 * anyway.
 */
export type StoredDefinition = New<UserTagDefinition> & { readonly foldedDescription: string };

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
    id: uuid('id'),
    name: text('name'),
    description: text('description'),
    foldedDescription: text('folded_description'),
    applicableObjectTypes: json<readonly ObjectType[]>('applicable_object_types'),
    isActive: boolean('is_active'),
    createdDate: instantAt('created_date'),
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
  {
    id: uuid('id'),
    objectType: oneOf('object_type'),
    objectId: uuid('object_id'),
    tagDefinitionId: uuid('tag_definition_id'),
    accountRecordId: bigint('account_record_id'),
    isActive: boolean('is_active'),
    createdDate: instantAt('created_date'),
  },
);
