import '../supported-node.ts';
import { MikroORM, type SqlEntityManager } from '@mikro-orm/sqlite';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { SQLITE_BUSY_TIMEOUT_MS } from '../../lib/values/limits.ts';
import type { SqliteHandle } from './hosts/better-sqlite3.ts';
import type { PrismaTransaction } from './hosts/prisma.ts';
import type { KnexTransaction, KyselyTransaction } from './hosts/query-builders.ts';
import type { SqlTransaction } from './hosts/sql-transaction.ts';
import { migrations } from './migrations/sqlite/index.ts';
import { applyMigrations } from './session/migrator.ts';
import { MikroOrmStorage, type StorageParts } from './session/mikro-orm-storage.ts';
import { type Connection, compileStatement, plainTransactions, type Transaction } from './sql/connection.ts';
import type { Trace } from './sql/runner.ts';
import { copyOnline, lockNode, makePrivately, type Release, seesLock } from './sqlite/database-file.ts';
import { sqliteDialect } from './sqlite/dialect.ts';
import { keepPrepared, lendingDialect, lendRows } from './sqlite/lent-rows.ts';
import { defineEntities } from './tables/entities.ts';

/**
 * Number of pages between checkpoints: 32 MiB in pages of 4 KiB, eight times the default of SQLite. A checkpoint writes
 * each changed page only once. In an older database, the pages that a run changes are farther apart.
 */
const pagesToCheckpoint = 8_192;
/** Size of the page cache in KiB. The cache can hold the inner index pages of a few million rows. */
const cacheKib = 16_384;

export type { KnexTransaction, KyselyTransaction, PrismaTransaction, SqliteHandle, SqlTransaction };

/** Handles through which the engine can join a host's transaction on the engine's SQLite database. */
export type SqliteHost =
  | SqlEntityManager
  | SqliteHandle
  | KyselyTransaction
  | KnexTransaction
  | PrismaTransaction
  | SqlTransaction;

export interface SqliteOptions {
  /** Path of the database file. The file is created if it is missing. `:memory:` keeps all data in the process. */
  readonly path: string;
  /**
   * NORMAL (the default) may lose the last commits in a power failure, but the database is never corrupted. FULL loses
   * no commits.
   */
  readonly synchronous?: 'NORMAL' | 'FULL';
  /**
   * If true, reads an existing file while another node owns it, without a lock or schema changes. Defaults to false.
   */
  readonly readOnly?: boolean;
  /** If true (the default), `prepare` updates the schema. */
  readonly migrate?: boolean;
  /** Called with each statement and its parameters, for diagnosis. The parameters include personal data. */
  readonly trace?: Trace;
}

/**
 * Storage in one SQLite file, for one node, with WAL, foreign keys and a lock file beside it. Only the owner
 * can read the files that it creates (mode 0600).
 *
 * Accepts a file path, options, or the host's MikroORM instance, whose connection the storage then shares:
 * `within(em)` joins the host's transactions, and the host sets the pragmas. If MikroORM generates the host's
 * migrations, exclude our tables with `schemaGenerator: { skipTables: [/^bw_/] }`.
 *
 * With a path, `within(handle)` joins transactions on the host's own connections to the same file: of a
 * `better-sqlite3` handle, Kysely, Knex, Drizzle or Prisma (`SqliteHost`). SQLite has one writer at a time,
 * so all other writes of the engine wait for such a transaction, up to 5 s: begin it with `begin immediate`
 * and end it soon.
 *
 * All calls share one connection, so never call the storage from inside one of its own sessions: it would
 * wait for itself.
 *
 * @throws TypeError for an invalid path, such as a URL that begins with `file:`.
 * @example const billing = await Billing.open({ storage: sqlite('billing.db') });
 */
export function sqlite(source: string | SqliteOptions | MikroORM): Storage<SqliteHost> {
  if (source instanceof MikroORM) return hostStorage(source);
  const options = typeof source === 'string' ? { path: source } : source;
  // Prisma and other libraries use URLs, but SQLite would treat a URL as a file name.
  const path: unknown = options?.path;
  if (typeof path !== 'string' || path === '' || path.startsWith('file:'))
    throw new TypeError(`sqlite() needs the path of a file, such as "billing.db"; it received ${path}`);
  return ownStorage(options);
}

/** Updates the schema of the database. Returns the names of the migrations that were run. */
export async function migrate(source: string | SqliteOptions): Promise<readonly string[]> {
  const options = typeof source === 'string' ? { path: source } : source;
  const opened = openOwn(options);
  await opened.connect();
  try {
    return await migrateOver(opened.orm);
  } finally {
    await opened.close();
  }
}

/**
 * Copies a snapshot of the database to a new file, while the owning process continues. Only the owner of the new file
 * can read the copy. Encrypted data can be read only with its key.
 * @throws Error if `to` exists or the copy fails. A failed copy is removed.
 */
export async function backup({ path, to }: { readonly path: string; readonly to: string }): Promise<void> {
  const { orm, connect, close } = openOwn({ path, readOnly: true });
  await connect();
  try {
    await copyOnline(await orm.em.getConnection().getNativeClient(), to);
  } finally {
    await close();
  }
}

function ownStorage(options: SqliteOptions): Storage<SqliteHost> {
  const { orm, connect, close } = openOwn(options);
  const migrates = options.migrate !== false && options.readOnly !== true;
  const { trace } = options;
  return storageOver(orm, { dialect: lendingDialect, connect, letGo: close, close, migrates, trace });
}

function hostStorage(orm: MikroORM): Storage<SqliteHost> {
  // The host opened this instance, so the host closes it.
  const stayOpen = async (): Promise<void> => undefined;
  return storageOver(orm, {
    dialect: sqliteDialect,
    connect: () => connectionOf(orm).ensureConnection(),
    letGo: stayOpen,
    close: stayOpen,
    migrates: true,
    trace: undefined,
  });
}

function storageOver(
  orm: MikroORM,
  input: Pick<StorageParts, 'dialect' | 'connect' | 'letGo' | 'close' | 'trace'> & {
    readonly migrates: boolean;
  },
): Storage<SqliteHost> {
  const { migrates, ...parts } = input;
  return MikroOrmStorage.over<SqliteHost>({
    ...parts,
    connection: connectionOf(orm),
    transactions: plainTransactions(connectionOf(orm)),
    hostDialect: sqliteDialect,
    seesLock: (host) => seesLockOf(host, orm),
    migrations,
    migrate: migrates ? () => migrateOver(orm) : null,
    poolUse: async () => null,
    requireRowSecurity: false,
    nodeTag: '',
    // No other process writes to the file, and `onCommit` signals the commits of this process.
    onSignal: () => () => undefined,
    // The lock of the database file keeps other nodes away, regardless of their names.
    reserveName: async () => 'HELD',
  });
}

function openOwn(options: SqliteOptions) {
  const { path, synchronous = 'NORMAL', readOnly = false } = options;
  const orm = new MikroORM({
    entities: [],
    discovery: { warnWhenNoEntities: false },
    dbName: path,
    driverOptions: {
      timeout: SQLITE_BUSY_TIMEOUT_MS,
      ...(readOnly ? { readonly: true, fileMustExist: true } : {}),
    },
  });
  let release: Release = async () => undefined;
  const close = async (): Promise<void> => {
    await orm.close(true);
    await release();
    release = async () => undefined;
  };
  const prepare = async (): Promise<void> => {
    await orm.connect();
    const connection = orm.em.getConnection();
    const database = await connection.getNativeClient();
    keepPrepared(database);
    lendRows(database);
    if (!readOnly) {
      await connection.execute('pragma journal_mode = wal');
      await connection.execute(`pragma wal_autocheckpoint = ${pagesToCheckpoint}`);
    }
    await connection.execute(`pragma cache_size = -${cacheKib}`);
    await connection.execute(`pragma synchronous = ${synchronous === 'FULL' ? 'full' : 'normal'}`);
  };
  return {
    orm,
    connect: async (): Promise<void> => {
      if (path !== ':memory:' && !readOnly) {
        release = await lockNode(path);
        makePrivately(path);
      }
      try {
        await prepare();
      } catch (cause) {
        await close();
        throw errorWithPath(path, cause);
      }
    },
    close,
  };
}

/** Adds the file name to an error, because SQLite's own message does not contain it. */
function errorWithPath(path: string, cause: unknown): unknown {
  const isUnread =
    cause instanceof Error && /^SQLITE_(?:CANTOPEN|NOTADB|READONLY)/.test(String(Reflect.get(cause, 'code')));
  if (!isUnread) return cause;
  return new Error(`${path} cannot be opened: ${cause.message}`, { cause });
}

async function migrateOver(orm: MikroORM): Promise<readonly string[]> {
  return applyMigrations({
    open: (options) =>
      new MikroORM({
        ...options,
        dbName: orm.config.get('dbName') ?? '',
        driverOptions: orm.em.getConnection().getClient(),
      }),
    entities: defineEntities(sqliteDialect),
    migrations,
  });
}

async function seesLockOf(host: Transaction, orm: MikroORM) {
  // This statement locks the database without changing it.
  await host.executeQuery(compileStatement('delete from bw_tenants where 0'));
  return seesLock(await orm.em.getConnection().getNativeClient());
}

function connectionOf(orm: MikroORM): Connection {
  return orm.em.getConnection('write');
}
