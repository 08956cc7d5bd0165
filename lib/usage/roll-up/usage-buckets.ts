import type { UsageHours } from '../../ports/storage/index.ts';
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
  type RequestedDate,
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

/** A part of a timeline, or all of it. */
export interface Bounds {
  readonly start: Instant;
  /** Exclusive. */
  readonly end: Instant;
}

interface BucketsInput extends Bounds {
  readonly zone: TimeZone;
  readonly granularity: UsageGranularity;
}

export interface RequestedBounds {
  readonly startDate: RequestedDate;
  /** Exclusive. */
  readonly endDate: RequestedDate;
}

/**
 * The instants that are meant: a date is the start of that day in the usage zone (§3.1 rule 2).
 * @throws BillingError INVALID_PARAMETER (60002) for an end before the start.
 */
export function boundsIn(zone: TimeZone, { startDate, endDate }: RequestedBounds): Bounds {
  return checkedBounds({ start: instantOf(startDate, zone), end: instantOf(endDate, zone) });
}

export function checkedBounds(bounds: Bounds): Bounds {
  if (bounds.end >= bounds.start) return bounds;
  const [start, end] = [formatInstant(bounds.start), formatInstant(bounds.end)];
  throw invalidParameter(`The end, ${end}, is before the start, ${start}`, { start, end });
}

function instantOf(requested: RequestedDate, zone: TimeZone): Instant {
  return 'at' in requested ? requested.at : startOfDay(requested.date, zone);
}

/**
 * The hours, days or months of the zone's calendar that lie between the bounds, in order; the first and the last are cut
 * by them (§3.3).
 * @throws BillingError INVALID_PARAMETER (60002) for more than MAX_USAGE_BUCKETS.
 */
export function usageBuckets({ start, end, zone, granularity }: BucketsInput): readonly Bounds[] {
  const buckets: Bounds[] = [];
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

function tooMany({ start, end, granularity }: Omit<BucketsInput, 'zone'>): BillingError {
  return invalidParameter(
    `From ${formatInstant(start)} to ${formatInstant(end)} there are more than ${MAX_USAGE_BUCKETS} parts by ${granularity}; ask for less time at once or a coarser granularity`,
    { start: formatInstant(start), end: formatInstant(end), granularity, bound: MAX_USAGE_BUCKETS },
  );
}

interface HoursOfDay extends UsageHours {
  /** Place of its first hour among the buckets. */
  readonly first: number;
}

/** The hours as few stretches, so that the points of a day are read once and not once for each of its hours. */
export function hoursOfDays(buckets: readonly Bounds[], zone: TimeZone): readonly HoursOfDay[] {
  const stretches: HoursOfDay[] = [];
  let isWhole = false;
  for (const [place, { start, end }] of buckets.entries()) {
    const day = localDateOf(start, zone);
    const before = stretches.at(-1);
    if (before?.day === day && isWhole) stretches[stretches.length - 1] = { ...before, end };
    else stretches.push({ day, start, end, first: place });
    isWhole = end - start === HOUR_MS;
  }
  return stretches;
}
