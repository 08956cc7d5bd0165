import { MikroORM } from '@mikro-orm/sqlite';
import { Client } from 'pg';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { reachingEveryTenant, type TestDatabase } from './databases.ts';
import { storageOf } from './storage.ts';

export interface FillableStorage {
  readonly storage: Storage<never>;
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
  /** Closes the connections that the storage does not own. */
  end(): Promise<void>;
}

export async function fillable(database: TestDatabase): Promise<FillableStorage> {
  return database.kind === 'sqlite' ? fillableFile(database.path) : fillableServer(database);
}

/** A page limit makes SQLite fail with SQLITE_FULL, as a full disk does. */
async function fillableFile(path: string): Promise<FillableStorage> {
  const orm = new MikroORM({ entities: [], discovery: { warnWhenNoEntities: false }, dbName: path });
  await orm.connect();
  const storage = sqlite(orm);
  const run = (statement: string) => orm.em.getConnection().execute<Record<string, number>[]>(statement);
  await run('pragma journal_mode = wal');
  return {
    storage,
    fill: async () => {
      const [row] = await run('pragma page_count');
      await run(`pragma max_page_count = ${row?.page_count}`);
    },
    makeRoom: async () => {
      await run('pragma max_page_count = 1000000');
    },
    end: () => orm.close(true),
  };
}

/** Two tables raise the error of a full disk. */
async function fillableServer(database: TestDatabase & { kind: 'postgresql' }): Promise<FillableStorage> {
  const client = new Client(reachingEveryTenant(database.url));
  await client.connect();
  await client.query(`create function no_space() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
  const tables = ['bw_accounts', 'bw_queue_history', 'bw_invoices'];
  const each = async (statementOf: (table: string) => string): Promise<void> => {
    for (const table of tables) await client.query(statementOf(table));
  };
  return {
    storage: storageOf(database),
    fill: () =>
      each(
        (table) =>
          `create or replace trigger ${table}_full before insert or update on ${table} execute function no_space()`,
      ),
    makeRoom: () => each((table) => `drop trigger if exists ${table}_full on ${table}`),
    end: () => client.end(),
  };
}
