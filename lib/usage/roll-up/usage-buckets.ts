import { type BillingError, invalidParameter } from '../../values/errors/index.ts';
import { HOUR_MS, MAX_YEAR } from '../../values/limits.ts';
import {
  addDays,
  addMonths,
  formatInstant,
  type Instant,
  LAST_INSTANT,
  type LocalDate,
  localDate,
  localDateOf,
  nextLocalHour,
  startOfDay,
  type TimeZone,
  withDayOfMonth,
} from '../../values/time/index.ts';

/** Parts of a timeline of usage: the hours of a year, or the days of 27. */
const MAX_USAGE_BUCKETS = 10_000;

const lastDay = localDate(MAX_YEAR, 12, 31);
const lastMonth = localDate(MAX_YEAR, 12, 1);

/** How long the parts of a timeline are, by the account's clock and calendar. */
export const UsageGranularity = { HOUR: 'HOUR', DAY: 'DAY', MONTH: 'MONTH' } as const;
export type UsageGranularity = (typeof UsageGranularity)[keyof typeof UsageGranularity];

/** A part of a timeline. */
export interface UsageBucket {
  readonly start: Instant;
  /** Exclusive. */
  readonly end: Instant;
}

export interface UsageBucketsInput {
  readonly start: Instant;
  readonly end: Instant;
  readonly zone: TimeZone;
  readonly granularity: UsageGranularity;
}

/**
 * The hours, days or months of the zone's calendar that lie between the bounds, in order; the first and the last are cut
 * by them (§3.3).
 * @throws BillingError INVALID_PARAMETER (60002) for more than MAX_USAGE_BUCKETS.
 */
export function usageBuckets({ start, end, zone, granularity }: UsageBucketsInput): readonly UsageBucket[] {
  const buckets: UsageBucket[] = [];
  for (let from = start; from < end; ) {
    if (buckets.length === MAX_USAGE_BUCKETS) throw tooMany({ start, end, granularity });
    const next = nextBoundary(from, zone, granularity);
    const to = next < end ? next : end;
    buckets.push({ start: from, end: to });
    from = to;
  }
  return buckets;
}

/** The last part of the calendar ends with it. */
function nextBoundary(at: Instant, zone: TimeZone, granularity: UsageGranularity): Instant {
  if (granularity === UsageGranularity.HOUR)
    return at + HOUR_MS > LAST_INSTANT ? LAST_INSTANT : nextLocalHour(at, zone);
  for (let date = nextDate(localDateOf(at, zone), granularity); date !== null; ) {
    const next = startOfDay(date, zone);
    // A date that a zone has left out begins where the one after it does.
    if (next > at) return next;
    date = nextDate(date, granularity);
  }
  return LAST_INSTANT;
}

function nextDate(date: LocalDate, granularity: UsageGranularity): LocalDate | null {
  if (granularity === UsageGranularity.DAY) return date === lastDay ? null : addDays(date, 1);
  const first = withDayOfMonth(date, 1);
  return first === lastMonth ? null : addMonths(first, 1);
}

function tooMany({ start, end, granularity }: Omit<UsageBucketsInput, 'zone'>): BillingError {
  return invalidParameter(
    `From ${formatInstant(start)} to ${formatInstant(end)} there are more than ${MAX_USAGE_BUCKETS} parts by ${granularity}; ask for less time at once or a coarser granularity`,
    { start: formatInstant(start), end: formatInstant(end), granularity, bound: MAX_USAGE_BUCKETS },
  );
}
