import { defineEntity, type EntitySchema, p } from '@mikro-orm/core';
import type { Column, ColumnType } from '../sql/columns.ts';
import type { DatabaseTypes, SchemaDialect } from '../sql/dialect.ts';
import { tables } from './index.ts';
import { type TableSpec, TENANT_COLUMN, uniqueName } from './record-table.ts';
import { tenantsTable } from './system.ts';

/**
 * Returns the MikroORM entities. Only MikroORM's migrator uses them, because hydrating entities would take longer than
 * the statements.
 */
export function defineEntities(dialect: SchemaDialect): EntitySchema[] {
  return tables.map((table) => defineTable(table, dialect));
}

function defineTable(table: TableSpec, { types, ownIndexes, reachable }: SchemaDialect): EntitySchema {
  const keys = [table.primaryKey].flat();
  const properties = Object.fromEntries(
    table.columns.map((column) => [column.name, property(column, types, keys.includes(column.name))]),
  );
  const index = ({ name, columns, where }: TableSpec['indexes'][number]) => ({
    name: `${table.name}_${name}`,
    properties: [...columns],
    ...(where === undefined ? {} : { where }),
  });
  const tenant = tenantColumnOf(table);
  return defineEntity({
    name: table.name,
    tableName: table.name,
    properties,
    ...(tenant === null || reachable === null ? {} : rowSecurityOptions(table, reachable(tenant))),
    uniques: table.uniques.map((unique) => ({ ...index(unique), name: uniqueName(table.name, unique) })),
    indexes: [
      ...table.indexes.map((spec) => ({ ...index(spec), name: `${table.name}_${spec.name}_index` })),
      ...ownIndexes
        .filter((own) => own.table === table.name)
        .map(({ name, expression }) => ({ name, expression })),
    ],
  });
}

/** Returns the column that contains the record id of the tenant. Returns null for a table without rows of tenants. */
export function tenantColumnOf(table: TableSpec): string | null {
  if (table === tenantsTable) return tenantsTable.primaryKey;
  return table.columns.find(({ name }) => name === TENANT_COLUMN)?.name ?? null;
}

export function tenantTables(): readonly string[] {
  return tables.filter((table) => tenantColumnOf(table) !== null).map(({ name }) => name);
}

/** Adds row-level security to the table. It also applies to the owner of the table (platform §2, isolation rule 2). */
function rowSecurityOptions(table: TableSpec, condition: string) {
  return {
    rowLevelSecurity: 'force' as const,
    policies: [{ name: `${table.name}_tenant`, using: condition, check: condition }],
  };
}

function property(column: Column, types: DatabaseTypes, isPrimary: boolean) {
  const typed = builderOf(column.type).fieldName(column.name).columnType(types[column.type]);
  if (column.type === 'identity') return typed.primary().autoincrement();
  if (isPrimary) return typed.primary().autoincrement(false);
  return column.nullable ? typed.nullable() : typed;
}

function builderOf(type: ColumnType) {
  switch (type) {
    case 'identity':
    case 'bigint':
      return p.bigint();
    case 'integer':
      return p.integer();
    case 'boolean':
      return p.boolean();
    case 'date':
      return p.date();
    case 'decimal':
      return p.decimal();
    case 'json':
      return p.json();
    case 'uuid':
    case 'text':
      return p.text();
  }
}
