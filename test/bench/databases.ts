import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { type DatabaseKind, databaseKinds } from '../support/databases.ts';
import { type PostgresqlServer, startPostgresql } from '../support/postgresql-server.ts';
import type { BenchDatabase } from './bench-database.ts';
import { openRows, type Rows } from './rows.ts';

export { type DatabaseKind, databaseKinds };

/** Databases on the local disk with their default durability settings. */
export interface BenchDatabases {
  fresh(kind: DatabaseKind): Promise<BenchDatabase>;
  copyOf(template: BenchDatabase): Promise<BenchDatabase>;
  remove(database: BenchDatabase): Promise<void>;
  /** The settings that determine the durability of a commit, by database. */
  durability(): Promise<Readonly<Record<DatabaseKind, string>>>;
  close(): Promise<void>;
}

const durabilitySettings = ['fsync', 'synchronous_commit', 'full_page_writes', 'wal_level', 'shared_buffers'];

const sqliteSuffixes = ['', '-wal', '-shm', '.lock', '.sandbox'];

export interface BenchDatabasesOptions {
  readonly durable: boolean;
}

export function benchDatabases({ durable }: BenchDatabasesOptions): BenchDatabases {
  const directory = mkdtemp(join(tmpdir(), 'billwright-bench-'));
  let starting: Promise<PostgresqlServer> | undefined;
  const migrated = new Map<DatabaseKind, Promise<BenchDatabase>>();
  let made = 0;

  const server = (): Promise<PostgresqlServer> => {
    starting ??= startPostgresql({ durable });
    return starting;
  };
  const next = async (kind: DatabaseKind): Promise<{ name: string; database: BenchDatabase }> => {
    const name = `bench_${++made}`;
    const location = kind === 'sqlite' ? join(await directory, `${name}.db`) : (await server()).url(name);
    return { name, database: { kind, location } };
  };

  const migrate = async (kind: DatabaseKind): Promise<BenchDatabase> => {
    const { name, database } = await next(kind);
    if (kind === 'postgresql') await (await server()).administer(`CREATE DATABASE ${name} OWNER billwright`);
    const storage =
      kind === 'sqlite' ? sqlite(database.location) : postgresql({ url: database.location, migrate: true });
    await storage.prepare();
    await storage.close();
    return database;
  };
  const copy = async (template: BenchDatabase, strategy: 'FILE_COPY' | 'WAL_LOG'): Promise<BenchDatabase> => {
    const { name, database } = await next(template.kind);
    if (template.kind === 'sqlite') await copyDurably(template.location, database.location);
    else {
      const options = `OWNER billwright TEMPLATE ${nameOf(template)} STRATEGY ${strategy}`;
      await (await server()).administer(`CREATE DATABASE ${name} ${options}`);
    }
    return database;
  };

  return {
    async fresh(kind) {
      const template = migrated.get(kind) ?? migrate(kind);
      migrated.set(kind, template);
      return copy(await template, 'WAL_LOG');
    },
    // A filled database is copied as files and flushed. Otherwise, the first checkpoint would wait until the disk has
    // written all of the history.
    copyOf: (template) => copy(template, 'FILE_COPY'),
    async remove(database) {
      if (database.kind === 'postgresql') {
        await (await server()).administer(`DROP DATABASE IF EXISTS ${nameOf(database)} WITH (FORCE)`);
        return;
      }
      for (const suffix of sqliteSuffixes) await rm(`${database.location}${suffix}`, { force: true });
    },
    async durability() {
      const rows = await (await server()).administer(
        `SELECT name, setting || coalesce(unit, '') AS setting FROM pg_settings
         WHERE name IN (${durabilitySettings.map((name) => `'${name}'`).join(', ')}) ORDER BY name`,
      );
      const settings = rows.map(({ name, setting }) => `${String(name)}=${String(setting)}`);
      return {
        sqlite: 'journal_mode=wal synchronous=normal, the storage’s default',
        postgresql: `${settings.join(' ')}${durable ? ', the server’s defaults' : ''}`,
      };
    },
    async close() {
      await (await starting)?.stop();
      await rm(await directory, { recursive: true, force: true });
    },
  };
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const file = await open(to, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

export function storageAt({ kind, location }: BenchDatabase): Storage<never> {
  return kind === 'sqlite' ? sqlite(location) : postgresql(location);
}

/** Opens the storage and passes the text of every statement to `trace`. */
export function tracedStorage(
  { kind, location }: BenchDatabase,
  trace: (text: string) => void,
): Storage<never> {
  return kind === 'sqlite' ? sqlite({ path: location, trace }) : postgresql({ url: location, trace });
}

/** Reads or changes database rows outside the engine: for seeds, result checks and ceilings. */
export async function withRows<T>(database: BenchDatabase, work: (rows: Rows) => Promise<T>): Promise<T> {
  const rows = await openRows(database);
  try {
    return await work(rows);
  } finally {
    await rows.close();
  }
}

function nameOf({ location }: BenchDatabase): string {
  return new URL(location).pathname.slice(1);
}
