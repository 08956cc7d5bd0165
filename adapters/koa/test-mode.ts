import type { Instant } from '../../lib/values/time/index.ts';

/** A business clock that the test endpoints can move; `sharedTestClock` of the Node adapter is one. */
export interface MovableClock {
  now(): Instant;
  /** Sets business time; null returns to real time. */
  set(at: Instant | null): Promise<void>;
  move(by: {
    readonly days?: number | undefined;
    readonly weeks?: number | undefined;
    readonly months?: number | undefined;
    readonly years?: number | undefined;
  }): Promise<void>;
}

/** What the server gains in test mode (platform §14): the test endpoints, and stack traces on request. */
export interface TestMode {
  readonly clock: MovableClock;
}
