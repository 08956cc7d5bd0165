import type { StoredChange } from '../../../lib/ports/storage/index.ts';
import { billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { SQLITE_BUSY_TIMEOUT_MS } from '../../../lib/values/limits.ts';
import { findLender } from '../hosts/find-lender.ts';
import { endOf, type Lender, type Lent } from '../hosts/lender.ts';
import { type Connection, compileStatement, oneByOne, type Transaction } from '../sql/connection.ts';
import type { Dialect } from '../sql/dialect.ts';
import { Runner } from '../sql/runner.ts';
import { violationOf } from '../tables/violations.ts';

/** Returns true if a connection of the engine finds the database locked while the host's transaction writes to it. */
export type SeesLock = (host: Transaction) => Promise<boolean>;

interface OwnDatabase {
  readonly connection: Connection;
  readonly hostDialect: Dialect;
  /** Checks for locks on the database file. The function is null if a database server handles locks. */
  readonly seesLock: SeesLock | null;
}

const databaseNames = { sqlite: 'SQLite', postgresql: 'PostgreSQL' };

/** Finds the host's open transaction on the engine's database, and reports its commit. */
export class HostTransactions {
  readonly #own: OwnDatabase;
  readonly #onCommit: (changes: readonly StoredChange[]) => void;
  /** True for each connection to the engine's database, false for other connections. */
  readonly #leadHere = new WeakMap<object, boolean>();
  /**
   * Open host transactions on other connections to the engine's SQLite file. While such a transaction is open, no other
   * connection can write.
   */
  readonly #holding = new Map<Transaction, () => boolean>();
  /** The changes in each open transaction whose library does not report commits. */
  readonly #watched = new WeakMap<Transaction, StoredChange[]>();
  /** Connections of hosts whose locks are visible to the engine's connections. */
  readonly #seen = new WeakSet<object>();
  /** The latest savepoint of each transaction. Savepoints must end in reverse order. */
  readonly #savepoints = new WeakMap<Transaction, Promise<unknown>>();
  #lastSavepoint = 0;

  constructor(own: OwnDatabase, onCommit: (changes: readonly StoredChange[]) => void) {
    this.#own = own;
    this.#onCommit = onCommit;
  }

  /**
   * Checks the handle as far as possible without accessing the database.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if it is not the handle of an open transaction.
   */
  check(host: unknown): Lender {
    const lender = findLender(host);
    if (typeof lender === 'string') throw invalidHostError(lender);
    if (lender.refusal !== null) throw invalidHostError(lender.refusal);
    return lender;
  }

  /**
   * Returns the host's open transaction.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if no transaction is open, or if it is on a different
   * database.
   */
  async transactionOf(host: unknown): Promise<Transaction> {
    const lender = this.check(host);
    const { kind } = this.#own.hostDialect;
    if (lender.database !== kind) throw this.#ofAnotherDatabase();
    const lent = await lender.lend();
    if (lent.connection === this.#own.connection) return lent.transaction;
    const isRequested = lent.isOpen === null && lent.refusesAfterEnd !== true;
    if (isRequested && !(await isInTransaction[kind](lent.transaction))) {
      throw invalidHostError(
        'within(handle) received a handle without an open transaction: begin one first, and commit or roll back afterward',
      );
    }
    const leadsHere = this.#leadHere.get(lent.connection) ?? (await this.#leadsHere(lent));
    this.#leadHere.set(lent.connection, leadsHere);
    if (!leadsHere) throw this.#ofAnotherDatabase();
    if (kind === 'sqlite' && lent.isOpen !== null) this.#hold(lent.transaction, lent.isOpen);
    return lent.transaction;
  }

  /**
   * Checks, before the first write, that the host uses the engine's copy of SQLite. Two copies in one process do not
   * see each other's locks.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if the host uses a different copy.
   */
  async checkLocks(host: unknown, statements: Transaction): Promise<void> {
    const { connection, seesLock } = this.#own;
    if (seesLock === null) return;
    const lent = await this.check(host).lend();
    if (lent.connection === connection || this.#seen.has(lent.connection)) return;
    if (!(await seesLock(statements))) throw invalidHostError(anotherCopy);
    this.#seen.add(lent.connection);
  }

  #hold(transaction: Transaction, isOpen: () => boolean) {
    for (const [each, isHolding] of this.#holding) if (!isHolding()) this.#holding.delete(each);
    this.#holding.set(transaction, isOpen);
  }

  async #leadsHere({ transaction, isOpen }: Lent): Promise<boolean> {
    const theirs = await this.#identityIn(transaction);
    if (theirs === null || theirs !== (await this.#identityIn(this.#own.connection.getClient())))
      return false;
    // Only drivers without per-statement settings depend on the host's configuration.
    if (isOpen === null && !(await readsWhole(this.#own.hostDialect.kind, transaction))) {
      throw invalidHostError(
        'within(handle) received a transaction whose driver returns amounts or large integers as doubles: configure it to return numeric and bigint as text',
      );
    }
    return true;
  }

  #ofAnotherDatabase() {
    const name = databaseNames[this.#own.hostDialect.kind];
    return invalidHostError(
      `within(handle) received a transaction of a different database: pass a transaction of the ${name} database that the billing storage was opened with`,
    );
  }

  async #identityIn(transaction: Transaction): Promise<unknown> {
    const { hostDialect } = this.#own;
    const [row] = await new Runner({ dialect: hostDialect, violationOf }, oneByOne(transaction)).rows(
      hostDialect.identity,
    );
    return row?.identity ?? null;
  }

  /**
   * Runs `work` in a savepoint. Each transaction has only one savepoint at a time. If `work` fails, all of its changes
   * are rolled back.
   */
  async inSavepoint<T>(transaction: Transaction, work: (statements: Transaction) => Promise<T>): Promise<T> {
    const before = this.#savepoints.get(transaction);
    const working = (async () => {
      await before?.catch(() => undefined);
      return this.#savepoint(transaction, work);
    })();
    this.#savepoints.set(transaction, working);
    return working;
  }

  async #savepoint<T>(transaction: Transaction, work: (statements: Transaction) => Promise<T>): Promise<T> {
    this.#lastSavepoint += 1;
    const name = `bw_savepoint_${this.#lastSavepoint}`;
    const statements = oneByOne(transaction);
    await transaction.executeQuery(compileStatement(`savepoint ${name}`));
    try {
      const result = await work(statements);
      await statements.executeQuery(compileStatement(`release savepoint ${name}`));
      return result;
    } catch (error) {
      await statements.end();
      // A failing rollback must not hide the original error. If the rollback fails, the connection is broken and its
      // work is lost.
      await transaction
        .executeQuery(compileStatement(`rollback to savepoint ${name}`))
        .catch(() => undefined);
      await transaction.executeQuery(compileStatement(`release savepoint ${name}`)).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Calls the listener with the changes after the host's transaction has been committed. If the library does not report
   * commits, calls it after the end of the transaction.
   */
  async expectCommit(host: unknown, change: StoredChange | null): Promise<void> {
    const lender = this.check(host);
    const own = change === null ? [] : [change];
    if (lender.onCommit) {
      lender.onCommit(() => this.#onCommit(own));
      return;
    }
    const { transaction, isOpen } = await lender.lend();
    const known = this.#watched.get(transaction);
    known?.push(...own);
    if (isOpen === null || known !== undefined) return;
    this.#watched.set(transaction, own);
    void endOf(isOpen).then((hasEnded) => {
      this.#watched.delete(transaction);
      if (hasEnded) this.#onCommit(own);
    });
  }

  /** True while an open host transaction may lock the SQLite file. */
  get isHeld(): boolean {
    return this.#holding.size > 0;
  }

  /**
   * Waits until no host transaction locks the file. If SQLite itself waited, it would block the process, including the
   * host.
   * @throws BillingError BUSY (60018) if the wait takes too long.
   */
  async whenFree(): Promise<void> {
    for (const [transaction, isOpen] of this.#holding) {
      if (!(await endOf(isOpen, SQLITE_BUSY_TIMEOUT_MS))) throw databaseHeldError();
      this.#holding.delete(transaction);
    }
  }
}

const anotherCopy =
  'within(handle) received a transaction of a different copy of SQLite than the one used by the billing engine: two copies in one process ignore each other’s file locks and can lose committed data. ' +
  'Install the exact version of better-sqlite3 that @mikro-orm/sqlite depends on (check with npm ls better-sqlite3; use overrides in package.json to keep one copy), or pass a MikroORM transaction; node:sqlite is always a different copy';

function databaseHeldError() {
  return billingError(
    ErrorCode.BUSY,
    `A host transaction passed to within(…) has held the database for ${SQLITE_BUSY_TIMEOUT_MS / 1_000} s and blocks all other writes: end it, or make this call within it`,
  );
}

function invalidHostError(message: string) {
  return billingError(ErrorCode.MISSING_OR_INVALID_FIELD, message, { field: 'host' });
}

/**
 * Returns true if the connection is in a transaction. In that case, SQLite rejects `begin`, and the transaction stays
 * open.
 */
async function isInSqlite(transaction: Transaction) {
  try {
    await transaction.executeQuery(compileStatement('begin'));
  } catch (error) {
    if (error instanceof Error && error.message.includes('within a transaction')) return true;
    throw error;
  }
  await transaction.executeQuery(compileStatement('rollback'));
  return false;
}

const noTransaction = '25P01';

/** Returns true if the connection is in a transaction. PostgreSQL accepts savepoints only in this case. */
async function isInPostgresql(transaction: Transaction) {
  try {
    await transaction.executeQuery(compileStatement('savepoint bw_probe'));
    await transaction.executeQuery(compileStatement('release savepoint bw_probe'));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === noTransaction) return false;
    throw error;
  }
}

/** Functions that check whether a connection is in a transaction, without changing its state. */
const isInTransaction = { sqlite: isInSqlite, postgresql: isInPostgresql };

const whole = '9007199254740991';
const exact = '0.12345678901234567891';
const probes = {
  sqlite: `select ${whole} as whole, '${exact}' as exact, true as is_true`,
  postgresql: `select ${whole}::bigint as whole, ${exact}::numeric as exact, true as is_true`,
};

/** Returns true if the driver reads values exactly and in a form that the engine accepts. */
async function readsWhole(kind: Dialect['kind'], transaction: Transaction) {
  const [row] = (await transaction.executeQuery(compileStatement(probes[kind]))).rows;
  const read = new Map(Object.entries(row ?? {}));
  const hasBooleans = kind === 'sqlite' || read.get('is_true') === true;
  return String(read.get('whole')) === whole && read.get('exact') === exact && hasBooleans;
}
