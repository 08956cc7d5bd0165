import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * Milliseconds without a response after which a server is probed, and the time limit of the probe. Even with a second
 * attempt, they stay below the 5 s within which every call returns (http-api §12, 60018).
 */
const DATABASE_SILENCE_MS = 1_000;
const DATABASE_PROBE_MS = 1_500;

/**
 * Maximum duration of a statement in milliseconds while the server responds to probes. It is longer than any lock wait
 * (`MAX_LOCK_WAIT_STEPS`).
 */
const DATABASE_STATEMENT_MS = 120_000;

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** Milliseconds between checks. If the process is busy for seconds, the whole time counts as one check. */
const LOOK_MS = 100;
const looksUntil = (ms: number): number => Math.ceil(ms / LOOK_MS);

/** A TLS request. Every server responds to it with one byte, even if it is busy. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** Thrown if the server responds neither on the existing connection nor on a new one. */
export class ServerSilentError extends Error {
  override readonly name = 'ServerSilentError';
}

interface Wait {
  /** Number of checks since the wait started or the server last responded. */
  age: number;
  silent: number;
  readonly giveUp: (error: ServerSilentError) => void;
}

/**
 * Distinguishes a slow server from an unreachable one. A statement may take a minute, but callers must learn of an
 * unreachable server within seconds. A server that is silent for a second is probed on another connection. If the
 * probe gets no response, all waits fail. From then on, the server is probed before each use, at most once a second,
 * until it responds.
 */
export class ServerWatch {
  readonly #address: () => Promise<ServerAddress>;
  readonly #onSilence: () => void;
  readonly #waits = new Set<Wait>();
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<boolean> | undefined;
  /** Time of the last failed probe (`performance.now`). Undefined once the server has responded. */
  #awayAtMs: number | undefined;

  /** @param onSilence Called after each failed probe. It may change the address. */
  constructor(address: () => Promise<ServerAddress>, onSilence: () => void) {
    this.#address = address;
    this.#onSilence = onSilence;
  }

  /** Checks that the server is reachable. @throws ServerSilentError while it is known to be unreachable. */
  async requireServer(): Promise<void> {
    if (this.#awayAtMs === undefined) return;
    const isJustProbed = performance.now() < this.#awayAtMs + DATABASE_SILENCE_MS;
    if (isJustProbed || !(await this.#ask())) throw silent();
  }

  /** Calls `giveUp` once if the server becomes unreachable during the wait. Returns a function that ends the wait. */
  begin(giveUp: Wait['giveUp']): () => void {
    const wait: Wait = { age: 0, silent: 0, giveUp };
    this.#waits.add(wait);
    // The connection keeps the process alive, so the timer does not need to.
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
    return () => {
      this.#waits.delete(wait);
    };
  }

  #look() {
    if (this.#waits.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    let isSilent = false;
    for (const wait of this.#waits) {
      wait.age += 1;
      wait.silent += 1;
      if (wait.age >= looksUntil(DATABASE_STATEMENT_MS)) this.#giveUp(wait);
      isSilent ||= wait.silent >= looksUntil(DATABASE_SILENCE_MS);
    }
    if (isSilent && this.#asking === undefined) void this.#requestWaits();
  }

  async #requestWaits() {
    const waits = [...this.#waits];
    const isThere = await this.#ask().catch(() => false);
    for (const wait of waits) {
      if (isThere) wait.silent = 0;
      else if (this.#waits.has(wait)) this.#giveUp(wait);
    }
  }

  #giveUp(wait: Wait) {
    this.#waits.delete(wait);
    wait.giveUp(silent());
  }

  /** Probes the server. Concurrent callers share one probe. */
  async #ask(): Promise<boolean> {
    this.#asking ??= this.#address().then(answers);
    try {
      const isThere = await this.#asking;
      this.#awayAtMs = isThere ? undefined : performance.now();
      if (!isThere) this.#onSilence();
      return isThere;
    } finally {
      this.#asking = undefined;
    }
  }
}

function silent(): ServerSilentError {
  return new ServerSilentError('The server does not respond');
}

async function answers({ host, port }: ServerAddress) {
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  let answered: boolean | undefined;
  socket.on('connect', () => socket.write(TLS_REQUEST));
  socket.on('data', () => {
    answered = true;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    answered ??= false;
  });
  for (let looks = looksUntil(DATABASE_PROBE_MS); looks > 0 && answered === undefined; looks -= 1)
    await setTimeout(LOOK_MS);
  socket.destroy();
  return answered === true;
}
