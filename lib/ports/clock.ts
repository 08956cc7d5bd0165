import type { Instant } from '../values/time/index.ts';

/**
 * The business clock (platform §14.1), the only source of business dates. `lib` never reads system time.
 * `now()` is a whole second. A movable clock notifies its listeners, so that the dispatcher checks for due
 * work immediately.
 */
export interface Clock {
  now(): Instant;
  /**
   * Milliseconds of system time until `now()` shows `at`; negative if `at` has passed. More precise than
   * `now()`, which hides up to a second.
   */
  msUntil?(at: Instant): number;
  /** Registers `listener` for moves of the clock. Returns a function that removes the listener. */
  onMove?(listener: () => void): () => void;
  /** Refreshes a clock that is shared with other nodes. The dispatcher and the HTTP adapter await this call. */
  refresh?(): Promise<void>;
}

/**
 * System time and timers for leases, heartbeats, retry pauses and waits. They are separate from the business clock,
 * so that a move of that clock never expires a lease (platform §9.3 rule 6).
 */
export interface SystemClock {
  /**
   * True if this is the machine's real time, which the engine corrects by the database's time (platform §15 rule 7).
   * Defaults to false.
   */
  readonly isOfMachine?: boolean;
  nowMs(): number;
  /**
   * Resolves after all waiting timers, requests and signals have run. An in-process database never leaves the current
   * turn, so long work has to yield explicitly.
   */
  nextTurn(): Promise<void>;
  /**
   * Calls `action` after `delayMs`. Returns a function that cancels the timer. Only a timer with `keepAlive` keeps
   * the process alive.
   */
  after(delayMs: number, action: () => void, options?: { readonly keepAlive?: boolean }): () => void;
}
