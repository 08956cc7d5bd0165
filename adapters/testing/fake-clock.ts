import type { Clock } from '../../lib/ports/index.ts';
import {
  addDays,
  addMilliseconds,
  addMonths,
  checkClockTime,
  formatInstant,
  type Instant,
  instantAt,
  type LocalDate,
  localDateOf,
  localTimeOf,
  movedClock,
  parseWireInstant,
  type TimeZone,
  truncateToSecond,
  UTC,
} from '../../lib/values/time/index.ts';

/** How far to move a clock; members add up, calendar units first. */
export interface ClockStep {
  readonly years?: number;
  readonly months?: number;
  readonly weeks?: number;
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
}

/** A business clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /**
   * Sets the clock to a date (midnight UTC) or date-time, backwards too.
   * @throws BillingError INVALID_PARAMETER (60002) for a time before 1970-01-02 or after 8999-12-31.
   */
  set(when: string | Instant): void;
  /**
   * Moves the clock; months and years keep the day and time in UTC, clamped to the month's last day.
   * @throws BillingError INVALID_PARAMETER (60002) when the move leads before 1970-01-02 or after 8999-12-31.
   */
  advance(step: ClockStep): void;
  today(zone?: TimeZone): LocalDate;
  toString(): string;
}

/**
 * A clock for tests (platform §14.1): whole seconds, standing still between moves. Moving it wakes the dispatcher;
 * `await billing.settle()` then returns when everything that fell due has been done.
 *
 * @example
 * const clock = fakeClock('2024-01-31');
 * const billing = await Billing.open({ storage: sqlite(':memory:'), clock });
 * clock.advance({ months: 1 }); // 2024-02-29T00:00:00.000Z
 * await billing.settle();
 */
export function fakeClock(start: string | Instant): FakeClock {
  let now = asInstant(start);
  checkClockTime(now);
  const listeners = new Set<() => void>();
  const move = (to: Instant): void => {
    checkClockTime(to);
    now = truncateToSecond(to);
    for (const listener of listeners) listener();
  };
  return {
    now: () => now,
    onMove: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set: (when) => move(asInstant(when)),
    advance: (step) => move(movedClock(now, (from) => advanced(from, step))),
    today: (zone = UTC) => localDateOf(now, zone),
    toString: () => formatInstant(now),
  };
}

const SECOND_MS = 1000;

function advanced(from: Instant, step: ClockStep): Instant {
  const months = (step.years ?? 0) * 12 + (step.months ?? 0);
  const days = (step.weeks ?? 0) * 7 + (step.days ?? 0);
  const date = addDays(addMonths(localDateOf(from, UTC), months), days);
  const seconds = (step.hours ?? 0) * 3600 + (step.minutes ?? 0) * 60 + (step.seconds ?? 0);
  return addMilliseconds(instantAt(date, localTimeOf(from, UTC), UTC), seconds * SECOND_MS);
}

function asInstant(when: string | Instant): Instant {
  if (typeof when === 'number') return truncateToSecond(when);
  const parsed = parseWireInstant(when);
  if (parsed === undefined) throw new Error(`"${when}" is neither a date nor a date-time`);
  return truncateToSecond(parsed);
}
