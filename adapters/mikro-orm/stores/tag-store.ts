import type {
  CustomFieldReads,
  CustomFieldSearch,
  CustomFieldWrites,
  TagReads,
  TagSearch,
  TagWrites,
} from '../../../lib/ports/storage/index.ts';
import { ChangeType, type CustomField, type UserTagDefinition } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { customFieldAudit, tagAudit, tagDefinitionAudit } from '../audit/audited-records.ts';
import {
  deactivate,
  insertAudited,
  noteChange,
  updateKnown,
  type WriteScope,
} from '../audit/audited-writes.ts';
import { idIn } from '../sql/columns.ts';
import { clauseConditions, contains, lowered } from '../sql/search-conditions.ts';
import { type Condition, isIn, narrowed, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { customFieldsTable, type StoredField } from '../tables/custom-fields.ts';
import {
  haveIds,
  insertInto,
  page,
  readAs,
  recordColumns,
  select,
  selectByIds,
  type TenantScope,
  update,
} from '../tables/record-access.ts';
import { tagDefinitionsTable, tagsTable } from '../tables/tags.ts';

const active = sql`and is_active`;

export function tagReads(scope: TenantScope): TagReads {
  return {
    findDefinitionsByIds: async (ids) => selectByIds(scope, tagDefinitionsTable, ids),
    listDefinitions: async () => select(scope, tagDefinitionsTable, sql`is_active`),
    definitionsInUse: async (ids) => {
      if (ids.length === 0) return [];
      return readAs(scope, (row) => idIn(row, 'id'))`
        select id from bw_tag_definitions where ${haveIds(scope, ids)} and exists (
          select 1 from bw_tags
          where bw_tags.tenant_record_id = ${scope.tenantRecordId}
            and bw_tags.tag_definition_id = bw_tag_definitions.id and bw_tags.is_active)`;
    },
    findByObjects: async (type, objectIds, { includeDeleted }) =>
      select(
        scope,
        tagsTable,
        narrowed(
          isIn('object_id', 'uuid', objectIds),
          sql`and object_type = ${type} ${includeDeleted ? nothing : active}`,
        ),
      ),
    findByAccount: async (accountRecordId, { objectType, includeDeleted }) =>
      select(
        scope,
        tagsTable,
        sql`account_record_id = ${accountRecordId}
          ${objectType === null ? nothing : sql`and object_type = ${objectType}`}
          ${includeDeleted ? nothing : active}`,
      ),
    findCarried: async (accountRecordIds, { objectType, definitionIds }) =>
      select(
        scope,
        tagsTable,
        narrowed(
          isIn('account_record_id', 'bigint', accountRecordIds),
          sql`and ${isIn('tag_definition_id', 'uuid', definitionIds)} and object_type = ${objectType} ${active}`,
        ),
      ),
    pageCarried: async ({ objectType, definitionId }, request) =>
      page(scope, tagsTable, {
        request,
        within: sql`${active} and ${isIn('tag_definition_id', 'uuid', [definitionId])} and object_type = ${objectType}`,
      }),
    page: async (request) => page(scope, tagsTable, { request, within: active }),
    search: async (search, request) =>
      page(scope, tagsTable, {
        request,
        within: sql`${active} and (${searchCondition(scope, search)})`,
        among: active,
      }),
  };
}

function searchCondition(scope: TenantScope, { id, text, definitionIds }: TagSearch): Sql {
  return sql`${contains(lowered('object_type'), text)}
    ${id === null ? nothing : sql`or id = ${id}`}
    ${definitionIds.length === 0 ? nothing : sql`or ${isIn('tag_definition_id', 'uuid', definitionIds)}`}
    or tag_definition_id in (
      select id from bw_tag_definitions where tenant_record_id = ${scope.tenantRecordId}
        and (${contains('name', text)} or ${contains('folded_description', text)}))`;
}

export function tagWrites(scope: WriteScope): TagWrites {
  const lockDefinitions = async (
    ids: readonly Uuid[],
    lock: string,
  ): Promise<readonly UserTagDefinition[]> => {
    if (ids.length === 0) return [];
    return readAs(scope, tagDefinitionsTable)`
      select ${raw(recordColumns(scope, tagDefinitionsTable))} from bw_tag_definitions
      where ${haveIds(scope, ids)} and is_active order by record_id ${raw(lock)}`;
  };
  return {
    holdDefinitions: async (ids) => lockDefinitions(ids, scope.runner.dialect.forShare),
    lockDefinitions: async (ids) => lockDefinitions(ids, scope.runner.dialect.forUpdate),
    insertDefinitions: async (definitions) =>
      insertAudited(
        scope,
        tagDefinitionAudit,
        definitions.map((definition) => ({
          ...definition,
          foldedDescription: definition.description.toLowerCase(),
        })),
      ),
    deactivateDefinitions: async (definitions) => deactivate(scope, tagDefinitionAudit, definitions),
    insert: async (tags, commentsOf) => {
      if (tags.length === 0) return [];
      const made = await readAs(scope, tagsTable)`
        ${insertInto(scope, tagsTable, tags)} on conflict do nothing
        returning ${raw(recordColumns(scope, tagsTable))}`;
      const stored = made.toSorted((a, b) => a.recordId - b.recordId);
      for (const tag of stored) {
        const comments = commentsOf?.(tag) ?? null;
        noteChange(scope, tagAudit, { record: tag, changeType: ChangeType.INSERT, comments });
      }
      return stored;
    },
    deactivate: async (tags) => deactivate(scope, tagAudit, tags),
  };
}

const places = { name: { folded: 'folded_name' }, value: { folded: 'folded_value' } };

export function customFieldReads(scope: TenantScope): CustomFieldReads {
  const find = (condition: Condition, further: Sql): Promise<readonly CustomField[]> =>
    select(scope, customFieldsTable, narrowed(condition, sql`${further} ${active}`));
  return {
    findByIds: async (ids) =>
      (await selectByIds(scope, customFieldsTable, ids)).filter(({ isActive }) => isActive),
    findByObjects: async (type, objectIds) =>
      find(isIn('object_id', 'uuid', objectIds), sql`and object_type = ${type}`),
    findByAccount: async (accountRecordId, { objectType }) =>
      find(
        sql`account_record_id = ${accountRecordId}`,
        objectType === null ? nothing : sql`and object_type = ${objectType}`,
      ),
    page: async (request) => page(scope, customFieldsTable, { request, within: active }),
    search: async (search, request) =>
      page(scope, customFieldsTable, {
        request,
        within: sql`${active} ${fieldSearchCondition(search)}`,
        among: active,
      }),
  };
}

function fieldSearchCondition(search: CustomFieldSearch): Sql {
  switch (search.kind) {
    case 'clauses':
      return clauseConditions(search.clauses, places);
    case 'name':
      return sql`and name = ${search.name} and object_type = ${search.objectType}
        ${search.value === null ? nothing : sql`and value = ${search.value}`}`;
    case 'text': {
      const { id, text } = search;
      return sql`and (${contains('cast(object_id as text)', text)} or ${contains(lowered('object_type'), text)}
        or ${contains('folded_name', text)} or ${contains('folded_value', text)}
        ${id === null ? nothing : sql`or id = ${id}`})`;
    }
  }
}

export function customFieldWrites(scope: WriteScope): CustomFieldWrites {
  return {
    insert: async (fields) => insertAudited(scope, customFieldAudit, fields.map(storedOf)),
    updateValues: async (fields) => {
      const off = fields.map(({ id }) => ({ id, isActive: false }));
      // First removed from the unique index, because two fields may exchange values.
      await update(scope, customFieldsTable, { properties: ['isActive'], records: off });
      await updateKnown(scope, customFieldAudit, {
        properties: ['value', 'foldedValue', 'isActive', 'updatedBy', 'updatedDate'],
        records: fields.map(storedOf),
      });
    },
    deactivate: async (fields) => deactivate(scope, customFieldAudit, fields),
  };
}

function storedOf<F extends Omit<CustomField, 'recordId'>>(field: F): F & StoredField {
  return { ...field, foldedName: field.name.toLowerCase(), foldedValue: field.value.toLowerCase() };
}
