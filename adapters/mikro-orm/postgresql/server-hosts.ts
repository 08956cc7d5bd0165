import { type ConnectionUrl, type RequiredSession, sessionFault } from './connection-url.ts';
import { postgresqlDialect } from './dialect.ts';
import type { ServerAddress } from './server-watch.ts';

/** Time limit in milliseconds for a new connection. It applies to all hosts together. */
const DATABASE_CONNECT_MS = 4_000;

/** Milliseconds during which a failed search is not repeated, so that all calls waiting for the pool fail together. */
const SEARCH_PAUSE_MS = 1_000;

type Connected = (error: unknown, client?: unknown) => void;

/** The part of the driver's client that determines its server. A client can connect only once. */
interface DriverClient extends ServerAddress {
  readonly connection: { readonly stream: { readonly destroyed: boolean; destroy(): void } };
  connect(): Promise<unknown>;
  connect(callback: Connected): void;
  on(event: 'error', listener: () => void): unknown;
  query(query: { readonly text: string; readonly query_timeout: number }): Promise<{
    readonly rows: readonly SessionState[];
  }>;
  end(): Promise<void>;
}

type OpenClient = (url: string, timeoutMs: number) => DriverClient;

type DriverClass = new (options: object) => DriverClient;

interface SessionState {
  readonly isReadOnly: boolean;
  readonly isStandby: boolean;
}

/** Thrown if no host in the URL accepts a suitable session. */
export class NoHostError extends Error {
  override readonly name = 'NoHostError';
  readonly code = 'NO_HOST';
}

/**
 * The hosts of a connection URL. Each search starts with the host that the last search found, so that all connections
 * go to the same server.
 */
export class ServerHosts {
  readonly #urls: readonly [string, ...string[]];
  readonly #requires: RequiredSession;
  #current = 0;
  #searching: Promise<ServerAddress> | undefined;
  #failed: { readonly atMs: number; readonly error: unknown } | undefined;

  /** @throws TypeError for a URL that requires an unsupported kind of session. */
  constructor({ ofHosts: [first, ...others], requires }: ConnectionUrl) {
    if (requires === null) throw new TypeError(`The database URL ${sessionFault}`);
    this.#urls = [first.href, ...others.map(({ href }) => href)];
    this.#requires = requires;
  }

  /** URL of the host that is tried first. */
  get url(): string {
    return this.#urls[this.#current] ?? this.#urls[0];
  }

  /** False if there is only one host and the driver can connect to it without a search. */
  get needsSearch(): boolean {
    return this.#urls.length > 1 || this.#requires !== 'any';
  }

  /** Makes the next host the first one. Call this if the current host does not respond. */
  skip(): void {
    this.#current = (this.#current + 1) % this.#urls.length;
  }

  /**
   * Returns the address of the first host that accepts a suitable session. Concurrent callers share a search.
   * @throws NoHostError with the reason for each host, or the server's error if the server rejects the user or the
   * database.
   */
  find(open: OpenClient): Promise<ServerAddress> {
    if (this.#failed !== undefined && performance.now() < this.#failed.atMs + SEARCH_PAUSE_MS)
      return Promise.reject(this.#failed.error);
    this.#searching ??= this.#search(open).finally(() => {
      this.#searching = undefined;
    });
    return this.#searching;
  }

  async #search(open: OpenClient): Promise<ServerAddress> {
    const timeoutMs = DATABASE_CONNECT_MS / this.#urls.length;
    const inOrder = [...this.#urls.slice(this.#current), ...this.#urls.slice(0, this.#current)];
    const faults: string[] = [];
    try {
      for (const url of inOrder) {
        const client = open(url, timeoutMs);
        const fault = await faultOf(client, { requires: this.#requires, timeoutMs });
        if (fault === null) {
          this.#current = this.#urls.indexOf(url);
          return client;
        }
        faults.push(`${client.host}:${client.port} ${fault}`);
      }
      throw new NoHostError(`No host of the database URL can be used: ${faults.join('; ')}`);
    } catch (error) {
      this.#failed = { atMs: performance.now(), error };
      throw error;
    }
  }
}

/**
 * Makes a pool connect to the hosts, with the whole URL. MikroORM uses only host, port, user, password and database,
 * and drops options such as `sslmode`. The connection time is limited here, because the driver's own setting would also
 * limit the wait for a busy pool.
 */
export function connectTo(hosts: ServerHosts, pool: object): void {
  const Driver = Reflect.get(pool, 'Client') as DriverClass;
  const Client = class extends Driver {
    constructor(options: object) {
      super(optionsFor(options, hosts.url, DATABASE_CONNECT_MS));
    }
  };
  const open: OpenClient = (url, timeoutMs) => new Driver(optionsFor(optionsOf(pool), url, timeoutMs));
  Reflect.set(pool, 'Client', hosts.needsSearch ? searchingClient(Client, () => hosts.find(open)) : Client);
}

/**
 * Returns a client class that connects to the host returned by `find`. The search opens separate connections, because
 * the driver cannot change the host of a client.
 */
function searchingClient(Driver: DriverClass, find: () => Promise<ServerAddress>): DriverClass {
  return class extends Driver {
    override connect(): Promise<unknown>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<unknown> | undefined {
      const connecting = this.#connect();
      if (callback === undefined) return connecting;
      connecting.then(() => callback(null, this), callback);
      return undefined;
    }

    async #connect(): Promise<void> {
      const { host, port } = await find();
      // The owner may have closed the connection during the search.
      if (this.connection.stream.destroyed) throw new Error('Connection terminated');
      Object.assign(this, { host, port });
      await super.connect();
    }
  };
}

function optionsOf(pool: object): object {
  return Reflect.get(pool, 'options') as object;
}

function optionsFor(options: object, url: string, timeoutMs: number): object {
  return Object.create(options, {
    connectionString: { value: url },
    connectionTimeoutMillis: { value: timeoutMs },
  });
}

const sessionQuery = `select current_setting('transaction_read_only') = 'on' as "isReadOnly",
  pg_is_in_recovery() as "isStandby"`;

/**
 * Connects to a host. Returns the reason why the engine cannot use the host, or null.
 * @throws The error of a server that works but rejects the connection, for example because of a wrong password.
 */
async function faultOf(
  client: DriverClient,
  { requires, timeoutMs }: { readonly requires: RequiredSession; readonly timeoutMs: number },
): Promise<string | null> {
  // If the connection is lost, the query fails with the same error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    if (requires === 'any') return null;
    const { rows } = await client.query({ text: sessionQuery, query_timeout: timeoutMs });
    return unsuitable(rows[0], requires);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isRejected = 'severity' in error && postgresqlDialect.failureOf(error).kind !== 'away';
    if (isRejected) throw error;
    return `cannot be reached (${error.message})`;
  } finally {
    client.end().catch(() => undefined);
  }
}

function unsuitable(session: SessionState | undefined, requires: RequiredSession): string | null {
  if (session?.isStandby) return 'is a standby';
  return session?.isReadOnly && requires === 'read-write' ? 'is read-only' : null;
}
