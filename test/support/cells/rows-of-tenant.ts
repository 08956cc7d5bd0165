import { movedTables } from '../../../adapters/mikro-orm/moves/moved-tables.ts';
import type { Column } from '../../../adapters/mikro-orm/sql/columns.ts';
import type { CellName, TwoCells } from './two-cells.ts';

/** Text that is easy to damage on its way to another database. */
const HARD_TEXT = 'a "b" \\ \'c\', {d}\n\t\u0001 é \u{1f600} \u2028 NULL ';

/** JSON that changes when it is parsed and written again. */
const HARD_JSON = '{"a" : 1.10,  "a":1e400, "b": "\\u00e9\\u0000\\ud800", "n": 12345678901234567890.000}';

/** Inserts rows of the tenant into every table that a move copies, with values that are easy to damage. */
export async function fillEveryTable(
  { sql, tenant }: TwoCells,
  { cell, count, from = 0 }: { readonly cell: CellName; readonly count: number; readonly from?: number },
): Promise<void> {
  for (const { name, columns, tenant: tenantColumn } of movedTables) {
    if (name === 'bw_tenants') continue;
    const names = columns.map((column) => column.name).join(', ');
    const values = columns.map((column) =>
      column.name === tenantColumn ? String(tenant.recordId) : sqlValueOf(name, column),
    );
    await sql(
      cell,
      `insert into ${name} (${names}) select ${values.join(', ')} from generate_series($1::int, $2::int) as n
      on conflict do nothing`,
      [from + 1, from + count],
    );
  }
}

/** Returns SQL for a value in row `n`. Every third value of a column that can be null is null. */
function sqlValueOf(table: string, { type, nullable, isInstant }: Column): string {
  const value = {
    identity: `nextval('${table}_record_id_seq')`,
    bigint: isInstant ? '1700000000000 + n' : '9007199254740000 - n',
    integer: 'n',
    uuid: 'gen_random_uuid()',
    text: `${quoted(HARD_TEXT)} || n`,
    boolean: 'n % 2 = 0',
    date: `date '2024-02-29' + n::int`,
    decimal: `(n || '.' || n || '00')::numeric`,
    json: `${quoted(HARD_JSON)}::json`,
  }[type];
  return nullable ? `case when n % 3 = 0 then null else ${value} end` : value;
}

function quoted(text: string) {
  return `E'${text.replace(/['\\]/g, '\\$&')}'`;
}

/** Returns all rows of a tenant as text, by table. Tables without rows are omitted. */
export async function rowsOfTenant(
  { sql }: Pick<TwoCells, 'sql'>,
  cell: CellName,
  tenantRecordId: number,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, readonly string[]> = {};
  for (const { name, tenant, columns } of movedTables) {
    const row = `row(${columns.map((column) => column.name).join(', ')})::text`;
    const rows = await sql<{ content: string }>(
      cell,
      `select ${row} as content from ${name} where ${tenant} = $1 order by 1`,
      [tenantRecordId],
    );
    if (rows.length > 0) found[name] = rows.map(({ content }) => content);
  }
  return found;
}
