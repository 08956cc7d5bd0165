import '../supported-node.ts';
import { randomUUID } from 'node:crypto';
import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { assertInvariant } from '../../lib/values/errors/index.ts';
import type { PgClient } from './hosts/pg-client.ts';
import type { PrismaTransaction } from './hosts/prisma.ts';
import type { DrizzleTransaction, KnexTransaction, KyselyTransaction } from './hosts/query-builders.ts';
import type { SqlTransaction } from './hosts/sql-transaction.ts';
import { migrations } from './migrations/postgresql/index.ts';
import { batchedTransactions } from './postgresql/batched-transactions.ts';
import { citusDialect, citusTransactions, FIND_CITUS } from './postgresql/citus.ts';
import { type ConnectionUrl, isPostgresqlUrl, parseConnectionUrl } from './postgresql/connection-url.ts';
import { HOME_SCHEMA, postgresqlDialect } from './postgresql/dialect.ts';
import { type ClientPool, QueueListener } from './postgresql/queue-listener.ts';
import { connectTo, ServerHosts } from './postgresql/server-hosts.ts';
import { type ServerAddress, ServerWatch } from './postgresql/server-watch.ts';
import { TENANT_SETTING } from './postgresql/tenant-policy.ts';
import { postgresqlTransactions } from './postgresql/transactions.ts';
import { applyMigrations } from './session/migrator.ts';
import { MikroOrmStorage, type StorageParts } from './session/mikro-orm-storage.ts';
import { type Connection, compileStatement, EVERY_TENANT, type Transactions } from './sql/connection.ts';
import type { Trace } from './sql/runner.ts';
import { defineEntities } from './tables/entities.ts';
import { ARE_TENANTS_MOVING } from './tables/moves.ts';

/**
 * Milliseconds without traffic after which the operating system checks a connection. This matters for connections that
 * only listen.
 */
const KEEP_ALIVE_MS = 5_000;

export type {
  DrizzleTransaction,
  KnexTransaction,
  KyselyTransaction,
  PgClient,
  PrismaTransaction,
  SqlTransaction,
};

/** Handles through which the engine can join a host's transaction on the engine's PostgreSQL database. */
export type PostgresqlHost =
  | SqlEntityManager
  | PgClient
  | KyselyTransaction
  | KnexTransaction
  | DrizzleTransaction
  | PrismaTransaction
  | SqlTransaction;

export interface PostgresqlOptions {
  /**
   * `postgresql://user:password@host:port/database`, with options of the driver `pg` such as `?sslmode=verify-full`
   * (TLS; `sslrootcert` is the file of your own certificate authority) or `?host=/run/postgresql` (the folder of a
   * socket). With several hosts, such as `user@one:5432,two:5432/database?target_session_attrs=read-write`, each
   * connection goes to the first host that accepts writes.
   */
  readonly url: string;
  /** Maximum number of connections, at least 2. Defaults to 10. One additional connection listens to other nodes. */
  readonly poolSize?: number;
  /** If true, `prepare` updates the schema. If false (the default), `prepare` rejects an outdated schema. */
  readonly migrate?: boolean;
  /**
   * If true, `prepare` rejects a database role that bypasses row-level security. If false (the default), the engine
   * only logs a warning.
   */
  readonly requireRowSecurity?: boolean;
  /**
   * If true (the default), connections keep the plans of statements. Set this to false for a pooler that assigns a
   * connection per transaction and does not support prepared statements (PgBouncer before 1.21).
   */
  readonly keepsPlans?: boolean;
  /**
   * If true (the default), concurrent statements share a round trip. This uses internals of the driver `pg`. Set this
   * to false if a new version of the driver is incompatible.
   */
  readonly batchesStatements?: boolean;
  /** Called with each statement and its parameters, for diagnosis. The parameters include personal data. */
  readonly trace?: Trace;
}

/** Options for a host that passes its MikroORM instance. */
export type PostgresqlHostOptions = Pick<PostgresqlOptions, 'migrate' | 'requireRowSecurity'>;

const defaultPoolSize = 10;
/** Minimum size of the pool. A migration holds its lock on one connection and works on another. */
const smallestPoolSize = 2;
/** First key of the migration lock: the letters "bwmi". The second key is the hash of the schema. */
const MIGRATION_LOCKS = 0x62_77_6d_69;

/**
 * Storage in a PostgreSQL database, shared by any number of nodes.
 *
 * Accepts a connection URL, options, or the host's MikroORM instance, whose pool it then shares. `within(handle)` joins
 * host transactions on the same database, begun with that instance, a client of `pg`, Kysely, Knex, Drizzle or Prisma
 * (`PostgresqlHost`). If MikroORM generates the host's migrations, exclude our tables with `schemaGenerator: {
 * skipTables: [/^bw_/] }`. `prepare` rejects an outdated schema and names the command `billwright migrate`, unless
 * `migrate` is true. Migrating creates the extension `pg_trgm` if the role may, for text searches of accounts; without
 * it, these searches read all accounts of the tenant.
 *
 * @throws TypeError for an invalid URL.
 * @example const billing = await Billing.open({ storage: postgresql('postgresql://billwright:secret@localhost/billwright') });
 */
export function postgresql(
  source: string | PostgresqlOptions | MikroORM,
  hostOptions: PostgresqlHostOptions = {},
): Storage<PostgresqlHost> {
  if (source instanceof MikroORM) {
    // The host opened this instance, so the host closes it.
    return storageOver(source, {
      ...hostOptions,
      closesOrm: false,
      transactions: postgresqlTransactions(connectionOf(source)),
    });
  }
  const options = typeof source === 'string' ? { url: source } : source;
  const hosts = new ServerHosts(connectionUrlOf(options));
  const orm = openOwn(options, hosts);
  const watch = new ServerWatch(
    async () => addressOf(await poolOf(orm)),
    () => hosts.skip(),
  );
  const transactions = batchedTransactions(() => nativePoolOf(orm), {
    watch,
    keepsPlans: options.keepsPlans ?? true,
    batchesStatements: options.batchesStatements ?? true,
  });
  return storageOver(orm, { ...options, closesOrm: true, transactions });
}

/** Updates the schema of the database. Returns the names of the migrations that were run. */
export async function migrate(source: string | PostgresqlOptions): Promise<readonly string[]> {
  const options = typeof source === 'string' ? { url: source } : source;
  const orm = openOwn(options, new ServerHosts(connectionUrlOf(options)));
  try {
    await orm.connect();
    return await migrateOver(orm);
  } finally {
    await orm.close(true);
  }
}

function storageOver(
  orm: MikroORM,
  options: PostgresqlHostOptions & {
    readonly trace?: Trace;
    readonly closesOrm: boolean;
    readonly transactions: Transactions;
  },
): Storage<PostgresqlHost> {
  const nodeTag = randomUUID();
  const listener = new QueueListener(() => poolOf(orm), nodeTag);
  let isCitus = false;
  const onCitus = citusTransactions(options.transactions);
  const parts: StorageParts = {
    connection: connectionOf(orm),
    get transactions() {
      return isCitus ? onCitus : options.transactions;
    },
    get dialect() {
      return isCitus ? citusDialect : postgresqlDialect;
    },
    get hostDialect() {
      return isCitus ? citusDialect : postgresqlDialect;
    },
    seesLock: null,
    migrations,
    migrate: options.migrate === true ? () => migrateOver(orm) : null,
    requireRowSecurity: options.requireRowSecurity === true,
    connect: async () => {
      await connectionOf(orm).ensureConnection();
      const { rows } = await connectionOf(orm).getClient().executeQuery(compileStatement(FIND_CITUS));
      isCitus = rows.length > 0;
    },
    letGo: async () => undefined,
    close: async () => {
      await listener.close();
      if (options.closesOrm) await closeOwn(orm);
    },
    poolUse: async () => {
      const { totalCount, idleCount, waitingCount } = await nativePoolOf(orm);
      return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
    },
    nodeTag,
    onSignal: (heard) => listener.listen(heard),
    reserveName: (name) => listener.reserveName(name),
    trace: options.trace,
  };
  return MikroOrmStorage.over<PostgresqlHost>(parts);
}

/** Parses the URL. Error messages do not contain the URL, because it may include a password. */
function connectionUrlOf(options: PostgresqlOptions): ConnectionUrl {
  const given: unknown = options?.url;
  const url = typeof given === 'string' && isPostgresqlUrl(given) ? parseConnectionUrl(given) : null;
  if (url !== null) return url;
  throw new TypeError(
    `postgresql() needs a URL such as postgresql://user:password@localhost:5432/billing; it received ${given ? 'something else' : given}`,
  );
}

function openOwn({ poolSize = defaultPoolSize }: PostgresqlOptions, hosts: ServerHosts): MikroORM {
  return new MikroORM({
    entities: [],
    discovery: { warnWhenNoEntities: false },
    clientUrl: hosts.url,
    // With `true`, MikroORM would create an empty database for a misspelled name if the role may create databases.
    ensureDatabase: false,
    pool: { max: Math.max(poolSize, smallestPoolSize) },
    driverOptions: {
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      onPoolCreated: (pool: object) => connectTo(hosts, pool),
    },
  });
}

/** Closes the pool of the engine's own MikroORM instance. MikroORM closes only a pool that it has used. */
async function closeOwn(orm: MikroORM) {
  const pool = await nativePoolOf(orm);
  await orm.close(true);
  if (!pool.ending) await pool.end();
}

/**
 * Migrates under a lock. If several nodes start at the same time, one of them migrates, and the others then find
 * nothing to do.
 */
async function migrateOver(orm: MikroORM): Promise<readonly string[]> {
  const connection = orm.em.getConnection();
  const [home] = await connection.execute<readonly Home[]>(HOME);
  assertInvariant(home !== undefined, 'The search path has no first schema');
  return connection.transactional(async (transaction) => {
    const lock = `select pg_advisory_xact_lock(${MIGRATION_LOCKS}, hashtext('${home.name.replaceAll("'", "''")}'))`;
    await connection.execute(lock, [], 'all', transaction);
    // This transaction ends before the migration, which uses another connection.
    if (home.is_missing) await connection.execute(`create schema if not exists ${home.quoted}`);
    const check = async () => {
      const ask = (statement: string) =>
        connection.execute<readonly object[]>(statement, [], 'all', transaction);
      await ask(`set local ${TENANT_SETTING} = '${EVERY_TENANT}'`);
      if ((await ask(`select 1 where to_regclass('bw_tenant_moves') is not null`)).length === 0) return;
      if ((await ask(`select 1 where ${ARE_TENANTS_MOVING}`)).length > 0) throw tenantsAreMoving();
    };
    return runMigrations(orm, home.name, check);
  });
}

/**
 * Returns the error for a migration during a move. A migration cannot change the rows of tenants whose writes are
 * rejected.
 */
function tenantsAreMoving() {
  return new Error(
    'The database cannot be migrated while tenants move to or from it: finish or undo their moves, which "billwright cells" lists, and migrate again',
  );
}

interface Home {
  readonly name: string;
  readonly quoted: string;
  readonly is_missing: boolean;
}

const HOME = `select name, quote_ident(name) as quoted, to_regnamespace(quote_ident(name)) is null as is_missing
  from (select ${HOME_SCHEMA} as name) as home`;

async function runMigrations(
  orm: MikroORM,
  schema: string,
  check: () => Promise<void>,
): Promise<readonly string[]> {
  return applyMigrations({
    open: (options) =>
      new MikroORM({
        ...options,
        dbName: orm.config.get('dbName') ?? '',
        schema,
        driverOptions: orm.em.getConnection().getClient(),
      }),
    entities: defineEntities(postgresqlDialect),
    migrations: migrations.map(reachingEveryTenant),
    check,
  });
}

/** Gives a data migration access to the rows of all tenants. */
function reachingEveryTenant({ name, class: HostInput }: MigrationObject): MigrationObject {
  return {
    name,
    class: class extends HostInput {
      override up(): void | Promise<void> {
        if (this instanceof Migration) this.addSql(`set local ${TENANT_SETTING} = '${EVERY_TENANT}'`);
        return super.up();
      }
    },
  };
}

async function nativePoolOf(orm: MikroORM) {
  return orm.em.getConnection().getNativeClient();
}

async function poolOf(orm: MikroORM): Promise<ClientPool> {
  const pool = await nativePoolOf(orm);
  // The pool's type declarations do not include its client class.
  return { options: pool.options, Client: Reflect.get(pool, 'Client') as ClientPool['Client'] };
}

function addressOf({ Client, options }: ClientPool): ServerAddress {
  const { host, port } = new Client(options);
  return { host, port };
}

function connectionOf(orm: MikroORM): Connection {
  return orm.em.getConnection('write');
}
