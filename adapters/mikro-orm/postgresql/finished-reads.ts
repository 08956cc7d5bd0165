/** The part of a client that reports the loss of its connection while the client is kept. */
export interface KeptClient {
  on(event: 'error', listener: () => void): unknown;
  removeListener(event: 'error', listener: () => void): unknown;
}

/** Milliseconds to wait for the next transaction on a connection that has a finished read. */
const COMMIT_WAIT_MS = 10;

interface Kept<C> {
  readonly client: C;
  readonly stopWaiting: () => void;
}

/**
 * Connections whose read is complete but not committed. The commit is sent with the first statements of the next
 * transaction, because a separate round trip would take a fifth of the engine's work for a short read.
 */
export class FinishedReads<C extends KeptClient> {
  readonly #kept: Kept<C>[] = [];

  /** Keeps the connection. Calls `end` if no transaction uses the connection in time, or if the connection is lost. */
  keep(client: C, end: () => void): void {
    const over = () => {
      kept.stopWaiting();
      this.#kept.splice(this.#kept.indexOf(kept), 1);
      end();
    };
    const timer = setTimeout(over, COMMIT_WAIT_MS);
    client.on('error', over);
    const stopWaiting = () => {
      clearTimeout(timer);
      client.removeListener('error', over);
    };
    const kept = { client, stopWaiting };
    this.#kept.push(kept);
  }

  /** Returns the most recent connection. The next transaction on it must begin with the commit. */
  take(): C | undefined {
    const kept = this.#kept.pop();
    kept?.stopWaiting();
    return kept?.client;
  }
}
