import { type Connection, compiled, type Transaction } from './connection.ts';
import { reachingFor } from './postgresql-bound-statements.ts';
import { HostReach } from './postgresql-host-reach.ts';
import { TENANT_SETTING } from './postgresql-tenant-policy.ts';
import type { TransactionKind, Transactions } from './transactions.ts';

const BEGINNING: Readonly<Record<TransactionKind['mode'], string>> = {
  read: 'start transaction isolation level repeatable read, read only',
  write: 'begin',
};

/**
 * Transactions that tell the server whose rows they reach, by a setting that ends with them: it cannot pass to whoever
 * has the connection next, be it through our pool or through a pooler in between. It travels with what is sent first
 * anyway, so that it costs no round trip.
 *
 * @param bindsReach whether the connections were prepared (`keepPrepared`) to send a single statement together with the
 * setting; in those of a host it takes a transaction of three round trips.
 */
export function postgresqlTransactions(connection: Connection, bindsReach: boolean): Transactions {
  const hosts = new HostReach();
  const run: Transactions['run'] = async ({ reach, mode }, work) =>
    connection
      .getClient()
      .getExecutor()
      .provideConnection(async (own) => {
        try {
          await own.executeQuery(compiled(`${BEGINNING[mode]}; set local ${TENANT_SETTING} = '${reach}'`));
          const result = await work(own);
          await own.executeQuery(compiled('commit'));
          return result;
        } catch (error) {
          // A rollback that fails must not hide why it was made; the connection is broken then and its work is gone.
          await own.executeQuery(compiled('rollback')).catch(() => undefined);
          throw error;
        }
      });
  return {
    run,
    single: (reach): Transaction => ({
      executeQuery: async (statement) =>
        bindsReach
          ? connection
              .getClient()
              .executeQuery({ ...statement, parameters: reachingFor(statement.parameters, reach) })
          : run({ reach, mode: 'write' }, (transaction) => transaction.executeQuery(statement)),
    }),
    join: (host, reach, work) => hosts.during(host, reach, work),
  };
}
