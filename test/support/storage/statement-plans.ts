import { DatabaseSync } from 'node:sqlite';
import { MikroORM } from '@mikro-orm/sqlite';
import { Client, type ClientConfig } from 'pg';
import { lendRows } from '../../../adapters/mikro-orm/sqlite/lent-rows.ts';
import { reachingEveryTenant, type TestDatabase } from '../databases.ts';
import type { BoundStatement } from './opened-storage.ts';

/** The plans of the statements that scan a whole table or all rows of a tenant. */
export async function badPlans(
  database: TestDatabase,
  statements: readonly BoundStatement[],
): Promise<readonly string[]> {
  const plans = await plansOf(database, statements);
  return plans
    .filter(({ plan }) => plan.some(isWalk))
    .map(({ text, plan }) => `${text.replace(/\s+/g, ' ').trim()}\n${plan.join('\n')}`);
}

export async function plansOf(
  database: TestDatabase,
  statements: readonly BoundStatement[],
): Promise<readonly Plan[]> {
  return database.kind === 'sqlite'
    ? sqlitePlans(database.path, statements)
    : await withPostgresql(database.url, (client) => postgresqlPlans(client, statements));
}

export interface Plan {
  readonly text: string;
  readonly plan: readonly string[];
}

/** Returns true for a plan line that scans a whole table or all rows of a tenant. */
export function isWalk(line: string): boolean {
  return /Seq Scan on bw_(?!account_texts|tenant_moves)|SCAN bw_(?!lent_)|USING (COVERING )?INDEX \w+ \(tenant_record_id=\?\)$/.test(
    line.trimEnd(),
  );
}

/** Uses the engine's SQLite library: a second one in the same process would release its file locks. */
export async function sqlitePlans(
  path: string,
  statements: readonly BoundStatement[],
): Promise<readonly Plan[]> {
  const orm = new MikroORM({ entities: [], discovery: { warnWhenNoEntities: false }, dbName: path });
  try {
    await orm.connect();
    const database = await orm.em.getConnection().getNativeClient();
    lendRows(database);
    return statements.map(({ text, parameters }) => {
      const rows = database.prepare(`explain query plan ${text}`).all(...parameters) as { detail: string }[];
      return { text, plan: rows.map(({ detail }) => detail) };
    });
  } finally {
    await orm.close(true);
  }
}

export async function postgresqlPlans(
  client: Client,
  statements: readonly BoundStatement[],
): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  for (const { text, parameters } of statements) {
    if (/^\s*(set|listen|select (pg_|set_config))/.test(text)) continue;
    const { rows } = await client.query<Record<string, string>>(`explain ${text}`, [...parameters]);
    plans.push({ text, plan: rows.map((row) => row['QUERY PLAN'] ?? '') });
  }
  return plans;
}

/** Connects a client, by default as a role that reaches every tenant. */
export async function withPostgresql<T>(config: string | ClientConfig, work: (client: Client) => Promise<T>) {
  const client = new Client(typeof config === 'string' ? reachingEveryTenant(config) : config);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The names of the tables with a row that contains the text. */
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

function ofPostgresql(url: string): Promise<readonly Row[]> {
  return withPostgresql(url, async (client) => {
    const tables = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    const rows: Row[] = [];
    for (const { name } of tables.rows) {
      const found = await client.query<{ text: string }>(`select t::text as text from "${name}" t`);
      rows.push(...found.rows.map(({ text }) => ({ table: name, text })));
    }
    return rows;
  });
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
}
