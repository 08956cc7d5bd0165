import type { Connection, Transaction } from './connection.ts';

/** Work that belongs to no tenant: the queue, tenants, users, health, migrations. */
export const EVERY_TENANT = '*';

/** Whose rows a transaction sees and writes: those of the tenant with this record id, or of all. */
export type Reach = number | typeof EVERY_TENANT;

export interface TransactionKind {
  readonly reach: Reach;
  /** A read is one snapshot. */
  readonly mode: 'read' | 'write';
}

/** What the work of a transaction has come to. */
export interface Done<T> {
  readonly result: T;
  /** Statements on which nothing depends but the commit: they may travel with it. */
  readonly last: Promise<unknown>;
}

/** How a database begins and ends transactions, and is told whose rows they reach (platform.md §2, isolation rule 2). */
export interface Transactions {
  /** Runs `work` in a transaction of its own, which commits when it resolves and rolls back when it throws. */
  run<T>(kind: TransactionKind, work: (transaction: Transaction) => Promise<Done<T>>): Promise<T>;
  /** Runs statements, each of which is a transaction by itself. */
  single(reach: Reach): Transaction;
  /** Runs `work` in a transaction of the host's, which reaches afterwards what it reached before. */
  join<T>(host: Transaction, reach: Reach, work: () => Promise<T>): Promise<T>;
}

/** Transactions of a database that knows no reach. */
export function plainTransactions(connection: Connection): Transactions {
  return {
    run: async (_kind, work) => {
      const transaction = await connection.begin();
      try {
        const { result, last } = await work(oneByOne(transaction));
        await last;
        await connection.commit(transaction);
        return result;
      } catch (error) {
        await rollBack(connection, transaction);
        throw error;
      }
    },
    single: () => connection.getClient(),
    join: async (_host, _reach, work) => work(),
  };
}

/** Statements of a connection that takes one at a time, in the order in which they are asked for. */
export function oneByOne(transaction: Transaction): Transaction {
  let latest: Promise<unknown> = Promise.resolve();
  return {
    executeQuery: (query) => {
      const next = latest.then(() => transaction.executeQuery(query));
      latest = next.catch(() => undefined);
      return next;
    },
  };
}

/** A rollback that fails must not hide why it was made; the connection is broken then and its work is gone. */
export async function rollBack(connection: Connection, transaction: Transaction): Promise<void> {
  await connection.rollback(transaction).catch(() => undefined);
}
