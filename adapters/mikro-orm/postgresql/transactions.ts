import { DATABASE_IDLE_MS } from '../../../lib/values/limits.ts';
import {
  type Connection,
  compileStatement,
  inTransaction,
  type Reach,
  type Transaction,
  type TransactionKind,
  type Transactions,
} from '../sql/connection.ts';
import { failedCommit } from './failed-commit.ts';
import { TENANT_SETTING } from './tenant-policy.ts';

export const BEGINNING: Readonly<Record<TransactionKind['mode'], string>> = {
  read: 'start transaction isolation level repeatable read, read only',
  write: 'begin',
};

/** Setting that ends a transaction if it is idle for too long, because a node that hangs may hold locks. */
export const IDLE_SETTING = 'idle_in_transaction_session_timeout';

/**
 * Transactions on a host's connections or behind a pooler. The tenant is a transaction-local setting, so the next user
 * of the connection cannot inherit it. The setting is sent with `begin`, so it requires no additional round trip.
 */
export function postgresqlTransactions(connection: Connection): Transactions {
  const hosts = new HostReach();
  const run: Transactions['run'] = async ({ reach, mode }, work) =>
    connection
      .getClient()
      .getExecutor()
      .provideConnection((own) =>
        inTransaction(
          own,
          {
            beginning: `${BEGINNING[mode]}; set local ${TENANT_SETTING} = '${reach}'${idleLimitClause(mode)}`,
            ...(mode === 'write' && { failedCommit }),
          },
          work,
        ),
      );
  return {
    run,
    single: (reach) => eachInTransaction(run, reach),
    join: (host, reach, work) => hosts.during(host, reach, work),
  };
}

/**
 * Returns the idle limit of a transaction. Only writes have a limit, because only writes hold locks for which other
 * transactions wait.
 */
function idleLimitClause(mode: TransactionKind['mode']) {
  return mode === 'write' ? `; set local ${IDLE_SETTING} = ${DATABASE_IDLE_MS}` : '';
}

/** Runs each statement in its own transaction, because the setting is valid only until the end of a transaction. */
export function eachInTransaction(run: Transactions['run'], reach: Reach): Transaction {
  return {
    executeQuery: async (statement) =>
      run({ reach, mode: 'write' }, async (transaction) => ({
        result: await transaction.executeQuery(statement),
        last: Promise.resolve(),
      })),
  };
}

interface Held {
  readonly reach: Reach;
  readonly before: Promise<string>;
  users: number;
  readonly released: Promise<void>;
  readonly release: () => void;
}

/**
 * Sets the tenant scope of host transactions, that is, the tenants whose rows they can access. Operations with the same
 * tenant scope can share a transaction. Other operations wait.
 */
export class HostReach {
  readonly #held = new WeakMap<Transaction, Held>();

  async during<T>(
    host: Transaction,
    reach: Reach,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const held = await this.#take(host, reach);
    try {
      await held.before;
      return await work(host);
    } finally {
      await this.#releaseConnection(host, held);
    }
  }

  async #take(host: Transaction, reach: Reach): Promise<Held> {
    for (;;) {
      const held = this.#held.get(host);
      if (held === undefined) break;
      if (held.reach === reach) {
        held.users += 1;
        return held;
      }
      await held.released;
    }
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const held: Held = { reach, before: change(host, reach), users: 1, released, release };
    held.before.catch(() => undefined);
    this.#held.set(host, held);
    return held;
  }

  async #releaseConnection(host: Transaction, held: Held) {
    held.users -= 1;
    if (held.users > 0) return;
    this.#held.delete(host);
    try {
      await change(host, await held.before);
    } catch {
      // The host's transaction has failed; its rollback also restores the setting.
    } finally {
      held.release();
    }
  }
}

/** Sets the tenant scope for the rest of the transaction. Returns the previous tenant scope. */
async function change(host: Transaction, reach: string | number): Promise<string> {
  const { rows } = await host.executeQuery(
    compileStatement(
      `select set_config('${TENANT_SETTING}', $1, true), before
        from (select current_setting('${TENANT_SETTING}', true) as before offset 0) as earlier`,
      [String(reach)],
    ),
  );
  const [row] = rows as readonly { readonly before: string | null }[];
  return row?.before ?? '';
}
