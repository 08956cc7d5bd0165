import { MikroORM } from '@mikro-orm/sqlite';
import { Client } from 'pg';
import { reachingEveryTenant, type TestDatabase } from './databases.ts';

export interface StoredEvent {
  readonly topic: string;
  readonly state: string;
}

const STATEMENT = `
  select topic, processing_state as state, record_id from bw_queue_entries where kind = 'BUS'
  union all
  select topic, processing_state as state, record_id from bw_queue_history where kind = 'BUS'
  order by record_id`;

/** Every bus event that the database holds, finished or not, in the order in which they were stored. */
export async function busEvents(database: TestDatabase): Promise<readonly StoredEvent[]> {
  const rows = await rowsOf(database, STATEMENT);
  return rows.map(({ topic, state }) => ({ topic: String(topic), state: String(state) }));
}

/** Gives the types of the events that were stored since the last time it was asked. */
export function newEvents(database: TestDatabase): () => Promise<readonly string[]> {
  let seen = 0;
  return async () => {
    const all = (await busEvents(database)).map((event) => event.topic);
    const fresh = all.slice(seen);
    seen = all.length;
    return fresh;
  };
}

const TOKENS = `
  select topic, account_record_id as account, user_token as token, record_id from bw_queue_entries
  union all
  select topic, account_record_id as account, user_token as token, record_id from bw_queue_history
  order by record_id`;

export interface EntryToken {
  readonly topic: string;
  readonly account: number | null;
  readonly token: string;
}

/** Whose call caused each entry that the database holds, finished or not, of both kinds. */
export async function entryTokens(database: TestDatabase): Promise<readonly EntryToken[]> {
  const rows = await rowsOf(database, TOKENS);
  return rows.map(({ topic, account, token }) => ({
    topic: String(topic),
    account: account === null ? null : Number(account),
    token: String(token),
  }));
}

type Row = Readonly<Record<string, unknown>>;

/** What one reading statement finds, on a connection of its own beside the engine. */
export async function rowsOf(database: TestDatabase, statement: string): Promise<readonly Row[]> {
  return database.kind === 'sqlite'
    ? sqliteRows(database.path, statement)
    : postgresqlRows(database.url, statement);
}

/**
 * By the library that the engine uses too: another one in the same process would take the engine's locks of the file away
 * when it closes it, and cut the shared memory off that the engine has mapped.
 */
async function sqliteRows(path: string, statement: string): Promise<readonly Row[]> {
  const orm = new MikroORM({ entities: [], discovery: { warnWhenNoEntities: false }, dbName: path });
  try {
    await orm.connect();
    return await orm.em.getConnection().execute<Row[]>(statement);
  } finally {
    await orm.close(true);
  }
}

async function postgresqlRows(url: string, statement: string): Promise<readonly Row[]> {
  const client = new Client(reachingEveryTenant(url));
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
