import { assertInvariant } from '../../../lib/values/errors/index.ts';
import { DATABASE_IDLE_MS } from '../../../lib/values/limits.ts';
import type { Row } from '../sql/columns.ts';
import {
  type CompiledStatement,
  LostCommitError,
  type Reach,
  type Transaction,
  type TransactionKind,
  type Transactions,
} from '../sql/connection.ts';
import { PreparedStatements } from './prepared-statements.ts';
import type { ServerWatch } from './server-watch.ts';
import {
  type BatchedStatement,
  type DriverClient,
  type DriverResult,
  oneByOne,
  type Send,
  together,
} from './statement-batch.ts';
import { TENANT_SETTING } from './tenant-policy.ts';
import { BEGINNING, eachInTransaction, HostReach, IDLE_SETTING } from './transactions.ts';

/** The parts of the driver's pool that are used. */
interface DriverPool {
  connect(): Promise<PooledClient>;
}

type PooledClient = DriverClient & { release(): void };

/** What the connections of a pool share. */
interface PoolUse {
  /** Names the statements whose plans connections keep. */
  readonly prepared: Pick<PreparedStatements, 'nameOf'>;
  readonly watch: ServerWatch;
  readonly send: Send;
}

/** What a host decides about a pool. */
interface PoolOptions {
  /** Whether connections keep the plans of their statements. */
  readonly keepsPlans: boolean;
  /** Whether statements that are asked for at once go together. */
  readonly batchesStatements: boolean;
}

type Answer = Awaited<ReturnType<Transaction['executeQuery']>>;

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Number of characters from which a value takes the server longer than a round trip. */
const LARGE_FROM = 64 * 1_024;

function isLarge({ values }: Pick<Statement, 'values'>): boolean {
  return values.some((value) => typeof value === 'string' && value.length >= LARGE_FROM);
}

const COMMIT: Statement = { text: 'commit', values: [] };
const ROLLBACK: Statement = { text: 'rollback', values: [] };

/** Tells the server which tenant's rows are reached, for the rest of the transaction. */
function settingOf(reach: Reach): Statement {
  return { text: `select set_config('${TENANT_SETTING}', $1, true)`, values: [String(reach)] };
}

/** In the same statement, so that it costs nothing. */
function writeSettingsOf(reach: Reach): Statement {
  const { text, values } = settingOf(reach);
  return { text: `${text}, set_config('${IDLE_SETTING}', '${DATABASE_IDLE_MS}', true)`, values };
}

function openingOf({ reach, mode }: TransactionKind): readonly Statement[] {
  const settings = mode === 'write' ? writeSettingsOf(reach) : settingOf(reach);
  return [{ text: BEGINNING[mode], values: [] }, settings];
}

/**
 * Transactions on connections of a pool of our own, in few round trips: the beginning travels with the first statements,
 * the end with the last ones, and all statements of one turn of the event loop go together. Statements keep their plans.
 * A transaction tells the server whose rows it reaches by a setting that ends with the transaction and so cannot pass to
 * the next user of the connection.
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
  const run: Transactions['run'] = async (kind, work) => {
    const client = await clientOf(await pool(), watch);
    const line = new StatementLine(client, use, openingOf(kind));
    let isCommitting = false;
    try {
      const { result, last } = await work(line);
      isCommitting = kind.mode === 'write';
      const committed = line.commit();
      // If a statement fails together with the commit, its own error tells the meaning.
      committed.catch(() => undefined);
      await last;
      // What was read is known; only the connection still needs to know whether the server got the end.
      if (kind.mode === 'write') await committed;
      return result;
    } catch (error) {
      // A failing rollback must not hide its reason; the connection is then broken and its work is gone.
      await line.end(ROLLBACK).catch(() => undefined);
      throw isCommitting && !isOfServer(error) ? new LostCommitError(error) : error;
    } finally {
      void line.ended.then(() => client.release());
    }
  };
  const single = (reach: Reach): Transaction => ({
    executeQuery: async (statement) => {
      const client = await clientOf(await pool(), watch);
      try {
        return await new StatementLine(client, use, [settingOf(reach)]).executeQuery(statement);
      } finally {
        client.release();
      }
    },
  });
  return {
    run,
    single: batchesStatements ? single : (reach) => eachInTransaction(run, reach),
    join: (host, reach, work) => hosts.during(host, reach, work),
  };
}

/** True if the error comes from the server, and not from a wait that was given up. */
function isOfServer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error;
}

/** A connection of the pool; waiting for one fails when the server is gone. */
async function clientOf(pool: DriverPool, watch: ServerWatch): Promise<PooledClient> {
  await watch.requireServer();
  const connecting = pool.connect();
  const { promise: given, reject } = Promise.withResolvers<never>();
  const end = watch.begin((error) => {
    // If the pool finds one after all, nobody is waiting for it.
    connecting.then((client) => client.release()).catch(() => undefined);
    reject(error);
  });
  try {
    return await Promise.race([connecting, given]);
  } finally {
    end();
  }
}

/** What is made of a statement's rows, as they come. */
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

  /** @throws what a row could not be read for. */
  result(): readonly unknown[] {
    if (this.#failure) throw this.#failure.error;
    return this.#made;
  }
}

/** The statements of one connection, in the order in which they are asked for. */
class StatementLine implements Transaction {
  /** Settles when the latest statement has been answered. */
  ended: Promise<unknown> = Promise.resolve();
  readonly #client: DriverClient;
  readonly #use: PoolUse;
  #opening: readonly Statement[];
  #waiting: BatchedStatement[] = [];
  #isUnderWay = false;
  #isEnding = false;
  #failure: { readonly error: unknown } | undefined;

  /** @param opening sent before the first statement. */
  constructor(client: DriverClient, use: PoolUse, opening: readonly Statement[]) {
    this.#client = client;
    this.#use = use;
    this.#opening = opening;
  }

  async executeQuery({ sql: text, parameters: values, read }: CompiledStatement): Promise<Answer> {
    assertInvariant(!this.#isEnding, 'A statement has come after the end of its transaction', { text });
    // Statements without parameters run once, or contain numbers in their text, so they get no name.
    const name = values.length > 0 ? this.#use.prepared.nameOf(text) : undefined;
    const reading = read && new Reading(read);
    const { command, rowCount, rows } = await this.#answerOf({ name, text, values, onRow: reading?.onRow });
    const numAffectedRows = command === 'SELECT' ? undefined : BigInt(rowCount ?? 0);
    return reading ? { rows: reading.result(), isRead: true, numAffectedRows } : { rows, numAffectedRows };
  }

  /** The server answers the end of a failed transaction with a rollback, and without an error. */
  async commit(): Promise<void> {
    await this.end(COMMIT);
    if (this.#failure) throw this.#failure.error;
  }

  /** Ends the transaction after the statements before; if nothing was begun, nothing is ended. */
  end(statement: Statement): Promise<unknown> {
    this.#isEnding = true;
    if (this.#opening.length > 0 && this.#waiting.length === 0) return this.ended;
    const answer = this.#answerOf(this.#named(statement));
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
   * Sends once everything in this turn of the event loop has asked for what it needs. Large statements go at once, so
   * that the server works on them while the next is written.
   */
  #sendSoon(): void {
    if (this.#isUnderWay) return;
    if (this.#waiting.some(isLarge)) this.#send();
    else if (this.#waiting.length === 1) process.nextTick(() => this.#sendWaiting());
  }

  #sendWaiting(): void {
    if (!this.#isUnderWay && this.#waiting.length > 0) this.#send();
  }

  #send(): void {
    const opening = this.#opening.map((each) => ({ ...this.#named(each), callback: () => undefined }));
    const statements = [...opening, ...this.#waiting];
    this.#opening = [];
    this.#waiting = [];
    this.#isUnderWay = true;
    const heard = this.#use.watch.begin((error) => this.#client.connection.stream.destroy(error));
    this.#use.send(this.#client, statements, () => {
      heard();
      this.#goOn();
    });
  }

  #goOn(): void {
    this.#isUnderWay = false;
    process.nextTick(() => this.#sendWaiting());
  }

  #named(statement: Statement) {
    return { ...statement, name: this.#use.prepared.nameOf(statement.text) };
  }
}
