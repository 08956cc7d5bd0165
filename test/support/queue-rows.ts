import { MikroORM } from '@mikro-orm/sqlite';
import { Client } from 'pg';
import { cellsWith } from './cells.ts';
import { endWith, reachingEveryTenant, type TestDatabase } from './databases.ts';

export interface StoredEvent {
  readonly topic: string;
  readonly state: string;
}

const STATEMENT = `
  select topic, processing_state as state, record_id from bw_queue_entries where kind = 'BUS'
  union all
  select topic, processing_state as state, record_id from bw_queue_history where kind = 'BUS'
  order by record_id`;

/** Returns every bus event in the database, finished or not, in storage order. */
export async function busEvents(database: TestDatabase): Promise<readonly StoredEvent[]> {
  const rows = await rowsOf(database, STATEMENT);
  return rows.map(({ topic, state }) => ({ topic: String(topic), state: String(state) }));
}

/**
 * Returns a function that returns the types of the events stored since its last call. On two cells, these are the events
 * of both, because new tenants of a test can be in the other cell.
 */
export function newEvents(database: TestDatabase): () => Promise<readonly string[]> {
  const seen = new Map<TestDatabase, number>();
  return async () => {
    const fresh: string[] = [];
    for (const cell of await cellsWith(database)) {
      const all = (await busEvents(cell)).map((event) => event.topic);
      fresh.push(...all.slice(seen.get(cell)));
      seen.set(cell, all.length);
    }
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

/** Returns the user token of the call that caused each entry of both kinds, finished or not. */
export async function entryTokens(database: TestDatabase): Promise<readonly EntryToken[]> {
  const rows = await rowsOf(database, TOKENS);
  return rows.map(({ topic, account, token }) => ({
    topic: String(topic),
    account: account === null ? null : Number(account),
    token: String(token),
  }));
}

type Row = Readonly<Record<string, unknown>>;

/** Returns the rows of a read statement, on a separate connection from the engine's. */
export async function rowsOf(database: TestDatabase, statement: string): Promise<readonly Row[]> {
  if (database.kind === 'postgresql') return postgresqlRows(database.url, statement);
  return (await beside(database)).em.getConnection().execute<Row[]>(statement);
}

/**
 * Uses the engine's SQLite library, because closing a file with another library in the same process would release the
 * engine's locks and its shared memory. The connection stays open as long as the file exists, because opening takes
 * many times longer than a statement.
 */
function beside(database: TestDatabase & { readonly kind: 'sqlite' }): Promise<MikroORM> {
  const known = opened.get(database.path);
  if (known !== undefined) return known;
  const orm = new MikroORM({ entities: [], discovery: { warnWhenNoEntities: false }, dbName: database.path });
  const connected = orm.connect().then(() => orm);
  opened.set(database.path, connected);
  endWith(database, async () => {
    opened.delete(database.path);
    await orm.close(true);
  });
  return connected;
}

const opened = new Map<string, Promise<MikroORM>>();

async function postgresqlRows(url: string, statement: string): Promise<readonly Row[]> {
  const client = new Client(reachingEveryTenant(url));
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Returns true for statements that depend on system time, not on work: `settle` counts the remaining work repeatedly,
 * and expired leases are searched once a second.
 */
export function isLookForWork(statement: string): boolean {
  return (
    statement.includes('select count(*) from bw_queue_entries') ||
    statement.includes("set processing_state = 'AVAILABLE'")
  );
}
