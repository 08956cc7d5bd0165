import type { HeldName } from '../../../lib/ports/storage/index.ts';
import { HOME_ID, QUEUE_CHANNEL } from './dialect.ts';

interface ListeningClient extends NamingClient {
  readonly host: string;
  readonly port: number;
  readonly connection: { readonly stream: { destroy(error: Error): void } };
  connect(): Promise<unknown>;
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
  end(): Promise<void>;
}

/** The driver's pool. Only its settings are used, because a listening connection is never returned to a pool. */
export interface ClientPool {
  readonly options: object;
  readonly Client: new (options: object) => ListeningClient;
}

const firstPauseMs = 250;
const longestPauseMs = 5_000;

/**
 * Listens to other nodes and reserves the name of this node, on its own connection. Reconnects when the connection is
 * lost.
 */
export class QueueListener {
  readonly #pool: () => Promise<ClientPool>;
  readonly #ownTag: string;
  readonly #listeners = new Set<() => void>();
  #client: ListeningClient | undefined;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = firstPauseMs;
  #closed = false;
  #nodeName: string | undefined;

  constructor(pool: () => Promise<ClientPool>, ownTag: string) {
    this.#pool = pool;
    this.#ownTag = ownTag;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#running ??= this.#connect();
    return () => this.#listeners.delete(listener);
  }

  /** Reserves the name of the node, on this connection and again after each reconnection. */
  async reserveName(nodeName: string): Promise<HeldName> {
    this.#running ??= this.#connect();
    await this.#running;
    const held = this.#client === undefined ? 'UNKNOWN' : await reserveName(this.#client, nodeName);
    if (held === 'HELD') this.#nodeName = nodeName;
    // The start is rejected, so the connection is no longer needed.
    if (held === 'TAKEN' && this.#listeners.size === 0) this.#disconnect();
    return held;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const running = this.#running;
    this.#disconnect();
    await running;
  }

  /** Destroys the connection without informing the server, which may never respond. */
  #disconnect() {
    const client = this.#client;
    this.#client = undefined;
    this.#running = undefined;
    client?.connection.stream.destroy(new Error('The listener has been closed'));
  }

  async #connect() {
    if (this.#closed) return;
    try {
      const { Client, options } = await this.#pool();
      const client = new Client(options);
      this.#client = client;
      client.on('error', () => this.#scheduleReconnect(client));
      client.on('end', () => this.#scheduleReconnect(client));
      await client.connect();
      client.on('notification', ({ payload }) => {
        // This node's own commits are signaled within the process.
        if (payload !== this.#ownTag) this.#tell();
      });
      const { rows } = await client.query(`select ${QUEUE_CHANNEL} as channel`);
      await client.query(`listen ${String(Reflect.get(Object(rows[0]), 'channel'))}`);
      // If another node has taken the name in the meantime, leases prevent both nodes from doing the same work.
      if (this.#nodeName !== undefined) await reserveName(client, this.#nodeName);
      this.#pauseMs = firstPauseMs;
    } catch {
      // The database is unreachable. Callers of the database report the error; the listener only reconnects later.
      this.#scheduleReconnect(this.#client);
    }
  }

  #scheduleReconnect(client: ListeningClient | undefined) {
    if (this.#closed || client !== this.#client) return;
    this.#client = undefined;
    client?.end().catch(() => undefined);
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    this.#timer = setTimeout(() => {
      this.#running = this.#connect();
      // Commits during the outage were missed.
      this.#tell();
    }, pauseMs).unref();
  }

  #tell() {
    for (const listener of this.#listeners) listener();
  }
}

interface NamingClient {
  /** Id of the server process for this connection. With a pooler, this is not the id of the actual process. */
  readonly processID?: number | null;
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** The first key of the name locks: the letters "bwnn". The second key is the hash of the schema and the name. */
const NAME_LOCKS = 0x62776e6e;

/** Settings that make the server detect the loss of a machine within 25 s and release its lock. */
const aliveChecks = [
  'set tcp_keepalives_idle = 10',
  'set tcp_keepalives_interval = 5',
  'set tcp_keepalives_count = 3',
  'set tcp_user_timeout = 25000',
];

/**
 * Reserves the name of the node with a session-level advisory lock (platform §15 rule 1). The server releases the lock
 * whenever the process ends. If a pooler shares connections, takes no lock, because the lock could outlive the node.
 */
export async function reserveName(client: NamingClient, name: string): Promise<HeldName> {
  if (!(await isDirect(client))) return 'UNKNOWN';
  for (const check of aliveChecks) await client.query(check).catch(() => undefined); // not on every system
  const held = `select pg_try_advisory_lock($1, hashtext(${HOME_ID} || $2)) as held`;
  const taken = await client.query(held, [NAME_LOCKS, name]);
  return flagOf(taken, 'held') ? 'HELD' : 'TAKEN';
}

async function isDirect(client: NamingClient) {
  const asked = await client.query('select pg_backend_pid() = $1 as direct', [client.processID ?? 0]);
  return flagOf(asked, 'direct');
}

function flagOf({ rows }: { readonly rows: readonly unknown[] }, name: string) {
  return Reflect.get(Object(rows[0]), name) === true;
}
