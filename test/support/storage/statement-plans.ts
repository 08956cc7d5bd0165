import { MikroORM } from '@mikro-orm/sqlite';
import { Client } from 'pg';
import { lendRows } from '../../../adapters/mikro-orm/sqlite/lent-rows.ts';
import { reachingEveryTenant, type TestDatabase } from '../databases.ts';
import type { BoundStatement } from './opened-storage.ts';

/** The plans of those statements that read a whole table of ours, or walk all rows that a tenant has in it. */
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
    : await onPostgresql(database.url, (client) => postgresqlPlans(client, statements));
}

export interface Plan {
  readonly text: string;
  readonly plan: readonly string[];
}

/** A line that reads a whole table of ours, or all that a tenant has in it. */
export function isWalk(line: string): boolean {
  return /Seq Scan on bw_(?!account_texts)|SCAN bw_(?!lent_)|USING (COVERING )?INDEX \w+ \(tenant_record_id=\?\)$/.test(
    line.trimEnd(),
  );
}

/** By the library that the engine uses too: another one in the same process would take its locks of the file away. */
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

export async function onPostgresql<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(reachingEveryTenant(url));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
