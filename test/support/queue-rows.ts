import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { TestDatabase } from './databases.ts';

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
  const rows = database.kind === 'sqlite' ? sqliteRows(database.path) : await postgresqlRows(database.url);
  return rows.map(({ topic, state }) => ({ topic, state }));
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

function sqliteRows(path: string): readonly StoredEvent[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database
      .prepare(STATEMENT)
      .all()
      .map(({ topic, state }) => ({ topic: String(topic), state: String(state) }));
  } finally {
    database.close();
  }
}

async function postgresqlRows(url: string): Promise<readonly StoredEvent[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<StoredEvent>(STATEMENT)).rows;
  } finally {
    await client.end();
  }
}
