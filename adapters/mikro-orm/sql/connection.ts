import { CompiledQuery } from 'kysely';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import type { Row } from './columns.ts';
import type { Sql } from './sql.ts';

export interface CompiledStatement extends CompiledQuery {
  /** Converts each row. If the driver returns rows one by one, the unconverted rows are not kept. */
  readonly read?: ((row: Row) => unknown) | undefined;
}

/** Kysely's controlled transaction, which is also MikroORM's transaction context. */
export interface Transaction {
  executeQuery(query: CompiledStatement): Promise<{
    readonly rows: readonly unknown[];
    readonly numAffectedRows?: bigint | undefined;
    /** True if `read` has already converted the rows. */
    readonly isRead?: true;
  }>;
}

/** Kysely for single statements, and for connections that the engine holds temporarily. */
export interface Client extends Transaction {
  getExecutor(): {
    provideConnection<T>(consumer: (connection: Transaction) => Promise<T>): Promise<T>;
  };
}

/** The parts of MikroORM's SQL connection that the engine uses. */
export interface Connection {
  ensureConnection(): Promise<void>;
  begin(options?: { readonly ctx?: unknown }): Promise<Transaction>;
  commit(transaction: Transaction): Promise<void>;
  rollback(transaction: Transaction): Promise<void>;
  getClient(): Client;
}

export function compileStatement(text: string, parameters: readonly unknown[] = []): CompiledStatement {
  return CompiledQuery.raw(text, [...parameters]);
}

export interface StatementResult {
  readonly rows: readonly Row[];
  readonly affected: number;
}

/** Runs the engine's statements, either one after another or concurrently. */
export interface Statements {
  run(statement: Sql): Promise<StatementResult>;
  rows(statement: Sql): Promise<readonly Row[]>;
}

/**
 * Returns a client for a single statement outside a transaction. Rejects a second statement, because it would see a
 * different state.
 */
export function singleStatementClient(client: Transaction): Transaction {
  let isUsed = false;
  return {
    executeQuery: async (query) => {
      assertInvariant(!isUsed, 'A single-statement read issued another statement', { statement: query.sql });
      isUsed = true;
      return client.executeQuery(query);
    },
  };
}

/** Tenant scope of work that does not belong to a tenant: the queue, tenants, users, health and migrations. */
export const EVERY_TENANT = '*';

/**
 * The tenant scope of a transaction. The transaction can access the rows of one tenant (given by its record id) or of
 * all tenants.
 */
export type Reach = number | typeof EVERY_TENANT;

export interface TransactionKind {
  readonly reach: Reach;
  /** A read sees a single snapshot. */
  readonly mode: 'read' | 'write';
}

export interface Done<T> {
  readonly result: T;
  /**
   * Settles when the statements on which only the commit depends have ended. These statements may be sent together with
   * the commit.
   */
  readonly last: Promise<unknown>;
}

/** Begins and ends transactions, and specifies which tenants' rows they can access (platform §2, isolation rule 2). */
export interface Transactions {
  /** Runs `work` in its own transaction. Commits if `work` resolves, and rolls back if it throws. */
  run<T>(kind: TransactionKind, work: (transaction: Transaction) => Promise<Done<T>>): Promise<T>;
  /** Returns a runner that runs each statement in its own transaction. */
  single(reach: Reach): Transaction;
  /**
   * Runs `work` in the host's transaction with the tenant scope `reach`, and then restores the transaction's previous
   * tenant scope. `work` gets the same object for each call with the same host transaction.
   */
  join<T>(host: Transaction, reach: Reach, work: (transaction: Transaction) => Promise<T>): Promise<T>;
}

/**
 * Thrown if the connection was lost after the commit was requested. The engine cannot know whether the change was
 * stored.
 */
export class LostCommitError extends Error {
  override readonly name = 'LostCommitError';

  constructor(cause: unknown) {
    super('The connection was lost during a commit', { cause });
  }
}

/** Transactions of a database without row-level security. */
export function plainTransactions(connection: Connection): Transactions {
  return {
    run: async (_kind, work) =>
      connection
        .getClient()
        .getExecutor()
        .provideConnection((own) => inTransaction(own, { beginning: 'begin' }, work)),
    single: () => connection.getClient(),
    join: async (host, _reach, work) => work(host),
  };
}

/**
 * Runs `work` between `beginning` and a commit, on a connection that is reserved for this time. `failedCommit` returns
 * the error to throw for a commit that fails.
 */
export async function inTransaction<T>(
  own: Transaction,
  {
    beginning,
    failedCommit = (error) => error,
  }: { readonly beginning: string; readonly failedCommit?: (error: unknown) => unknown },
  work: (transaction: Transaction) => Promise<Done<T>>,
): Promise<T> {
  const statements = oneByOne(own);
  let isCommitting = false;
  try {
    await own.executeQuery(compileStatement(beginning));
    const { result, last } = await work(statements);
    await last;
    // The commit runs after the other statements, so that it does not run if one of them fails.
    isCommitting = true;
    await statements.executeQuery(compileStatement('commit'));
    return result;
  } catch (error) {
    await statements.end();
    // The rollback fails if SQLite has already rolled back or the connection is lost.
    await own.executeQuery(compileStatement('rollback')).catch(() => undefined);
    throw isCommitting ? failedCommit(error) : error;
  }
}

interface StatementOrder extends Transaction {
  /** Rejects all later statements and waits for the pending ones. */
  end(): Promise<void>;
}

/**
 * Returns a runner that sends statements one at a time, in order. After a failed statement, the remaining ones fail
 * without running. Otherwise, if SQLite itself rolled back (for example on a full disk), the changes of later
 * statements would be stored immediately.
 */
export function oneByOne(transaction: Transaction): StatementOrder {
  let latest: Promise<unknown> = Promise.resolve();
  let isOver = false;
  return {
    executeQuery: async (query) => {
      assertInvariant(!isOver, 'A statement was issued after the end of its transaction', {
        text: query.sql,
      });
      const next = latest.then(() => transaction.executeQuery(query));
      latest = next;
      // The caller handles the error.
      next.catch(() => undefined);
      return next;
    },
    end: async () => {
      isOver = true;
      await latest.catch(() => undefined);
    },
  };
}
