import type { Clock, SystemClock } from '../../lib/ports/index.ts';
import { SharedRead } from '../../lib/runtime/index.ts';
import {
  addDays,
  addMilliseconds,
  addMonths,
  checkClockTime,
  type Instant,
  instant,
  localDateOf,
  movedClock,
  startOfDay,
  truncateToSecond,
  UTC,
} from '../../lib/values/time/index.ts';

/** Stores the setting of the clock for all nodes (`SystemStore` of the storage port). */
export interface TestClockStore {
  readTestClock(): Promise<TestClockSetting | null>;
  writeTestClock(value: TestClockSetting | null): Promise<void>;
}

/**
 * The setting of the clock. Business time was `base` at system time `setAtMs`, and the clock has been running since
 * then.
 */
export interface TestClockSetting {
  readonly base: Instant;
  readonly setAtMs: number;
}

/**
 * A move by calendar units, which may be negative. If several units are given, only the first is used, in the order
 * days, weeks, months, years.
 */
export interface ClockMove {
  readonly days?: number | undefined;
  readonly weeks?: number | undefined;
  readonly months?: number | undefined;
  readonly years?: number | undefined;
}

/** A business clock that can be moved. All nodes of a database share it (platform §14). For test mode only. */
export interface SharedTestClock extends Clock {
  onMove(listener: () => void): () => void;
  refresh(): Promise<void>;
  /**
   * Sets business time. Null returns to real time.
   * @throws BillingError INVALID_PARAMETER (60002) for a time before 1970-01-02 or after 8999-12-31.
   */
  set(at: Instant | null): Promise<void>;
  /**
   * Moves business time.
   * @throws BillingError INVALID_PARAMETER (60002) for a result before 1970-01-02 or after 8999-12-31.
   */
  move(by: ClockMove): Promise<void>;
}

const daysPerWeek = 7;
const monthsPerYear = 12;

/** Returns the shared test clock, which shows real time until it is set. Call `refresh()` before its first use. */
export function sharedTestClock(
  store: TestClockStore,
  systemClock: Pick<SystemClock, 'nowMs' | 'nextTurn'>,
): SharedTestClock {
  const reading = new SharedRead(systemClock, async () => take(await store.readTestClock()));
  const listeners = new Set<() => void>();
  let setting: TestClockSetting | null = null;

  function exactNow(): Instant {
    const systemNowMs = systemClock.nowMs();
    return setting === null
      ? instant(systemNowMs)
      : addMilliseconds(setting.base, systemNowMs - setting.setAtMs);
  }

  function now(): Instant {
    return truncateToSecond(exactNow());
  }

  function take(next: TestClockSetting | null): void {
    const moved = next?.base !== setting?.base || next?.setAtMs !== setting?.setAtMs;
    setting = next;
    if (moved) for (const listener of listeners) listener();
  }

  async function set(at: Instant | null): Promise<void> {
    if (at !== null) checkClockTime(at);
    const next = at === null ? null : { base: truncateToSecond(at), setAtMs: systemClock.nowMs() };
    await store.writeTestClock(next);
    take(next);
  }

  return {
    now,
    msUntil: (at) => at - exactNow(),
    set,
    refresh: () => reading.run(),
    async move(by) {
      await reading.run();
      const from = now();
      const to = movedClock(from, () => moveInstant(from, by));
      if (to !== from) await set(to);
    },
    onMove(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Returns the moved instant, computed in UTC. A move by months or years keeps the day and time. If the month is too
 * short, the last day of the month is used (platform §14.2).
 */
function moveInstant(at: Instant, { days, weeks, months, years }: ClockMove): Instant {
  const date = localDateOf(at, UTC);
  const byDays = days ?? (weeks === undefined ? undefined : weeks * daysPerWeek);
  const byMonths = months ?? (years ?? 0) * monthsPerYear;
  const to = byDays === undefined ? addMonths(date, byMonths) : addDays(date, byDays);
  return addMilliseconds(startOfDay(to, UTC), at - startOfDay(date, UTC));
}
