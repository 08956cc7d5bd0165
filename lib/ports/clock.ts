import type { Instant } from '../values/time/index.ts';

/**
 * The business clock (platform §14.1), the only source of business dates. `lib` never reads system time.
 * `now()` is a whole second. A movable clock notifies its listeners, so that the dispatcher checks for due
 * work immediately.
 */
export interface Clock {
  now(): Instant;
  /**
   * Returns the milliseconds of system time until `now()` returns `at`. The result is negative if `at` has passed,
   * and more precise than `now()`, which returns whole seconds.
   */
  msUntil?(at: Instant): number;
  /** Registers a function that is called when the clock is moved. Returns a function that removes it. */
  onMove?(listener: () => void): () => void;
  /** Refreshes a clock that is shared with other nodes. The dispatcher and the HTTP adapter await this call. */
  refresh?(): Promise<void>;
}

/**
 * System time and timers for leases, heartbeats, retry pauses and waits. They are separate from the business clock, so
 * moving that clock never makes a lease expire (platform §9.3 rule 6).
 */
export interface SystemClock {
  /**
   * True if this is the machine's real time. In this case, the engine adjusts it to the database's time (platform §15
   * rule 7). Defaults to false.
   */
  readonly isOfMachine?: boolean;
  nowMs(): number;
  /**
   * Resolves after all waiting timers, requests and signals have run. Long work must call this explicitly, because an
   * in-process database never yields.
   */
  nextTurn(): Promise<void>;
  /**
   * Calls `action` after `delayMs`. Returns a function that cancels the timer. Only a timer with `keepAlive` keeps
   * the process alive.
   */
  after(delayMs: number, action: () => void, options?: { readonly keepAlive?: boolean }): () => void;
}
