import type { ExportedTable, ExportedValue, ExportReads } from '../../../lib/ports/storage/index.ts';
import type { AuditEntry, AuditRow } from '../../../lib/records/index.ts';
import { EXPORT_BATCH_ROWS } from '../../../lib/values/limits.ts';
import { entryColumns, entryOf } from '../audit/audit-store.ts';
import type { Column, Row } from '../sql/columns.ts';
import { nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { accountsTable } from '../tables/accounts.ts';
import { tables } from '../tables/index.ts';
import type { TenantScope } from '../tables/record-access.ts';
import { TABLE_PREFIX, type TableSpec } from '../tables/record-table.ts';
import { auditLogTable } from '../tables/system.ts';

/** Derived from other columns of the row, for searches. */
const isDerived = (column: string): boolean => column.startsWith('folded_');

/** The first columns in the lines of accounts, where callers of the export expect them (accounts E15). */
const firstColumns = ['record_id', 'id', 'external_key', 'email', 'name'];

const accountTables = tables.filter(
  (table) => table === accountsTable || table.columns.some(({ name }) => name === 'account_record_id'),
);

export function exportReads(scope: TenantScope): ExportReads {
  return {
    tablesOfAccount: (accountRecordId) =>
      accountTables.map((table) => exported(scope, table, accountRecordId)),
    auditOfAccount: (accountRecordId, tableName) => auditBatches(scope, accountRecordId, tableName),
    auditEntriesOfAccount: (accountRecordId) => entryBatches(scope, accountRecordId),
  };
}

function exported(scope: TenantScope, table: TableSpec, accountRecordId: number): ExportedTable {
  const columns = orderedColumns(table);
  const owner = raw(table === accountsTable ? 'record_id' : 'account_record_id');
  return {
    name: table.name.slice(TABLE_PREFIX.length),
    columns: columns.map(({ name, isInstant }) => ({ name, isInstant: isInstant ?? false })),
    async *rows() {
      const condition = sql`${owner} = ${accountRecordId}`;
      for await (const batch of batches(scope, table, condition)) {
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
  for await (const batch of batches(scope, auditLogTable, condition)) {
    yield batch.map((row) => auditLogTable.decode(row));
  }
}

/** The same in the form of lists of changes: without the records as they were afterwards. */
async function* entryBatches(
  scope: TenantScope,
  accountRecordId: number,
): AsyncIterable<readonly AuditEntry[]> {
  const listed = { name: auditLogTable.name, columns: entryColumns };
  for await (const batch of batches(scope, listed, sql`account_record_id = ${accountRecordId}`)) {
    yield batch.map((row) => entryOf(auditLogTable.decode(row)));
  }
}

/** Rows of the tenant that meet `condition`, in record-id order, a part at a time. */
async function* batches(
  scope: TenantScope,
  table: Pick<TableSpec, 'name' | 'columns'>,
  condition: Sql,
): AsyncIterable<readonly Row[]> {
  let last: string | number = 0;
  for (;;) {
    const rows = await scope.runner.rows(sql`
      select ${raw(scope.runner.dialect.selectList(table))} from ${raw(table.name)}
      where tenant_record_id = ${scope.tenantRecordId} and ${condition} and record_id > ${last}
      order by record_id limit ${EXPORT_BATCH_ROWS}`);
    if (rows.length > 0) yield rows;
    if (rows.length < EXPORT_BATCH_ROWS) return;
    last = Number(rows.at(-1)?.record_id);
  }
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

/** Booleans are numbers in SQLite. */
function storedValue(row: Row, { name, type }: Column): ExportedValue {
  const value = row[name] as ExportedValue | undefined;
  if (value === null || value === undefined) return null;
  return type === 'boolean' ? Boolean(value) : value;
}
