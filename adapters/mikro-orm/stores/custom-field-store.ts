import type {
  CustomFieldReads,
  CustomFieldSearch,
  CustomFieldWrites,
} from '../../../lib/ports/storage/index.ts';
import type { CustomField } from '../../../lib/records/index.ts';
import { ChangeType, type Page } from '../../../lib/records/index.ts';
import { customFieldAudit } from '../audit/audited-records.ts';
import { insertAudited, noteChange, type WriteScope } from '../audit/audited-writes.ts';
import { clauseConditions, contains, lowered } from '../sql/search-conditions.ts';
import { isIn, nothing, type Sql, sql } from '../sql/sql.ts';
import { customFieldsTable, type StoredField } from '../tables/custom-fields.ts';
import { page, select, selectByIds, type TenantScope, update } from '../tables/record-access.ts';

const active = sql`and is_active`;

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
      pageOf({ request, within: sql`${active} ${searchCondition(search)}`, among: active }),
  };
}

function searchCondition(search: CustomFieldSearch): Sql {
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
