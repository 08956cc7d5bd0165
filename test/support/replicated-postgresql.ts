import { setTimeout } from 'node:timers/promises';
import { type PostgresqlServer, startPostgresql } from './postgresql-server.ts';

/** A primary with a standby that streams its changes. */
export interface ReplicatedPostgresql {
  /** Connection URL of a database with both hosts, the primary first. */
  readonly url: (database: string) => string;
  readonly primary: PostgresqlServer;
  readonly standby: PostgresqlServer;
  /** Promotes the standby. */
  readonly promote: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const POLL_MS = 20;

/**
 * Starts both servers. With `isSynchronous`, the primary confirms a commit once the standby has it. Otherwise the
 * standby may be behind.
 */
export async function startReplicated(isSynchronous: boolean): Promise<ReplicatedPostgresql> {
  const primary = await startPostgresql({ replicated: true });
  const standby = await primary.follow();
  const states = isSynchronous ? ['sync', 'quorum'] : ['async'];
  if (isSynchronous) await primary.administer(`alter system set synchronous_standby_names = 'standby'`);
  await primary.administer('select pg_reload_conf()');
  for (;;) {
    const [link] = await primary.administer('select sync_state from pg_stat_replication');
    if (states.includes(String(link?.sync_state))) break;
    await setTimeout(POLL_MS);
  }
  return {
    url: (database) => {
      const [first, second] = [primary, standby].map((server) => new URL(server.url(database)));
      return `${first?.href.replace(`${first.host}/`, `${first.host},${second?.host}/`)}?target_session_attrs=read-write`;
    },
    primary,
    standby,
    promote: async () => {
      await standby.administer('select pg_promote()');
    },
    stop: async () => {
      await primary.stop();
      await standby.stop();
    },
  };
}
