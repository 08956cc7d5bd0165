import { assertInvariant } from '../../../lib/values/errors/index.ts';
import { DATABASE_IDLE_MS } from '../../../lib/values/limits.ts';
import type { Row } from '../sql/columns.ts';
import type {
  CompiledStatement,
  Reach,
  Transaction,
  TransactionKind,
  Transactions,
} from '../sql/connection.ts';
import { failedCommit } from './failed-commit.ts';
import { FinishedReads, type KeptClient } from './finished-reads.ts';
import type { ServerWatch } from './server-watch.ts';
import {
  type BatchedStatement,
  type DriverClient,
  type DriverResult,
  oneByOne,
  PreparedStatements,
  type Send,
  together,
} from './statement-batch.ts';
import { TENANT_SETTING } from './tenant-policy.ts';
import { BEGINNING, eachInTransaction, HostReach, IDLE_SETTING } from './transactions.ts';

interface DriverPool {
  readonly idleCount: number;
  readonly waitingCount: number;
  connect(): Promise<PooledClient>;
}

/** A client of the pool. If `isUseless` is true, releasing it closes its connection. */
type PooledClient = DriverClient & KeptClient & { release(isUseless?: boolean): void };

interface PoolUse {
  readonly prepared: Pick<PreparedStatements, 'nameOf'>;
  readonly watch: ServerWatch;
  readonly send: Send;
}

interface PoolOptions {
  readonly keepsPlans: boolean;
  readonly batchesStatements: boolean;
}

type Answer = Awaited<ReturnType<Transaction['executeQuery']>>;

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Number of characters above which the server needs more time to process a value than a round trip takes. */
const LARGE_FROM = 64 * 1_024;

function isLarge({ values }: Pick<Statement, 'values'>) {
  return values.some((value) => typeof value === 'string' && value.length >= LARGE_FROM);
}

const COMMIT: Statement = { text: 'commit', values: [] };
const ROLLBACK: Statement = { text: 'rollback', values: [] };

function tenantSettingStatement(reach: Reach): Statement {
  return { text: `select set_config('${TENANT_SETTING}', $1, true)`, values: [String(reach)] };
}

function writeSettingsOf(reach: Reach): Statement {
  const { text, values } = tenantSettingStatement(reach);
  return { text: `${text}, set_config('${IDLE_SETTING}', '${DATABASE_IDLE_MS}', true)`, values };
}

function openingStatements({ reach, mode }: TransactionKind): readonly Statement[] {
  const settings = mode === 'write' ? writeSettingsOf(reach) : tenantSettingStatement(reach);
  return [{ text: BEGINNING[mode], values: [] }, settings];
}

/**
 * Transactions on connections of the engine's pool, with few round trips. `begin` is sent with the first statements,
 * `commit` is sent with the last ones, and all statements of one event loop turn are sent together. Plans are kept. The
 * tenant is a transaction-local setting, so the next user of the connection cannot inherit it.
 */
export function batchedTransactions(
  pool: () => Promise<DriverPool>,
  { watch, keepsPlans, batchesStatements }: PoolOptions & { readonly watch: ServerWatch },
): Transactions {
  const use: PoolUse = {
    watch,
    prepared: keepsPlans ? new PreparedStatements() : { nameOf: () => undefined },
    send: batchesStatements ? together : oneByOne,
  };
  const hosts = new HostReach();
  const finishedReads = new FinishedReads<PooledClient>();

  /**
   * Begins a transaction and returns its sequence of statements. The first statements also commit the finished read of
   * the connection.
   */
  const begin = async (opening: readonly Statement[]): Promise<StatementLine> => {
    await watch.requireServer();
    const kept = finishedReads.take();
    const client = kept ?? (await clientOf(await pool(), watch));
    return new StatementLine(client, use, { opening, isAfterRead: kept !== undefined });
  };
  const end = (line: StatementLine): void => {
    const { client } = line;
    if (line.hasOpenRead) finishedReads.keep(client, () => void commitRead(client));
    else void line.ended.then(() => client.release(isReadOnly(line.failure)));
  };
  const commitRead = async (client: PooledClient): Promise<void> => {
    const line = new StatementLine(client, use, { opening: [], isAfterRead: false });
    await line.end(COMMIT).catch(() => undefined);
    client.release();
  };

  const run: Transactions['run'] = async (kind, work) => {
    const line = await begin(openingStatements(kind));
    let isCommitting = false;
    try {
      const { result, last } = await work(line);
      if (kind.mode === 'read' && (await pool()).waitingCount === 0 && line.endRead()) return result;
      isCommitting = kind.mode === 'write';
      const committed = line.commit();
      // If both the commit and a statement fail, the error of the statement is thrown.
      committed.catch(() => undefined);
      await last;
      // A read is complete without its commit.
      if (kind.mode === 'write') await committed;
      return result;
    } catch (error) {
      // A failing rollback must not hide the original error. If the rollback fails, the connection is broken and its
      // work is lost.
      await line.end(ROLLBACK).catch(() => undefined);
      throw isCommitting ? failedCommit(error) : error;
    } finally {
      end(line);
    }
  };
  const single = (reach: Reach): Transaction => ({
    executeQuery: async (statement) => {
      const line = await begin([tenantSettingStatement(reach)]);
      try {
        return await line.executeQuery(statement);
      } finally {
        end(line);
      }
    },
  });
  return {
    run,
    single: batchesStatements ? single : (reach) => eachInTransaction(run, reach),
    join: (host, reach, work) => hosts.during(host, reach, work),
  };
}

/** Error code for writes on a standby or another read-only server. A new connection may reach a different server. */
const READ_ONLY = '25006';

function isReadOnly(error: unknown) {
  return error instanceof Error && 'code' in error && error.code === READ_ONLY;
}

/** Takes a connection from the pool. Fails if the server disappears while the call waits. */
async function clientOf(pool: DriverPool, watch: ServerWatch): Promise<PooledClient> {
  if (pool.idleCount > pool.waitingCount) return pool.connect();
  const connecting = pool.connect();
  const { promise: given, reject } = Promise.withResolvers<never>();
  const end = watch.begin((error) => {
    // If the pool delivers the connection later, release it.
    connecting.then((client) => client.release()).catch(() => undefined);
    reject(error);
  });
  try {
    return await Promise.race([connecting, given]);
  } finally {
    end();
  }
}

class Reading {
  readonly onRow: (row: unknown) => void;
  readonly #made: unknown[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(read: (row: Row) => unknown) {
    this.onRow = (row) => {
      if (this.#failure) return;
      try {
        this.#made.push(read(row as Row));
      } catch (error) {
        this.#failure = { error };
      }
    };
  }

  /** Returns the rows. @throws The error that occurred while a row was read. */
  result(): readonly unknown[] {
    if (this.#failure) throw this.#failure.error;
    return this.#made;
  }
}

interface LineStart {
  /** Statements that are sent before the first statement of the transaction. */
  readonly opening: readonly Statement[];
  /** True if the connection has a finished read that has not been committed yet. */
  readonly isAfterRead: boolean;
}

class StatementLine implements Transaction {
  /** Settles when the latest statement has returned its result. */
  ended: Promise<unknown> = Promise.resolve();
  readonly client: PooledClient;
  readonly #use: PoolUse;
  #opening: readonly Statement[];
  #hasOpenRead: boolean;
  #waiting: BatchedStatement[] = [];
  #isUnderWay = false;
  #isEnding = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(client: PooledClient, use: PoolUse, { opening, isAfterRead }: LineStart) {
    this.client = client;
    this.#use = use;
    this.#opening = isAfterRead ? [COMMIT, ...opening] : opening;
    this.#hasOpenRead = isAfterRead;
  }

  /** The first error of the transaction. */
  get failure(): unknown {
    return this.#failure?.error;
  }

  /** True if the connection has a finished read that has not been committed yet. */
  get hasOpenRead(): boolean {
    return this.#hasOpenRead;
  }

  /**
   * Ends a read without a commit. The next transaction of the connection commits it. Returns false while statements are
   * running.
   */
  endRead(): boolean {
    if (this.#isUnderWay || this.#waiting.length > 0) return false;
    this.#isEnding = true;
    this.#hasOpenRead ||= this.#opening.length === 0;
    return true;
  }

  async executeQuery({ sql: text, parameters: values, read }: CompiledStatement): Promise<Answer> {
    assertInvariant(!this.#isEnding, 'A statement was issued after the end of its transaction', { text });
    // Statements without parameters run once or contain varying numbers, so they get no name.
    const name = values.length > 0 ? this.#use.prepared.nameOf(text) : undefined;
    const reading = read && new Reading(read);
    const { command, rowCount, rows } = await this.#answerOf({ name, text, values, onRow: reading?.onRow });
    const numAffectedRows = command === 'SELECT' ? undefined : BigInt(rowCount ?? 0);
    return reading ? { rows: reading.result(), isRead: true, numAffectedRows } : { rows, numAffectedRows };
  }

  /**
   * Commits.
   * @throws The first error of the transaction. When a failed transaction is committed, the server rolls it back
   * without an error.
   */
  async commit(): Promise<void> {
    await this.end(COMMIT);
    if (this.#failure) throw this.#failure.error;
  }

  /** Ends the transaction after all previous statements. Does nothing if the transaction has not started. */
  end(statement: Statement): Promise<unknown> {
    this.#isEnding = true;
    if (this.#opening.length > 0 && this.#waiting.length === 0) return this.ended;
    const answer = this.#answerOf(this.#nameStatement(statement));
    this.ended = answer.catch(() => undefined);
    return answer;
  }

  #answerOf(statement: Omit<BatchedStatement, 'callback'>): Promise<DriverResult> {
    return new Promise((resolve, reject) => {
      const callback: BatchedStatement['callback'] = (...[error, result]) => {
        if (error === null) return resolve(result);
        this.#failure ??= { error };
        reject(error);
      };
      this.#waiting.push({ ...statement, callback });
      this.#sendSoon();
    });
  }

  /**
   * Sends the statements at the end of this turn of the event loop. Sends large statements immediately, so that the
   * server can start to work on them.
   */
  #sendSoon() {
    if (this.#isUnderWay) return;
    if (this.#waiting.some(isLarge)) this.#send();
    else if (this.#waiting.length === 1) process.nextTick(() => this.#sendWaiting());
  }

  #sendWaiting() {
    if (!this.#isUnderWay && this.#waiting.length > 0) this.#send();
  }

  #send() {
    const opening = this.#opening.map((each) => ({
      ...this.#nameStatement(each),
      callback: () => undefined,
    }));
    const statements = [...opening, ...this.#waiting];
    this.#opening = [];
    this.#waiting = [];
    this.#hasOpenRead = false;
    this.#isUnderWay = true;
    const heard = this.#use.watch.begin((error) => this.client.connection.stream.destroy(error));
    this.#use.send(this.client, statements, () => {
      heard();
      this.#goOn();
    });
  }

  #goOn() {
    this.#isUnderWay = false;
    process.nextTick(() => this.#sendWaiting());
  }

  #nameStatement(statement: Statement) {
    return { ...statement, name: this.#use.prepared.nameOf(statement.text) };
  }
}
