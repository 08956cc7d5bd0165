import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import pg from 'pg';
import { reachingEveryTenant } from '../support/databases.ts';
import type { BenchDatabase } from './bench-database.ts';

export type Value = string | null;

export interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Direct access to the rows of a database, outside the engine and faster than it. */
export interface Rows {
  tables(): Promise<readonly Table[]>;
  /** Reads rows with `after < record_id`, in that order; values in the order of the table's columns. */
  read(table: Table, after: number): Promise<readonly (readonly Value[])[]>;
  /** Sends one multi-row insert; values in the order of the table's columns. */
  insert(table: Table, rows: readonly (readonly Value[])[]): Promise<void>;
  transaction(work: () => Promise<void>): Promise<void>;
  query(statement: string): Promise<readonly Readonly<Record<string, Value>>[]>;
  /** Continues the record ids of the table after `last`, at least 1. */
  continueRecordIds(table: string, last: number): Promise<void>;
  /** Brings the database to its idle state: finishes PostgreSQL's autovacuum and SQLite's checkpoint. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

export function openRows(database: BenchDatabase): Promise<Rows> {
  return database.kind === 'sqlite'
    ? Promise.resolve(sqliteRows(database.location))
    : postgresqlRows(database.location);
}

const rowsPerInsert = 5_000;

async function postgresqlRows(url: string): Promise<Rows> {
  const asText = { getTypeParser: () => (value: string) => value };
  const client = new pg.Client({ ...reachingEveryTenant(url), types: asText });
  await client.connect();
  const query: Rows['query'] = async (statement) =>
    (await client.query<Record<string, Value>>(statement)).rows;
  return {
    query,
    async tables() {
      const rows = await query(`
        select table_name, column_name, data_type from information_schema.columns
        where table_name like 'bw\\_%' order by table_name, ordinal_position`);
      const byName = Map.groupBy(rows, (row) => String(row.table_name));
      return [...byName].map(([name, columns]) => ({
        name,
        columns: columns.map((row) => ({ name: String(row.column_name), type: String(row.data_type) })),
      }));
    },
    async read(table, after) {
      const { rows } = await client.query<Value[]>({
        text: `select ${namesOf(table)} from ${table.name} where record_id > ${after} order by record_id`,
        rowMode: 'array',
      });
      return rows;
    },
    async insert(table, rows) {
      const names = namesOf(table);
      const arrays = table.columns.map((_, index) => `$${index + 1}::text[]`).join(', ');
      const values = table.columns.map(({ name, type }) => `${name}::${type}`).join(', ');
      const text = `insert into ${table.name} (${names}) select ${values} from unnest(${arrays}) as r(${names})`;
      for (let from = 0; from < rows.length; from += rowsPerInsert) {
        const chunk = rows.slice(from, from + rowsPerInsert);
        await client.query(
          text,
          table.columns.map((_, index) => chunk.map((row) => row[index] ?? null)),
        );
      }
    },
    async transaction(work) {
      await client.query('begin');
      await work();
      await client.query('commit');
    },
    async continueRecordIds(name, last) {
      await client.query(`select setval(sequence, ${last})
        from pg_get_serial_sequence('${name}', 'record_id') as sequence where sequence is not null`);
    },
    async rest() {
      await client.query('vacuum (analyze)');
    },
    close: () => client.end(),
  };
}

function sqliteRows(path: string): Rows {
  const connection = new DatabaseSync(path, { timeout: 5_000 });
  // The rows need no more durability than the benchmark, and the cache holds the indexes that they change.
  connection.exec('pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -524288');
  const query: Rows['query'] = async (statement) =>
    connection
      .prepare(statement)
      .all()
      .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)])));
  const insert: Rows['insert'] = async (table, rows) => {
    const places = table.columns.map(() => '?').join(', ');
    const statement = connection.prepare(`insert into ${table.name} (${namesOf(table)}) values (${places})`);
    // SQLite converts numeric text according to the affinity of the column.
    for (const row of rows) statement.run(...(row as SQLInputValue[]));
  };
  return {
    query,
    insert,
    async tables() {
      const tables = await query(
        `select name from sqlite_master where type = 'table' and name like 'bw\\_%' escape '\\'`,
      );
      const shapes: Table[] = [];
      for (const { name } of tables) {
        const columns = await query(`pragma table_info(${name})`);
        shapes.push({
          name: String(name),
          columns: columns.map((row) => ({ name: String(row.name), type: String(row.type) })),
        });
      }
      return shapes.sort((first, second) => (first.name < second.name ? -1 : 1));
    },
    async read(table, after) {
      const rows = connection
        .prepare(`select ${namesOf(table)} from ${table.name} where record_id > ${after} order by record_id`)
        .all();
      return rows.map((row) => table.columns.map(({ name }) => textOf(row[name])));
    },
    async transaction(work) {
      connection.exec('begin immediate');
      await work();
      connection.exec('commit');
    },
    async continueRecordIds(name, last) {
      connection.exec(`update sqlite_sequence set seq = ${last} where name = '${name}'`);
    },
    async rest() {
      connection.exec('pragma wal_checkpoint(truncate)');
    },
    async close() {
      connection.close();
    },
  };
}

function textOf(value: unknown): Value {
  return value === null || value === undefined ? null : String(value);
}

function namesOf(table: Table): string {
  return table.columns.map(({ name }) => name).join(', ');
}
