import type { SystemClock } from '../../ports/index.ts';

/**
 * A read whose result concurrent callers share. A caller never gets the result of a read that started before its call,
 * so the caller sees everything that was committed before the call.
 */
export class SharedRead {
  readonly #systemClock: Pick<SystemClock, 'nextTurn'>;
  readonly #read: () => Promise<void>;
  #latest: Promise<unknown> = Promise.resolve();
  /** The read that has not begun yet. */
  #next: Promise<void> | undefined;

  constructor(systemClock: Pick<SystemClock, 'nextTurn'>, read: () => Promise<void>) {
    this.#systemClock = systemClock;
    this.#read = read;
  }

  run(): Promise<void> {
    this.#next ??= this.#begin(this.#latest);
    return this.#next;
  }

  /**
   * Starts the read in the next turn of the event loop, so that all requests that have already arrived can share it.
   */
  async #begin(latest: Promise<unknown>): Promise<void> {
    await this.#systemClock.nextTurn();
    await latest;
    this.#next = undefined;
    const reading = this.#read();
    // The callers of the read get the error.
    this.#latest = reading.catch(() => undefined);
    await reading;
  }
}
