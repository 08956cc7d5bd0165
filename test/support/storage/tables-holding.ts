import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { reachingEveryTenant, type TestDatabase } from '../databases.ts';

/** The names of the tables that have the text in a row, of all that the engine has. */
export async function tablesHolding(database: TestDatabase, text: string): Promise<readonly string[]> {
  const rows = database.kind === 'sqlite' ? ofSqlite(database.path) : await ofPostgresql(database.url);
  return [...new Set(rows.filter((row) => row.text.includes(text)).map(({ table }) => table))];
}

interface Row {
  readonly table: string;
  readonly text: string;
}

function ofSqlite(path: string): readonly Row[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all();
    return tables.flatMap(({ name }) =>
      database
        .prepare(`select * from "${name}"`)
        .all()
        .map((row) => ({ table: String(name), text: Object.values(row).map(textOf).join(' ') })),
    );
  } finally {
    database.close();
  }
}

async function ofPostgresql(url: string): Promise<readonly Row[]> {
  const client = new pg.Client(reachingEveryTenant(url));
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    const rows: Row[] = [];
    for (const { name } of tables.rows) {
      const found = await client.query<{ text: string }>(`select t::text as text from "${name}" t`);
      rows.push(...found.rows.map(({ text }) => ({ table: name, text })));
    }
    return rows;
  } finally {
    await client.end();
  }
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
}
