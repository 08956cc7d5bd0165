import { MikroORM } from '@mikro-orm/sqlite';
import { Client } from 'pg';
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
  if (database.kind === 'postgresql') return postgresqlRows(database.url, statement);
  return (await beside(database)).em.getConnection().execute<Row[]>(statement);
}

/**
 * By the library that the engine uses too: another one in the same process would take the engine's locks of the file away
 * when it closes it, and cut the shared memory off that the engine has mapped. It stays open for as long as the file is
 * there, since to open it costs many times what a statement does.
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
 * Statements that come by system time, however much there is to do: whether anything is left is asked by `settle` as often
 * as it takes the time to, and once a second whether leases have ended.
 */
export function isLookForWork(statement: string): boolean {
  return (
    statement.includes('select count(*) from bw_queue_entries') ||
    statement.includes("set processing_state = 'AVAILABLE'")
  );
}
