import { CompiledQuery } from 'kysely';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import type { Row } from './columns.ts';
import type { Sql } from './sql.ts';

/** A statement as Kysely's executors take it. */
export interface CompiledStatement extends CompiledQuery {
  /** What to make of each row; a driver that hands over rows one by one need not keep them until the last has come. */
  readonly read?: ((row: Row) => unknown) | undefined;
}

/** What MikroORM calls a transaction context: Kysely's controlled transaction. */
export interface Transaction {
  executeQuery(query: CompiledStatement): Promise<{
    readonly rows: readonly unknown[];
    readonly numAffectedRows?: bigint | undefined;
    /** True: the rows are what `read` of the statement has made of them. */
    readonly isRead?: true;
  }>;
}

/** Kysely, for a statement that is a transaction by itself, and for a connection that is ours for a while. */
export interface Client extends Transaction {
  getExecutor(): {
    provideConnection<T>(consumer: (connection: Transaction) => Promise<T>): Promise<T>;
  };
}

/** MikroORM's SQL connection, as far as it is used here. */
export interface Connection {
  ensureConnection(): Promise<void>;
  /** Begins a transaction, or a savepoint in that of `ctx`. */
  begin(options?: { readonly ctx?: unknown }): Promise<Transaction>;
  commit(transaction: Transaction): Promise<void>;
  rollback(transaction: Transaction): Promise<void>;
  getClient(): Client;
}

export function compiled(text: string, parameters: readonly unknown[] = []): CompiledStatement {
  return CompiledQuery.raw(text, [...parameters]);
}

export interface StatementResult {
  readonly rows: readonly Row[];
  readonly affected: number;
}

/** Runs statements of ours, one after the other or at once. */
export interface Statements {
  run(statement: Sql): Promise<StatementResult>;
  rows(statement: Sql): Promise<readonly Row[]>;
}

/** Runs one statement outside a transaction; a second one would see another state, so it is refused. */
export function forOneStatement(client: Transaction): Transaction {
  let isUsed = false;
  return {
    executeQuery: async (query) => {
      assertInvariant(!isUsed, 'A read in one statement has made another one', { statement: query.sql });
      isUsed = true;
      return client.executeQuery(query);
    },
  };
}

/** Work that belongs to no tenant: the queue, tenants, users, health, migrations. */
export const EVERY_TENANT = '*';

/** Whose rows a transaction sees and writes: those of the tenant with this record id, or all. */
export type Reach = number | typeof EVERY_TENANT;

export interface TransactionKind {
  readonly reach: Reach;
  /** A read is one snapshot. */
  readonly mode: 'read' | 'write';
}

/** The result of a transaction's work. */
export interface Done<T> {
  readonly result: T;
  /** Statements on which only the commit depends: they may travel with it. */
  readonly last: Promise<unknown>;
}

/** How a database begins and ends transactions, and is told whose rows they reach (platform §2, isolation rule 2). */
export interface Transactions {
  /** Runs `work` in a transaction of its own, which commits when it resolves and rolls back when it throws. */
  run<T>(kind: TransactionKind, work: (transaction: Transaction) => Promise<Done<T>>): Promise<T>;
  /** Runs statements, each of which is a transaction by itself. */
  single(reach: Reach): Transaction;
  /** Runs `work` in the host's transaction, which afterwards reaches what it reached before. */
  join<T>(host: Transaction, reach: Reach, work: () => Promise<T>): Promise<T>;
}

/** The connection was lost after the commit was requested: only the database knows whether the change is stored. */
export class LostCommitError extends Error {
  override readonly name = 'LostCommitError';

  constructor(cause: unknown) {
    super('The connection was lost during a commit', { cause });
  }
}

/** Transactions of a database that has no reach. */
export function plainTransactions(connection: Connection): Transactions {
  return {
    run: async (_kind, work) =>
      connection
        .getClient()
        .getExecutor()
        .provideConnection((own) => inTransaction(own, 'begin', work)),
    single: () => connection.getClient(),
    join: async (_host, _reach, work) => work(),
  };
}

/** Runs `work` between the statements that begin and end a transaction, on a connection that is ours meanwhile. */
export async function inTransaction<T>(
  own: Transaction,
  beginning: string,
  work: (transaction: Transaction) => Promise<Done<T>>,
): Promise<T> {
  const statements = oneByOne(own);
  try {
    await own.executeQuery(compiled(beginning));
    const { result, last } = await work(statements);
    await last;
    // Sent in order, so that after a failed statement the commit is not run.
    await statements.executeQuery(compiled('commit'));
    return result;
  } catch (error) {
    await statements.end();
    // Fails if no transaction is left: SQLite has rolled back by itself, or the connection is gone with its work.
    await own.executeQuery(compiled('rollback')).catch(() => undefined);
    throw error;
  }
}

/** Statements that go out one at a time. */
interface StatementOrder extends Transaction {
  /** Resolves when all statements have been answered; later ones are refused. */
  end(): Promise<void>;
}

/**
 * Statements of a connection that takes one at a time, in the order in which they are asked for. After a failing one none
 * is run, and the rest fail like it. For example, a full disk makes SQLite roll back by itself, and later statements
 * would be stored at once and for good.
 */
export function oneByOne(transaction: Transaction): StatementOrder {
  let latest: Promise<unknown> = Promise.resolve();
  let isOver = false;
  return {
    executeQuery: async (query) => {
      assertInvariant(!isOver, 'A statement has come after the end of its transaction', { text: query.sql });
      const next = latest.then(() => transaction.executeQuery(query));
      latest = next;
      // Whoever has asked for it is told.
      next.catch(() => undefined);
      return next;
    },
    end: async () => {
      isOver = true;
      await latest.catch(() => undefined);
    },
  };
}
