import type { HeldName } from '../../../lib/ports/storage/index.ts';

/** What is used of a client of the PostgreSQL driver. */
export interface NamingClient {
  /** The process of the server that serves it, as the connection began; a pooler in between tells another number. */
  readonly processID?: number | null;
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** Beside the hash of a name, so that nobody else in the host's database uses it: the letters "bwnn". */
const NAME_LOCKS = 0x62776e6e;

/** A machine that is lost says no goodbye: the server then finds within 25 s that nobody is there, and drops the lock. */
const aliveChecks = [
  'set tcp_keepalives_idle = 10',
  'set tcp_keepalives_interval = 5',
  'set tcp_keepalives_count = 3',
  'set tcp_user_timeout = 25000',
];

/**
 * Takes the name of a node for as long as the connection lives (platform §15 rule 1), by an advisory lock of its session: the
 * server drops it when the process ends in any way. Behind a pooler that shares connections a lock would outlive its node,
 * so none is taken there.
 */
export async function holdName(client: NamingClient, name: string): Promise<HeldName> {
  if (!(await isDirect(client))) return 'UNKNOWN';
  for (const check of aliveChecks) await client.query(check).catch(() => undefined); // not on every system
  const taken = await client.query('select pg_try_advisory_lock($1, hashtext($2)) as held', [
    NAME_LOCKS,
    name,
  ]);
  return flagOf(taken, 'held') ? 'HELD' : 'TAKEN';
}

async function isDirect(client: NamingClient): Promise<boolean> {
  const asked = await client.query('select pg_backend_pid() = $1 as direct', [client.processID ?? 0]);
  return flagOf(asked, 'direct');
}

function flagOf({ rows }: { readonly rows: readonly unknown[] }, name: string): boolean {
  return Reflect.get(Object(rows[0]), name) === true;
}
