import type { BillingEvent } from '../../records/index.ts';
import {
  addPeriod,
  type Instant,
  type LocalDate,
  localDateOf,
  type TimeZone,
} from '../../values/time/index.ts';
import { nextUsageDate, usageIntervals } from './usage-intervals.ts';
import { type UsageRun, usageRuns } from './usage-runs.ts';

export interface OpenEndsInput {
  /** All of the subscription, in order, those to come included. */
  readonly events: readonly BillingEvent[];
  readonly now: Instant;
  readonly zone: TimeZone;
}

/**
 * The dates on which the intervals end that are running now, in order, each once (§3.3): cycle dates, or the events to come
 * that end them earlier.
 */
export function openEnds({ events, now, zone }: OpenEndsInput): readonly LocalDate[] {
  const today = localDateOf(now, zone);
  const whole = usageRuns(events, events.at(-1)?.localDate ?? today);
  const ends = usageRuns(events, today).flatMap((soFar): readonly LocalDate[] => {
    const next = nextUsageDate(soFar, today);
    const run = whole.find(({ events: [first], section }) => isSameStart(soFar, first, section));
    if (next === null || run === undefined || soFar.events[0].effectiveDate > now) return [];
    const [{ effectiveDate: at, localDate: date }] = run.events;
    // Another bill cycle day to come may put the end off.
    const targetDate = addPeriod(next, run.section.billingPeriod, 1);
    const intervals = usageIntervals(run, { targetDate, lookBack: { at, date }, zone });
    return [intervals.find(({ end }) => end.at > now)?.end.date ?? next];
  });
  return [...new Set(ends)].sort((a, b) => a - b);
}

function isSameStart(one: UsageRun, first: BillingEvent, section: UsageRun['section']): boolean {
  return one.section === section && one.events[0] === first;
}

/** The next dates, after a date, on which usage that is open then comes to be billed: one for each open run. */
export function nextUsageDates(events: readonly BillingEvent[], date: LocalDate): readonly LocalDate[] {
  return usageRuns(events, date)
    .map((run) => nextUsageDate(run, date))
    .filter((next) => next !== null);
}
