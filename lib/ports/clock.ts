import type { Instant } from '../values/time/index.ts';

/**
 * The business clock (platform §14.1). Every business date comes from it; nothing in `lib` reads system time. `now()` is
 * a whole second. A clock that can be moved (tests, the test endpoints) tells its listeners, so that the dispatcher looks
 * for due work at once.
 */
export interface Clock {
  now(): Instant;
  /**
   * Milliseconds of system time until `now()` shows `at`; negative once it is past. A running clock has this method,
   * since `now()` hides the fraction of a second by which a timer would be late.
   */
  msUntil?(at: Instant): number;
  /** Registers `listener` for moves of the clock; returns the function that removes it. */
  onMove?(listener: () => void): () => void;
  /** Re-reads a clock that is shared with other nodes; awaited by the dispatcher and the HTTP adapter. */
  refresh?(): Promise<void>;
}

/**
 * System time and timers: leases, heartbeats, retry pauses and waits use it, so that moving the business clock never
 * expires a lease (platform §9.3 rule 6).
 */
export interface SystemClock {
  /**
   * Whether it is the real time of this machine, which the engine then puts right by that of the database (platform §15
   * rule 7); default false.
   */
  readonly isOfMachine?: boolean;
  nowMs(): number;
  /**
   * Resolves once everything else that waits for its turn has had it: timers, requests, signals. A database in the
   * process answers without ever leaving the current turn, so long work has to give way explicitly.
   */
  nextTurn(): Promise<void>;
  /**
   * Calls `action` after `delayMs`; the returned function cancels. A timer does not keep the process alive unless
   * `keepAlive` says so (for waits that a caller is awaiting).
   */
  after(delayMs: number, action: () => void, options?: { readonly keepAlive?: boolean }): () => void;
}
