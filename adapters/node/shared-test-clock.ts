import type { Clock, SystemClock } from '../../lib/ports/index.ts';
import {
  addDays,
  addMilliseconds,
  addMonths,
  checkClockTime,
  type Instant,
  instant,
  type LocalDate,
  localDateOf,
  movedClock,
  startOfDay,
  truncateToSecond,
  UTC,
} from '../../lib/values/time/index.ts';

/** Where the clock's setting is stored, so that every node reads the same time (`SystemStore` of the storage port). */
export interface TestClockStore {
  readTestClock(): Promise<TestClockSetting | null>;
  writeTestClock(value: TestClockSetting | null): Promise<void>;
}

/** Business time `base` at system time `setAtMs`; it runs on from there. */
export interface TestClockSetting {
  readonly base: Instant;
  readonly setAtMs: number;
}

/** A move by calendar units; only the first one given of days, weeks, months, years counts, negative goes back. */
export interface ClockMove {
  readonly days?: number | undefined;
  readonly weeks?: number | undefined;
  readonly months?: number | undefined;
  readonly years?: number | undefined;
}

/** A business clock that can be moved and is shared by all nodes of a database (platform §14). Test mode only. */
export interface SharedTestClock extends Clock {
  onMove(listener: () => void): () => void;
  refresh(): Promise<void>;
  /**
   * Sets business time; null returns to real time.
   * @throws BillingError INVALID_PARAMETER (60002) for a time before 1970-01-02 or after 8999-12-31.
   */
  set(at: Instant | null): Promise<void>;
  /** @throws BillingError INVALID_PARAMETER (60002) when the move leads before 1970-01-02 or after 8999-12-31. */
  move(by: ClockMove): Promise<void>;
}

const daysPerWeek = 7;
const monthsPerYear = 12;

/** The shared test clock on `store`; call `refresh()` before its first use. Until it is set it shows real time. */
export function sharedTestClock(
  store: TestClockStore,
  systemClock: Pick<SystemClock, 'nowMs'>,
): SharedTestClock {
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

  async function refresh(): Promise<void> {
    take(await store.readTestClock());
  }

  return {
    now,
    msUntil: (at) => at - exactNow(),
    set,
    refresh,
    async move(by) {
      await refresh();
      const from = now();
      const to = movedClock(from, () => moved(from, by));
      if (to !== from) await set(to);
    },
    onMove(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Calendar units in UTC; months and years keep day and time, clamped to the month's last day (platform §14.2). */
function moved(at: Instant, by: ClockMove): Instant {
  if (by.days !== undefined) return onDate(at, (date) => addDays(date, by.days ?? 0));
  if (by.weeks !== undefined) return onDate(at, (date) => addDays(date, (by.weeks ?? 0) * daysPerWeek));
  if (by.months !== undefined) return onDate(at, (date) => addMonths(date, by.months ?? 0));
  if (by.years !== undefined) return onDate(at, (date) => addMonths(date, (by.years ?? 0) * monthsPerYear));
  return at;
}

function onDate(at: Instant, change: (date: LocalDate) => LocalDate): Instant {
  const date = localDateOf(at, UTC);
  const timeOfDayMs = at - startOfDay(date, UTC);
  return addMilliseconds(startOfDay(change(date), UTC), timeOfDayMs);
}
