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
  type Page,
  type UserTagDefinition,
} from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { customFieldAudit, tagAudit, tagDefinitionAudit } from '../audit/audited-records.ts';
import { insertAudited, noteChange, type WriteScope } from '../audit/audited-writes.ts';
import { textOf } from '../sql/columns.ts';
import { clauseConditions, contains, lowered } from '../sql/search-conditions.ts';
import { isIn, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { customFieldsTable, type StoredField } from '../tables/custom-fields.ts';
import {
  haveIds,
  insertInto,
  page,
  recordColumns,
  select,
  selectByIds,
  type TenantScope,
  update,
} from '../tables/record-access.ts';
import { type StoredDefinition, tagDefinitionsTable, tagsTable } from '../tables/tags.ts';

const active = sql`and is_active`;

export function tagReads(scope: TenantScope): TagReads {
  return {
    findDefinitionsByIds: async (ids) =>
      (await selectByIds(scope, tagDefinitionsTable, ids)).map(definitionOf),
    listDefinitions: async () => (await select(scope, tagDefinitionsTable, sql`is_active`)).map(definitionOf),
    definitionsInUse: async (ids) => {
      if (ids.length === 0) return [];
      const rows = await scope.runner.rows(sql`
        select id from bw_tag_definitions where ${haveIds(scope, ids)} and exists (
          select 1 from bw_tags
          where bw_tags.tenant_record_id = ${scope.tenantRecordId}
            and bw_tags.tag_definition_id = bw_tag_definitions.id and bw_tags.is_active)`);
      return rows.map((row) => textOf(row.id, 'id') as Uuid);
    },
    findByObjects: async (type, objectIds, { includeDeleted }) =>
      objectIds.length === 0
        ? []
        : select(
            scope,
            tagsTable,
            sql`${isIn('object_id', 'uuid', objectIds)} and object_type = ${type} ${includeDeleted ? nothing : active}`,
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
      accountRecordIds.length === 0
        ? []
        : select(
            scope,
            tagsTable,
            sql`${isIn('tag_definition_id', 'uuid', definitionIds)} and ${isIn('account_record_id', 'bigint', accountRecordIds)}
              and object_type = ${objectType} ${active}`,
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
    return scope.runner.read(
      sql`
      select ${raw(recordColumns(scope, tagDefinitionsTable))} from bw_tag_definitions
      where ${haveIds(scope, ids)} and is_active order by record_id ${raw(lock)}`,
      (row) => definitionOf(tagDefinitionsTable.decode(row)),
    );
  };
  return {
    holdDefinitions: async (ids) => lockDefinitions(ids, scope.runner.dialect.forShare),
    lockDefinitions: async (ids) => lockDefinitions(ids, scope.runner.dialect.forUpdate),
    insertDefinitions: async (definitions) =>
      insertAudited(
        scope,
        { table: tagDefinitionsTable, audit: tagDefinitionAudit },
        definitions.map((definition) => ({
          ...definition,
          foldedDescription: definition.description.toLowerCase(),
        })),
      ),
    deactivateDefinitions: async (definitions) => {
      if (definitions.length === 0) return;
      const records = definitions.map((definition) => ({ ...definition, isActive: false }));
      await update(scope, tagDefinitionsTable, { key: 'id', properties: ['isActive'], records });
      for (const record of records)
        noteChange(scope, tagDefinitionAudit, { record, changeType: ChangeType.DELETE });
    },
    insert: async (tags, commentsOf) => {
      if (tags.length === 0) return [];
      const made = await scope.runner.read(
        sql`
        ${insertInto(scope, tagsTable, tags)} on conflict do nothing
        returning ${raw(recordColumns(scope, tagsTable))}`,
        (row) => tagsTable.decode(row),
      );
      const stored = made.toSorted((a, b) => a.recordId - b.recordId);
      for (const tag of stored) {
        const comments = commentsOf?.(tag) ?? null;
        noteChange(scope, tagAudit, { record: tag, changeType: ChangeType.INSERT, comments });
      }
      return stored;
    },
    deactivate: async (tags) => {
      if (tags.length === 0) return;
      const records = tags.map((tag) => ({ ...tag, isActive: false }));
      await update(scope, tagsTable, { key: 'id', properties: ['isActive'], records });
      for (const record of records) noteChange(scope, tagAudit, { record, changeType: ChangeType.DELETE });
    },
  };
}

function definitionOf({
  foldedDescription: _,
  ...definition
}: StoredDefinition & { readonly recordId: number }): UserTagDefinition {
  return definition;
}

const places = { name: { folded: 'folded_name' }, value: { folded: 'folded_value' } };

export function customFieldReads(scope: TenantScope): CustomFieldReads {
  const find = async (condition: Sql): Promise<readonly CustomField[]> =>
    (await select(scope, customFieldsTable, sql`${condition} ${active}`)).map(fieldOf);
  const pageOf = async (options: Parameters<typeof page>[2]): Promise<Page<CustomField>> => {
    const found = await page(scope, customFieldsTable, options);
    return { ...found, rows: found.rows.map(fieldOf) };
  };
  return {
    findByIds: async (ids) =>
      (await selectByIds(scope, customFieldsTable, ids)).filter(({ isActive }) => isActive).map(fieldOf),
    findByObjects: async (type, objectIds) =>
      objectIds.length === 0
        ? []
        : find(sql`${isIn('object_id', 'uuid', objectIds)} and object_type = ${type}`),
    findByAccount: async (accountRecordId, { objectType }) =>
      find(
        sql`account_record_id = ${accountRecordId}
          ${objectType === null ? nothing : sql`and object_type = ${objectType}`}`,
      ),
    page: async (request) => pageOf({ request, within: active }),
    search: async (search, request) =>
      pageOf({ request, within: sql`${active} ${fieldSearchCondition(search)}`, among: active }),
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
    insert: async (fields) =>
      insertAudited(scope, { table: customFieldsTable, audit: customFieldAudit }, fields.map(storedOf)),
    updateValues: async (fields) => {
      if (fields.length === 0) return;
      const off = fields.map(({ id }) => ({ id, isActive: false }));
      // Removed from the unique index first, since two fields may exchange their values.
      await update(scope, customFieldsTable, { key: 'id', properties: ['isActive'], records: off });
      await update(scope, customFieldsTable, {
        key: 'id',
        properties: ['value', 'foldedValue', 'isActive', 'updatedBy', 'updatedDate'],
        records: fields.map(storedOf),
      });
      for (const field of fields)
        noteChange(scope, customFieldAudit, { record: field, changeType: ChangeType.UPDATE });
    },
    deactivate: async (fields) => {
      if (fields.length === 0) return;
      const records = fields.map((field) => ({ ...field, isActive: false }));
      await update(scope, customFieldsTable, { key: 'id', properties: ['isActive'], records });
      for (const record of records)
        noteChange(scope, customFieldAudit, { record, changeType: ChangeType.DELETE });
    },
  };
}

function storedOf<F extends Omit<CustomField, 'recordId'>>(field: F): F & StoredField {
  return { ...field, foldedName: field.name.toLowerCase(), foldedValue: field.value.toLowerCase() };
}

function fieldOf({
  foldedName: _name,
  foldedValue: _value,
  ...field
}: StoredField & { readonly recordId: number }): CustomField {
  return field;
}
