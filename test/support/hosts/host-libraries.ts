import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MikroORM as PostgresqlOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import BetterSqlite3 from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import { drizzle as drizzleOverSqlite } from 'drizzle-orm/better-sqlite3';
import { drizzle } from 'drizzle-orm/node-postgres';
import knex from 'knex';
import { CamelCasePlugin, CompiledQuery, Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import pg from 'pg';
import type { PostgresqlHost } from '../../../adapters/mikro-orm/postgresql.ts';
import type { SqliteHost } from '../../../adapters/mikro-orm/sqlite.ts';
import type { DatabaseKind, TestDatabase } from '../databases.ts';

type Opened = (place: string) => HostLibrary;

const noEntities = { entities: [], discovery: { warnWhenNoEntities: false } };

// Loaded together with this module.
const packages = { sqlite: 'adapter-better-sqlite3', postgresql: 'adapter-pg' } as const;

const onSqlite: Readonly<Record<string, Opened>> = {
  MikroORM: (dbName) => overMikroOrm(new SqliteOrm({ ...noEntities, dbName })),
  'better-sqlite3': (path) => {
    const handle = new BetterSqlite3(path);
    // A host may read all integers as BigInt.
    handle.defaultSafeIntegers(true);
    return {
      outside: [[handle, "handle.exec('begin immediate')"]],
      transaction: (work) =>
        ended(handle.exec.bind(handle), 'begin immediate', () =>
          work(handle, async (text) => handle.exec(text)),
        ),
      close: async () => void handle.close(),
    };
  },
  Kysely: (path) => {
    const database = new BetterSqlite3(path);
    return overKysely(
      new Kysely({ dialect: new SqliteDialect({ database }), plugins: [new CamelCasePlugin()] }),
    );
  },
  Knex: (filename) =>
    overKnex(knex({ client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true })),
  Drizzle: (path) => {
    const db = drizzleOverSqlite(path);
    return {
      outside: [[db, 'open transaction']],
      transaction: (work) =>
        ended(
          (text) => db.run(sql.raw(text)),
          'begin immediate',
          () => work(db.$client, async (text) => db.run(sql.raw(text))),
        ),
      close: async () => void db.$client.close(),
    };
  },
  ...(await prismaOn('sqlite')),
};

const onPostgresql: Readonly<Record<string, Opened>> = {
  MikroORM: (clientUrl) => overMikroOrm(new PostgresqlOrm({ ...noEntities, clientUrl })),
  pg: (connectionString) => {
    // A host may read amounts as doubles, and large integers as BigInt.
    const types = new pg.TypeOverrides();
    types.setTypeParser(pg.types.builtins.NUMERIC, Number.parseFloat);
    types.setTypeParser(pg.types.builtins.INT8, BigInt);
    const pool = new pg.Pool({ connectionString, types });
    return {
      outside: [[pool, 'a pg pool']],
      transaction: async (work) => {
        const client = await pool.connect();
        try {
          return await ended(
            (text) => client.query(text),
            'begin',
            () => work(client, (text) => client.query(text)),
          );
        } finally {
          client.release();
        }
      },
      close: () => pool.end(),
    };
  },
  Kysely: (connectionString) => {
    const pool = new pg.Pool({ connectionString });
    return overKysely(
      new Kysely({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] }),
    );
  },
  Knex: (connection) => overKnex(knex({ client: 'pg', connection })),
  Drizzle: (connectionString) => {
    const pool = new pg.Pool({ connectionString });
    const db = drizzle(pool);
    return {
      outside: [[db, 'db.transaction(']],
      transaction: (work) => db.transaction((tx) => work(tx, (text) => tx.execute(sql.raw(text)))),
      close: () => pool.end(),
    };
  },
  ...(await prismaOn('postgresql')),
};

/** Names of the libraries with which Billwright can share a transaction, by database. */
export const hostLibraries: Readonly<Record<DatabaseKind, readonly string[]>> = {
  sqlite: Object.keys(onSqlite),
  postgresql: Object.keys(onPostgresql),
};

export function openHostLibrary(name: string, database: TestDatabase): HostLibrary {
  const open = database.kind === 'sqlite' ? onSqlite[name] : onPostgresql[name];
  if (open === undefined) throw new Error(`${name} does not reach ${database.kind}`);
  return open(database.kind === 'sqlite' ? database.path : database.url);
}

function overMikroOrm(orm: SqliteOrm | PostgresqlOrm): HostLibrary {
  return {
    outside: [[orm.em.fork(), 'em.transactional(']],
    transaction: (work) =>
      orm.em
        .fork()
        .transactional((em) =>
          work(em, (text) => em.getConnection().execute(text, [], 'all', em.getTransactionContext())),
        ),
    close: () => orm.close(true),
  };
}

function overKysely(db: Kysely<unknown>): HostLibrary {
  return {
    outside: [[db, 'db.transaction().execute(']],
    transaction: (work) =>
      db.transaction().execute((trx) => work(trx, (text) => trx.executeQuery(CompiledQuery.raw(text)))),
    close: () => db.destroy(),
  };
}

function overKnex(db: knex.Knex): HostLibrary {
  return {
    outside: [[db, 'knex.transaction(']],
    transaction: (work) => db.transaction((trx) => work(trx, async (text) => trx.raw(text))),
    close: () => db.destroy(),
  };
}

/** Begins a transaction, runs the work, and commits or rolls back. */
async function ended<T>(run: (text: string) => unknown, beginning: string, work: () => Promise<T>) {
  await run(beginning);
  try {
    const result = await work();
    await run('commit');
    return result;
  } catch (error) {
    await run('rollback');
    throw error;
  }
}

/** A library through which applications use their database, with its own connections. */
export interface HostLibrary {
  /** Handles without a transaction, and a part of the error message. */
  readonly outside: readonly (readonly [handle: unknown, words: string])[];
  /** Runs `work` in a transaction of the library, and ends it afterward. */
  transaction<T>(work: (handle: SqliteHost | PostgresqlHost, run: Run) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

type Run = (statement: string) => Promise<unknown>;

interface PrismaClient {
  $transaction<T>(work: (tx: PrismaTx) => Promise<T>, limits: { readonly timeout: number }): Promise<T>;
  $disconnect(): Promise<void>;
}

type PrismaTx = (SqliteHost | PostgresqlHost) & {
  $queryRawUnsafe(text: string): Promise<readonly object[]>;
  $executeRawUnsafe(text: string): Promise<number>;
};

interface Adapters {
  PrismaBetterSqlite3: new (options: { readonly url: string }) => object;
  PrismaPg: new (options: { readonly connectionString: string }) => object;
}

/**
 * Returns Prisma's client for a database kind, or nothing if it is not installed. It is generated and needs 300 MB, so
 * `test/package/prisma.check.ts` generates it, and sets `BILLWRIGHT_TEST_PRISMA` to its directory.
 */
export async function prismaOn(kind: DatabaseKind): Promise<Record<string, (place: string) => HostLibrary>> {
  const directory = process.env.BILLWRIGHT_TEST_PRISMA;
  if (directory === undefined) return {};
  const load = (...path: readonly string[]) => import(pathToFileURL(join(directory, ...path)).href);
  const { PrismaClient } = (await load(kind, 'client', 'client.ts')) as {
    readonly PrismaClient: new (options: { readonly adapter: object }) => PrismaClient;
  };
  const adapters: Adapters = await load('node_modules', '@prisma', packages[kind], 'dist', 'index.mjs');
  const adapterTo = (place: string): object =>
    kind === 'sqlite'
      ? new adapters.PrismaBetterSqlite3({ url: place })
      : new adapters.PrismaPg({ connectionString: place });
  return { Prisma: (place) => overPrisma(new PrismaClient({ adapter: adapterTo(place) })) };
}

function overPrisma(client: PrismaClient): HostLibrary {
  return {
    outside: [[client, 'prisma.$transaction(']],
    transaction: (work) =>
      client.$transaction(
        (tx) =>
          work(tx, (text) =>
            text.startsWith('select') ? tx.$queryRawUnsafe(text) : tx.$executeRawUnsafe(text),
          ),
        { timeout: 60_000 },
      ),
    close: () => client.$disconnect(),
  };
}
