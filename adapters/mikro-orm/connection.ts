import { assertInvariant, BillingError, InvariantError } from '../../lib/values/errors/index.ts';
import type { Row } from './columns.ts';
import type { Dialect, UniqueViolation } from './dialect.ts';
import { render, type Sql } from './sql.ts';
import { tables } from './tables/index.ts';
import { type UniqueSpec, uniqueName } from './tables/record-table.ts';

/** The part of Kysely's compiled query that its executors read. */
export interface CompiledStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly query: {
    readonly kind: 'RawNode';
    readonly sqlFragments: readonly string[];
    readonly parameters: readonly [];
  };
  readonly queryId: { readonly queryId: string };
  /** What is wanted of each row; a driver that hands over rows one by one need not keep them until the last has come. */
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

/** Kysely tells statements apart by it to cancel them, which is never done here. */
const queryId = { queryId: 'billwright' };

export function compiled(text: string, parameters: readonly unknown[] = []): CompiledStatement {
  return {
    sql: text,
    parameters,
    query: { kind: 'RawNode', sqlFragments: [text], parameters: [] },
    queryId,
  };
}

/** Called with every statement and what it binds, for diagnosis and for tests that count and explain. */
export type Trace = (statement: string, parameters: readonly unknown[]) => void;

export interface StatementResult {
  readonly rows: readonly Row[];
  readonly affected: number;
}

/**
 * Runs statements in one transaction, with bound parameters. MikroORM's own `execute` writes every parameter into the
 * statement's text: five times the processor time for 1,000 rows of JSON, measured against this way.
 */
export class Runner {
  readonly dialect: Dialect;
  readonly #transaction: Transaction;
  readonly #trace: Trace | undefined;
  readonly #left: Promise<unknown>[] = [];
  #firstFailure: { readonly error: unknown } | undefined;

  constructor(dialect: Dialect, transaction: Transaction, trace: Trace | undefined) {
    this.dialect = dialect;
    this.#transaction = transaction;
    this.#trace = trace;
  }

  async run(statement: Sql): Promise<StatementResult> {
    const result = await this.#execute(statement);
    return {
      rows: result.rows as readonly Row[],
      affected: Number(result.numAffectedRows ?? result.rows.length),
    };
  }

  async rows(statement: Sql): Promise<readonly Row[]> {
    return (await this.run(statement)).rows;
  }

  /** What `read` makes of each row, in their order. Of many rows none is kept longer than it takes to read it. */
  async read<T>(statement: Sql, read: (row: Row) => T): Promise<readonly T[]> {
    const { rows, isRead } = await this.#execute(statement, read);
    return isRead ? (rows as readonly T[]) : (rows as readonly Row[]).map((row) => read(row));
  }

  async #execute(statement: Sql, read?: (row: Row) => unknown) {
    const { text, parameters, end } = render(statement, this.dialect.writer);
    this.#trace?.(text, parameters);
    try {
      return await this.#transaction.executeQuery({ ...compiled(text, parameters), read });
    } catch (error) {
      throw this.#meaningOf(error);
    } finally {
      end();
    }
  }

  /** Of statements that were asked for together those behind one that failed say only that it has; what it said counts. */
  #meaningOf(error: unknown): unknown {
    const failure = this.dialect.failureOf(error);
    if (failure.kind === 'aborted') return this.#firstFailure?.error ?? error;
    const meaning = failure.kind === 'unique' ? violationOf(failure.violation, error) : error;
    this.#firstFailure ??= { error: meaning };
    return meaning;
  }

  /** Takes statements on which nothing depends but the commit, and which fail if at all in the database. */
  leaveToCommit(writing: Promise<unknown>): void {
    // Where the work fails before its end nobody asks how they went.
    writing.catch(() => undefined);
    this.#left.push(writing);
  }

  /** When all that was left to the commit is done. */
  async last(): Promise<void> {
    await Promise.all(this.#left);
  }
}

/** Runs one statement outside a transaction; of two, each would see a state of its own. */
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

function violationOf(violation: UniqueViolation, cause: unknown): Error {
  const found = findUnique(violation);
  if (found?.unique.violation) return new BillingError({ ...found.unique.violation, cause });
  const error = new InvariantError(
    `A row is in the way of another one: ${'index' in violation ? violation.index : `${violation.table} (${violation.columns.join(', ')})`}`,
    { violation },
  );
  error.cause = cause;
  return error;
}

function findUnique(violation: UniqueViolation): { readonly unique: UniqueSpec } | undefined {
  for (const table of tables) {
    for (const unique of table.uniques) {
      const matches =
        'index' in violation
          ? violation.index === uniqueName(table.name, unique)
          : violation.table === table.name && violation.columns.join() === unique.columns.join();
      if (matches) return { unique };
    }
  }
  return undefined;
}
