import type { Row } from './columns.ts';
import { compiled, type StatementResult, type Statements, type Transaction } from './connection.ts';
import type { Dialect, UniqueViolation } from './dialect.ts';
import { render, type Sql } from './sql.ts';

/** How statements are written, and how their failures are understood. */
interface RunnerRules {
  readonly dialect: Dialect;
  readonly trace?: Trace | undefined;
  /** What it means to callers that a row conflicts with another one. */
  readonly violationOf: (violation: UniqueViolation, cause: unknown) => Error;
}

/**
 * Runs statements in one transaction, with bound parameters. MikroORM's own `execute` writes every parameter into the
 * statement's text, which takes five times the processor time for 1,000 rows of JSON (measured).
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

  /** What `read` makes of each row, in their order. No row is kept longer than it takes to read it. */
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

  /**
   * Among statements that were asked for together, those after a failing one only say that it failed; the first error
   * counts.
   */
  #meaningOf(error: unknown): unknown {
    const failure = this.dialect.failureOf(error);
    if (failure.kind === 'aborted') return this.#firstFailure?.error ?? error;
    const meaning = failure.kind === 'unique' ? this.#violationOf(failure.violation, error) : error;
    this.#firstFailure ??= { error: meaning };
    return meaning;
  }

  /** Takes statements on which only the commit depends, and which can fail only in the database. */
  leaveToCommit(writing: Promise<unknown>): void {
    // If the work fails before its end, nobody looks at their results.
    writing.catch(() => undefined);
    this.#left.push(writing);
  }

  /** Resolves when all that was left to the commit is done. */
  async last(): Promise<void> {
    await Promise.all(this.#left);
  }
}

/** Access that belongs to no tenant: work in a transaction of its own, or a single statement, which is one by itself. */
export interface SystemAccess extends Pick<Runner, 'dialect' | 'run' | 'rows' | 'read'> {
  transact<T>(work: (runner: Runner) => Promise<T>): Promise<T>;
}

export function systemAccess(
  dialect: Dialect,
  { transact, run }: Pick<SystemAccess, 'transact' | 'run'>,
): SystemAccess {
  const rows: SystemAccess['rows'] = async (statement) => (await run(statement)).rows;
  return {
    dialect,
    transact,
    run,
    rows,
    read: async (statement, read) => (await rows(statement)).map((row) => read(row)),
  };
}

/** Called with every statement and what it binds, for diagnosis and for tests that count and explain. */
export type Trace = (statement: string, parameters: readonly unknown[]) => void;
