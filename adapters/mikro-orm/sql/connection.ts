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
