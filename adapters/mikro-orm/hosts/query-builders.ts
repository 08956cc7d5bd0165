import { type CompiledStatement, compileStatement } from '../sql/connection.ts';
import { betterSqlite3 } from './better-sqlite3.ts';
import { cacheByKey, hasMethods, type Lender, propertyOf, type Recognise } from './lender.ts';
import { pgClient } from './pg-client.ts';
import { lenderForPool, type SqlTransaction } from './sql-transaction.ts';

/** Knex's transaction with `pg` or `better-sqlite3`, from `knex.transaction(async (trx) => …)`. */
export interface KnexTransaction {
  readonly isTransaction?: boolean | undefined;
  readonly client: unknown;
  readonly raw: unknown;
}

interface UsedKnex {
  readonly isTransaction?: boolean;
  readonly client: {
    readonly driverName: string;
    /** Returns the only connection of the transaction. */
    acquireConnection(): Promise<object>;
  };
  isCompleted(): boolean;
}

const drivers: Readonly<Record<string, Lender['database']>> = {
  pg: 'postgresql',
  'better-sqlite3': 'sqlite',
};

export const knex: Recognise = (handle) => {
  const isOne =
    hasMethods(handle, 'raw', 'transaction') && hasMethods(propertyOf(handle, 'client'), 'acquireConnection');
  if (!isOne) return undefined;
  const trx = handle as object as UsedKnex;
  const database = drivers[trx.client.driverName];
  return {
    database: database ?? 'sqlite',
    refusal: knexRefusal(trx, database !== undefined),
    lend: async () => {
      const connection = await trx.client.acquireConnection();
      const lender = pgClient(connection) ?? betterSqlite3(connection);
      if (lender === undefined) throw new TypeError(`Knex returned a connection of an unknown type`);
      const lent = await lender.lend();
      return { ...lent, isOpen: () => !trx.isCompleted() && (lent.isOpen?.() ?? true) };
    },
    onCommit: null,
  };
};

function knexRefusal(trx: UsedKnex, isKnown: boolean): string | null {
  if (trx.isTransaction !== true) {
    return 'within(trx) received a Knex instance outside of a transaction: call it inside knex.transaction(async (trx) => …), with that trx';
  }
  if (trx.isCompleted()) return 'within(trx) received a Knex transaction that has already ended';
  return isKnown
    ? null
    : `within(trx) supports Knex transactions with the drivers pg and better-sqlite3; this one uses ${trx.client.driverName}`;
}

/** Kysely's transaction, from `db.transaction().execute(async (trx) => …)`. */
export interface KyselyTransaction {
  readonly isTransaction: boolean;
  readonly executeQuery: unknown;
  readonly getExecutor: unknown;
}

interface UsedKysely {
  readonly isTransaction: boolean;
  /** True after the commit. Present only if the host itself ends the transaction. */
  readonly isCommitted?: boolean;
  readonly isRolledBack?: boolean;
  getExecutor(): { readonly adapter: object };
  withoutPlugins(): UsedKysely;
  executeQuery(statement: CompiledStatement): Promise<{
    readonly rows: readonly object[];
    readonly numAffectedRows?: bigint;
  }>;
}

export const kysely: Recognise = (handle) => {
  const isOne =
    hasMethods(handle, 'executeQuery', 'getExecutor', 'withoutPlugins') &&
    typeof propertyOf(handle, 'isTransaction') === 'boolean';
  if (!isOne) return undefined;
  const trx = handle as UsedKysely;
  const database = databaseOf(trx);
  return database === null
    ? undefined
    : { ...lenderForPool(lendingOf(trx)), database, refusal: kyselyRefusal(trx) };
};

function kyselyRefusal(trx: UsedKysely): Lender['refusal'] {
  if (!trx.isTransaction) {
    return 'within(trx) received a Kysely instance outside of a transaction: call it inside db.transaction().execute(async (trx) => …), with that trx';
  }
  return trx.isCommitted || trx.isRolledBack
    ? 'within(trx) received a Kysely transaction that has already ended'
    : null;
}

function databaseOf(trx: UsedKysely): Lender['database'] | null {
  const { name } = trx.getExecutor().adapter.constructor;
  if (/sqlite/i.test(name)) return 'sqlite';
  return /postgres/i.test(name) ? 'postgresql' : null;
}

const lendingOf = cacheByKey((trx: UsedKysely): SqlTransaction => {
  // The host's plugins could rename our columns.
  const plain = trx.withoutPlugins();
  return {
    dialect: databaseOf(trx) ?? 'postgresql',
    query: async (text, values) => {
      const { rows, numAffectedRows } = await plain.executeQuery(compileStatement(text, values));
      return { rows, rowCount: numAffectedRows };
    },
  };
});

/** Drizzle's transaction with `pg`, from `db.transaction(async (tx) => …)`. */
export interface DrizzleTransaction {
  readonly _: { readonly session: unknown };
  rollback(): never;
}

/**
 * Recognizes Drizzle with `pg`. With `better-sqlite3`, Drizzle's transactions cannot await anything, so the host must
 * begin a transaction on the handle `db.$client`.
 */
export const drizzle: Recognise = (handle) => {
  const session = propertyOf(propertyOf(handle, '_'), 'session') ?? propertyOf(handle, 'session');
  if (session === undefined || !hasMethods(handle, 'select', 'insert')) return undefined;
  const client = propertyOf(session, 'client');
  const lender = pgClient(client) ?? betterSqlite3(client);
  if (lender !== undefined) return lender;
  return { ...refusing, refusal: drizzleRefusal(handle) };
};

const refusing: Omit<Lender, 'refusal'> = {
  database: 'postgresql',
  lend: () => Promise.reject(new TypeError('This handle has no transaction')),
  onCommit: null,
};

function drizzleRefusal(handle: object) {
  return hasMethods(handle, 'rollback')
    ? 'within(tx) supports Drizzle transactions with the drivers pg and better-sqlite3; this one uses a different driver'
    : 'within(tx) received a Drizzle database outside of a transaction: call it inside db.transaction(async (tx) => …), with that tx';
}
