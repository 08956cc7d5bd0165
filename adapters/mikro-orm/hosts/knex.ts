import { betterSqlite3 } from './better-sqlite3.ts';
import { hasMethods, type Lender, propertyOf, type Recognise } from './lender.ts';
import { pgClient } from './pg-client.ts';

/** Knex's transaction, as `knex.transaction(async (trx) => …)` gives it, over `pg` or `better-sqlite3`. */
export interface KnexTransaction {
  readonly isTransaction?: boolean | undefined;
  readonly client: unknown;
  readonly raw: unknown;
}

/** The parts of it that are used. */
interface UsedKnex {
  readonly isTransaction?: boolean;
  readonly client: {
    readonly driverName: string;
    /** Of a transaction, the one connection that it has. */
    acquireConnection(): Promise<object>;
  };
  isCompleted(): boolean;
}

const drivers: Readonly<Record<string, Lender['database']>> = {
  pg: 'postgresql',
  'better-sqlite3': 'sqlite',
};

/** Knex, inside a transaction or outside. */
export const knex: Recognise = (handle) => {
  const isOne =
    hasMethods(handle, 'raw', 'transaction') && hasMethods(propertyOf(handle, 'client'), 'acquireConnection');
  if (!isOne) return undefined;
  const trx = handle as object as UsedKnex;
  const database = drivers[trx.client.driverName];
  return {
    database: database ?? 'sqlite',
    refusal: refusalOf(trx, database !== undefined),
    lend: async () => {
      const connection = await trx.client.acquireConnection();
      const lender = pgClient(connection) ?? betterSqlite3(connection);
      if (lender === undefined) throw new TypeError(`Knex has lent a connection of an unknown kind`);
      const lent = await lender.lend();
      return { ...lent, isOpen: () => !trx.isCompleted() && (lent.isOpen?.() ?? true) };
    },
    onCommit: null,
  };
};

function refusalOf(trx: UsedKnex, isKnown: boolean): string | null {
  if (trx.isTransaction !== true) {
    return 'within(trx) was given Knex outside a transaction: call it inside knex.transaction(async (trx) => …), with that trx';
  }
  if (trx.isCompleted()) return 'within(trx) was given a Knex transaction that has ended already';
  return isKnown
    ? null
    : `within(trx) can join transactions of Knex over the drivers pg and better-sqlite3; this one is over ${trx.client.driverName}`;
}
