import { DATABASE_IDLE_MS } from '../../../lib/values/limits.ts';
import type { Connection, Transaction } from '../sql/connection.ts';
import { inTransaction, type Reach, type TransactionKind, type Transactions } from '../sql/transactions.ts';
import { HostReach } from './host-reach.ts';
import { TENANT_SETTING } from './tenant-policy.ts';

export const BEGINNING: Readonly<Record<TransactionKind['mode'], string>> = {
  read: 'start transaction isolation level repeatable read, read only',
  write: 'begin',
};

/**
 * Ends a transaction that leaves the server waiting for longer: it may belong to a node that hangs, and holds its locks
 * for as long as it is open.
 */
export const IDLE_SETTING = 'idle_in_transaction_session_timeout';

/**
 * Transactions on the connections of a host, or behind a pooler. They tell the server whose rows they reach, by a setting
 * that ends with them and so cannot pass to the next user of the connection, through the host's pool or a pooler in
 * between. It travels with the beginning, so that it costs no round trip.
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
          `${BEGINNING[mode]}; set local ${TENANT_SETTING} = '${reach}'${boundOf(mode)}`,
          work,
        ),
      );
  return {
    run,
    single: (reach) => eachInTransaction(run, reach),
    join: (host, reach, work) => hosts.during(host, reach, work),
  };
}

/** Only what writes holds locks that others wait for. */
function boundOf(mode: TransactionKind['mode']): string {
  return mode === 'write' ? `; set local ${IDLE_SETTING} = ${DATABASE_IDLE_MS}` : '';
}

/** Runs each statement in a transaction of its own, since the setting of the reach does not outlast a transaction. */
export function eachInTransaction(run: Transactions['run'], reach: Reach): Transaction {
  return {
    executeQuery: async (statement) =>
      run({ reach, mode: 'write' }, async (transaction) => ({
        result: await transaction.executeQuery(statement),
        last: Promise.resolve(),
      })),
  };
}
