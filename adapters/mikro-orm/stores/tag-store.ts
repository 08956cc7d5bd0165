import type {
  CustomFieldReads,
  CustomFieldSearch,
  CustomFieldWrites,
  TagReads,
  TagSearch,
  TagWrites,
} from '../../../lib/ports/storage/index.ts';
import {
  ChangeType,
  type CustomField,
  type CustomFieldPageRequest,
  type UserTagDefinition,
} from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { customFieldAudit, tagAudit, tagDefinitionAudit } from '../audit/audited-records.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import { idIn } from '../sql/columns.ts';
import { clauseConditions, contains, lowercaseAscii } from '../sql/search-conditions.ts';
import { type Condition, isIn, narrowCondition, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { customFieldsTable, type StoredField, tagDefinitionsTable, tagsTable } from '../tables/tags.ts';

const active = sql`and is_active`;

export function tagReads(scope: TenantScope): TagReads {
  return {
    findDefinitionsByIds: async (ids) => scope.selectByIds(tagDefinitionsTable, ids),
    listDefinitions: async () => scope.select(tagDefinitionsTable, sql`is_active`),
    definitionsInUse: async (ids) => {
      if (ids.length === 0) return [];
      return scope.runner.readAs((row) => idIn(row, 'id'))`
        select id from bw_tag_definitions where ${scope.haveIds(ids)} and exists (
          select 1 from bw_tags
          where bw_tags.tenant_record_id = ${scope.tenantRecordId}
            and bw_tags.tag_definition_id = bw_tag_definitions.id and bw_tags.is_active)`;
    },
    findByObjects: async (type, objectIds, { includeDeleted }) =>
      scope.select(
        tagsTable,
        narrowCondition(
          isIn('object_id', 'uuid', objectIds),
          sql`and object_type = ${type} ${includeDeleted ? nothing : active}`,
        ),
      ),
    findByAccount: async (accountRecordId, { objectType, includeDeleted }) =>
      scope.select(
        tagsTable,
        sql`account_record_id = ${accountRecordId}
          ${objectType === null ? nothing : sql`and object_type = ${objectType}`}
          ${includeDeleted ? nothing : active}`,
      ),
    findCarried: async (accountRecordIds, { objectType, definitionIds }) =>
      scope.select(
        tagsTable,
        narrowCondition(
          isIn('account_record_id', 'bigint', accountRecordIds),
          sql`and ${isIn('tag_definition_id', 'uuid', definitionIds)} and object_type = ${objectType} ${active}`,
        ),
      ),
    pageCarried: async ({ objectType, definitionId }, request) =>
      scope.page(tagsTable, {
        request,
        within: sql`${active} and ${isIn('tag_definition_id', 'uuid', [definitionId])} and object_type = ${objectType}`,
      }),
    page: async (request) => scope.page(tagsTable, { request, within: active }),
    search: async (search, request) =>
      scope.page(tagsTable, {
        request,
        within: sql`${active} and (${searchCondition(scope, search)})`,
        among: active,
      }),
  };
}

function searchCondition(scope: TenantScope, { id, text, definitionIds }: TagSearch) {
  return sql`${contains(lowercaseAscii('object_type'), text)}
    ${id === null ? nothing : sql`or id = ${id}`}
    ${definitionIds.length === 0 ? nothing : sql`or ${isIn('tag_definition_id', 'uuid', definitionIds)}`}
    or tag_definition_id in (
      select id from bw_tag_definitions where ${scope.ofTenant}
        and (${contains('name', text)} or ${contains('folded_description', text)}))`;
}

export function tagWrites(scope: WriteScope): TagWrites {
  const lockDefinitions = async (
    ids: readonly Uuid[],
    lock: string,
  ): Promise<readonly UserTagDefinition[]> => {
    if (ids.length === 0) return [];
    return scope.runner.readAs(tagDefinitionsTable)`
      select ${scope.columns(tagDefinitionsTable)} from bw_tag_definitions
      where ${scope.haveIds(ids)} and is_active order by record_id ${raw(lock)}`;
  };
  return {
    holdDefinitions: async (ids) => lockDefinitions(ids, scope.runner.dialect.forShare),
    lockDefinitions: async (ids) => lockDefinitions(ids, scope.runner.dialect.forUpdate),
    insertDefinitions: async (definitions) =>
      scope.insertAudited(
        tagDefinitionAudit,
        definitions.map((definition) => ({
          ...definition,
          foldedDescription: definition.description.toLowerCase(),
        })),
      ),
    deactivateDefinitions: async (definitions) => scope.deactivate(tagDefinitionAudit, definitions),
    insert: async (tags, commentsOf) => {
      if (tags.length === 0) return [];
      const made = await scope.runner.readAs(tagsTable)`
        ${scope.insertInto(tagsTable, tags)} on conflict do nothing
        returning ${scope.columns(tagsTable)}`;
      const stored = made.toSorted((a, b) => a.recordId - b.recordId);
      for (const tag of stored) {
        const comments = commentsOf?.(tag) ?? null;
        scope.noteChange(tagAudit, { record: tag, changeType: ChangeType.INSERT, comments });
      }
      return stored;
    },
    deactivate: async (tags) => scope.deactivate(tagAudit, tags),
  };
}

const places = { name: { folded: 'folded_name' }, value: { folded: 'folded_value' } };

export function customFieldReads(scope: TenantScope): CustomFieldReads {
  const find = (condition: Condition, further: Sql): Promise<readonly CustomField[]> =>
    scope.select(customFieldsTable, narrowCondition(condition, sql`${further} ${active}`));
  return {
    findByIds: async (ids) =>
      (await scope.selectByIds(customFieldsTable, ids)).filter(({ isActive }) => isActive),
    findByObjects: async (type, objectIds) =>
      find(isIn('object_id', 'uuid', objectIds), sql`and object_type = ${type}`),
    findByAccount: async (accountRecordId, { objectType }) =>
      find(
        sql`account_record_id = ${accountRecordId}`,
        objectType === null ? nothing : sql`and object_type = ${objectType}`,
      ),
    page: async (request) => scope.page(customFieldsTable, { request, within: listingCondition(request) }),
    search: async (search, request) =>
      scope.page(customFieldsTable, {
        request,
        within: sql`${listingCondition(request)} ${fieldSearchCondition(search)}`,
        among: listingCondition(request),
      }),
  };
}

function listingCondition({ withoutCoupons }: CustomFieldPageRequest): Sql {
  return withoutCoupons ? sql`${active} and account_record_id is not null` : active;
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
      return sql`and (${contains('cast(object_id as text)', text)} or ${contains(lowercaseAscii('object_type'), text)}
        or ${contains('folded_name', text)} or ${contains('folded_value', text)}
        ${id === null ? nothing : sql`or id = ${id}`})`;
    }
  }
}

export function customFieldWrites(scope: WriteScope): CustomFieldWrites {
  return {
    insert: async (fields) => scope.insertAudited(customFieldAudit, fields.map(addFoldedTexts)),
    updateValues: async (fields) => {
      const off = fields.map(({ id }) => ({ id, isActive: false }));
      // The values are removed from the unique index first, because two fields may swap their values.
      await scope.update(customFieldsTable, { properties: ['isActive'], records: off });
      await scope.updateKnown(customFieldAudit, {
        properties: ['value', 'foldedValue', 'isActive', 'updatedBy', 'updatedDate'],
        records: fields.map(addFoldedTexts),
      });
    },
    deactivate: async (fields) => scope.deactivate(customFieldAudit, fields),
  };
}

function addFoldedTexts<F extends Omit<CustomField, 'recordId'>>(field: F): F & StoredField {
  return { ...field, foldedName: field.name.toLowerCase(), foldedValue: field.value.toLowerCase() };
}
