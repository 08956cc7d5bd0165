import type { Row } from './columns.ts';
import { compileStatement, type StatementResult, type Statements, type Transaction } from './connection.ts';
import type { Dialect, UniqueViolation } from './dialect.ts';
import { type OnlyRow, onlyRowOf, render, type Sql, sql } from './sql.ts';

interface RunnerRules {
  readonly dialect: Dialect;
  readonly trace?: Trace | undefined;
  readonly violationOf: (violation: UniqueViolation, row: OnlyRow, cause: unknown) => Error;
}

/**
 * Runs statements with bound parameters. MikroORM's own `execute` inserts parameters into the text, which is five times
 * slower.
 */
export class Runner implements Statements {
  readonly dialect: Dialect;
  readonly #transaction: Transaction;
  readonly #trace: Trace | undefined;
  readonly #violationOf: RunnerRules['violationOf'];
  readonly #left: Promise<unknown>[] = [];
  #firstFailure: { readonly error: unknown } | undefined;

  constructor({ dialect, trace, violationOf }: RunnerRules, transaction: Transaction) {
    this.dialect = dialect;
    this.#transaction = transaction;
    this.#trace = trace;
    this.#violationOf = violationOf;
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

  /** Returns the results of `read` in the order of the rows. Does not keep the rows themselves. */
  async read<T>(statement: Sql, read: (row: Row) => T): Promise<readonly T[]> {
    const { rows, isRead } = await this.#execute(statement, read);
    return isRead ? (rows as readonly T[]) : (rows as readonly Row[]).map((row) => read(row));
  }

  /** Template tag that runs a statement and reads its rows, either as records of a table or with a function. */
  readAs<T>(read: RowReader<T>) {
    return taggedReads(this, read);
  }

  /** Template tag that works like `readAs` but reads only the first row. Returns null if there are no rows. */
  firstAs<T>(read: RowReader<T>) {
    return taggedFirst(this, read);
  }

  async #execute(statement: Sql, read?: (row: Row) => unknown) {
    const { text, parameters, end } = render(statement, this.dialect.writer);
    this.#trace?.(text, parameters);
    try {
      return await this.#transaction.executeQuery({ ...compileStatement(text, parameters), read });
    } catch (error) {
      throw this.#translateError(error, statement);
    } finally {
      end();
    }
  }

  /**
   * Returns the first error of a transaction. Later errors of concurrent statements only state that the transaction has
   * failed.
   */
  #translateError(error: unknown, statement: Sql): unknown {
    const failure = this.dialect.failureOf(error);
    if (failure.kind === 'aborted') return this.#firstFailure?.error ?? error;
    const meaning =
      failure.kind === 'unique' ? this.#violationOf(failure.violation, onlyRowOf(statement), error) : error;
    this.#firstFailure ??= { error: meaning };
    return meaning;
  }

  /**
   * Accepts statements that must finish before the commit but on which nothing else depends. They can fail only in the
   * database.
   */
  leaveToCommit(writing: Promise<unknown>): void {
    // If the work fails first, these promises are never awaited.
    writing.catch(() => undefined);
    this.#left.push(writing);
  }

  async last(): Promise<void> {
    await Promise.all(this.#left);
  }
}

type RowReader<T> = ((row: Row) => T) | { decode(row: Row): T };

function taggedReads<T>(runner: Pick<Runner, 'read'>, read: RowReader<T>) {
  const decode = typeof read === 'function' ? read : (row: Row) => read.decode(row);
  return (...statement: Parameters<typeof sql>) => runner.read(sql(...statement), decode);
}

function taggedFirst<T>(runner: Pick<Runner, 'read'>, read: RowReader<T>) {
  const all = taggedReads(runner, read);
  return async (...statement: Parameters<typeof sql>) => (await all(...statement))[0] ?? null;
}

/** Access without a tenant, either in transactions or with single statements that each run in their own transaction. */
export interface SystemAccess
  extends Pick<Runner, 'dialect' | 'run' | 'rows' | 'read' | 'readAs' | 'firstAs'> {
  transact<T>(work: (runner: Runner) => Promise<T>): Promise<T>;
}

export function systemAccess(
  dialect: Dialect,
  { transact, run }: Pick<SystemAccess, 'transact' | 'run'>,
): SystemAccess {
  const rows: SystemAccess['rows'] = async (statement) => (await run(statement)).rows;
  const read: SystemAccess['read'] = async (statement, each) =>
    (await rows(statement)).map((row) => each(row));
  return {
    dialect,
    transact,
    run,
    rows,
    read,
    readAs: (reader) => taggedReads({ read }, reader),
    firstAs: (reader) => taggedFirst({ read }, reader),
  };
}

/** Called with every statement and its parameters, for diagnosis and tests. */
export type Trace = (statement: string, parameters: readonly unknown[]) => void;
