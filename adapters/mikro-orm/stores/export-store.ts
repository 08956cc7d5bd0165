import type { ExportedTable, ExportedValue, ExportReads } from '../../../lib/ports/storage/index.ts';
import type { AuditEntry, AuditRow } from '../../../lib/records/index.ts';
import { EXPORT_BATCH_ROWS } from '../../../lib/values/limits.ts';
import { entryColumns, entryOf } from '../audit/audit-store.ts';
import type { Column, Row } from '../sql/columns.ts';
import { nothing, raw, type Scalar, type Sql, sql } from '../sql/sql.ts';
import { accountsTable } from '../tables/accounts.ts';
import { tables } from '../tables/index.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { recordIdColumn, TABLE_PREFIX, type TableSpec } from '../tables/record-table.ts';
import { auditLogTable } from '../tables/system.ts';

const isDerived = (column: string): boolean => column.startsWith('folded_');

/** The first columns of accounts, in the order that readers of the export expect (accounts E15). */
const firstColumns = ['record_id', 'id', 'external_key', 'email', 'name'];

const accountTables = tables.filter(
  (table) => table === accountsTable || table.columns.some(({ name }) => name === 'account_record_id'),
);

export function exportReads(scope: TenantScope): ExportReads {
  return {
    tablesOfAccount: (accountRecordId) =>
      accountTables.map((table) => exportTable(scope, table, accountRecordId)),
    auditOfAccount: (accountRecordId, tableName) => auditBatches(scope, accountRecordId, tableName),
    auditEntriesOfAccount: (accountRecordId) => entryBatches(scope, accountRecordId),
  };
}

function exportTable(scope: TenantScope, table: TableSpec, accountRecordId: number): ExportedTable {
  const columns = orderedColumns(table);
  const owner = raw(table === accountsTable ? 'record_id' : 'account_record_id');
  return {
    name: table.name.slice(TABLE_PREFIX.length),
    columns: columns.map(({ name, isInstant }) => ({ name, isInstant: isInstant ?? false })),
    async *rows() {
      const condition = sql`${owner} = ${accountRecordId}`;
      for await (const batch of batches(scope, { ...table, order: orderOf(table) }, condition)) {
        yield batch.map((row) => columns.map((column) => storedValue(row, column)));
      }
    },
  };
}

async function* auditBatches(
  scope: TenantScope,
  accountRecordId: number,
  tableName: string | undefined,
): AsyncIterable<readonly AuditRow[]> {
  const ofTable = tableName === undefined ? nothing : sql`and table_name = ${tableName}`;
  const condition = sql`account_record_id = ${accountRecordId} ${ofTable}`;
  for await (const batch of batches(
    scope,
    { name: auditLogTable.name, columns: auditLogTable.columns, order: byRecordId },
    condition,
  )) {
    yield batch.map((row) => auditLogTable.decode(row));
  }
}

async function* entryBatches(
  scope: TenantScope,
  accountRecordId: number,
): AsyncIterable<readonly AuditEntry[]> {
  const asListed = { name: auditLogTable.name, columns: entryColumns, order: byRecordId };
  for await (const batch of batches(scope, asListed, sql`account_record_id = ${accountRecordId}`)) {
    yield batch.map((row) => entryOf(auditLogTable.decode(row)));
  }
}

const byRecordId: readonly string[] = [recordIdColumn.name];

/** Returns the sort order of an account's rows. Rows without a record id are sorted by an index. */
function orderOf({ primaryKey, indexes }: TableSpec): readonly string[] {
  if (typeof primaryKey === 'string') return byRecordId;
  const ofAccount = indexes.find(({ columns }) => columns[1] === 'account_record_id');
  return ofAccount?.columns.slice(2) ?? primaryKey;
}

async function* batches(
  scope: TenantScope,
  table: Pick<TableSpec, 'name' | 'columns'> & { readonly order: readonly string[] },
  condition: Sql,
): AsyncIterable<readonly Row[]> {
  const order = raw(table.order.join(', '));
  let after = nothing;
  for (;;) {
    const rows = await scope.runner.rows(sql`
      select ${raw(scope.runner.dialect.selectList(table))} from ${raw(table.name)}
      where ${scope.ofTenant} and ${condition} ${after}
      order by ${order} limit ${EXPORT_BATCH_ROWS}`);
    const last = rows.at(-1);
    if (last) yield rows;
    if (last === undefined || rows.length < EXPORT_BATCH_ROWS) return;
    const place = table.order.map((name) => last[name] as Scalar);
    after = sql`and (${order}) > (${joinValues(place)})`;
  }
}

function joinValues(values: readonly Scalar[]) {
  return values.reduce<Sql>(
    (list, value, index) => (index === 0 ? sql`${value}` : sql`${list}, ${value}`),
    nothing,
  );
}

function orderedColumns(table: TableSpec): readonly Column[] {
  const kept = table.columns.filter(({ name }) => !isDerived(name));
  if (table !== accountsTable) return kept;
  const place = ({ name }: Column): number => {
    const found = firstColumns.indexOf(name);
    return found < 0 ? firstColumns.length : found;
  };
  return kept.toSorted((one, other) => place(one) - place(other));
}

function storedValue(row: Row, { name, type }: Column): ExportedValue {
  const value = row[name] as ExportedValue | undefined;
  if (value === null || value === undefined) return null;
  return type === 'boolean' ? Boolean(value) : value;
}
