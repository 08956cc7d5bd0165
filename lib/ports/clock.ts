import type { Instant } from '../values/time/index.ts';

/**
 * The business clock (platform §14.1), the only source of business dates: `lib` never reads system time. `now()` is a
 * whole second. A movable clock notifies its listeners, so that the dispatcher looks for due work at once.
 */
export interface Clock {
  now(): Instant;
  /**
   * Milliseconds of system time until `now()` shows `at`; negative once it is past. `now()` alone hides up to a second.
   */
  msUntil?(at: Instant): number;
  /** Registers `listener` for moves of the clock; returns the function that removes it. */
  onMove?(listener: () => void): () => void;
  /** Re-reads a clock that is shared with other nodes; awaited by the dispatcher and the HTTP adapter. */
  refresh?(): Promise<void>;
}

/**
 * System time and timers for leases, heartbeats, retry pauses and waits, so that moving the business clock never
 * expires a lease (platform §9.3 rule 6).
 */
export interface SystemClock {
  /**
   * Whether this is the machine's real time, which the engine corrects by the database's (platform §15 rule 7); default
   * false.
   */
  readonly isOfMachine?: boolean;
  nowMs(): number;
  /**
   * Resolves after all waiting timers, requests and signals have run. An in-process database never leaves the current
   * turn, so long work has to yield explicitly.
   */
  nextTurn(): Promise<void>;
  /**
   * Calls `action` after `delayMs`; the returned function cancels. Only a timer with `keepAlive` keeps the process
   * alive.
   */
  after(delayMs: number, action: () => void, options?: { readonly keepAlive?: boolean }): () => void;
}
