import type { UsageHours, UsageStretch } from '../../ports/storage/index.ts';
import { type BillingError, invalidParameter } from '../../values/errors/index.ts';
import { HOUR_MS, MAX_YEAR, MIN_YEAR } from '../../values/limits.ts';
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
  yearOf,
} from '../../values/time/index.ts';

/** Maximum number of parts in a timeline. This is enough for the hours of a year or the days of 27 years. */
const MAX_USAGE_BUCKETS = 10_000;

const lastDay = localDate(MAX_YEAR, 12, 31);
const lastMonth = localDate(MAX_YEAR, 12, 1);

/** The length of the timeline parts, in the account's calendar. */
export const UsageGranularity = { HOUR: 'HOUR', DAY: 'DAY', MONTH: 'MONTH' } as const;
export type UsageGranularity = (typeof UsageGranularity)[keyof typeof UsageGranularity];

export interface Bounds {
  readonly start: Instant;
  /** Exclusive end of the range. */
  readonly end: Instant;
}

interface BucketsInput extends Bounds {
  readonly zone: TimeZone;
  readonly granularity: UsageGranularity;
}

export interface RequestedBounds {
  readonly startDate: RequestedDate;
  /** Exclusive end of the range. */
  readonly endDate: RequestedDate;
}

/**
 * Returns the instants of the requested bounds. A date means the start of that day in the time zone for usage (§3.1
 * rule 2).
 * @throws BillingError INVALID_PARAMETER (60002) if the end is before the start.
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
 * Returns the hours, days or months between the bounds in the zone's calendar, in order. The first and the last part
 * are cut at the bounds (§3.3).
 * @throws BillingError INVALID_PARAMETER (60002) for more than MAX_USAGE_BUCKETS parts.
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

/** Returns the next boundary between parts. For the last part, this is the end of the calendar. */
function nextBoundary(at: Instant, zone: TimeZone, granularity: UsageGranularity): Instant {
  if (granularity === UsageGranularity.HOUR)
    return at + HOUR_MS > LAST_INSTANT ? LAST_INSTANT : nextLocalHour(at, zone);
  for (let date = nextDate(localDateOf(at, zone), granularity); date !== null; ) {
    const next = startOfDay(date, zone);
    // A date that the zone skips has the same start as the next date.
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
    `From ${formatInstant(start)} to ${formatInstant(end)} there are more than ${MAX_USAGE_BUCKETS} buckets by ${granularity}; use a shorter time range or a coarser granularity`,
    { start: formatInstant(start), end: formatInstant(end), granularity, bound: MAX_USAGE_BUCKETS },
  );
}

interface HoursOfDay extends UsageHours {
  /** Index of the bucket for the first of these hours. */
  readonly first: number;
}

/** Joins adjacent hours, so that the points of a day are read once and not once per hour. */
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

const msPerDay = 86_400_000;

const NO_DAYS: ReadonlySet<LocalDate> = new Set();

/**
 * Converts time spans to days in the time zone for usage, so that whole days are summed without reading their points
 * (§3.1). Adjacent spans share calendar lookups. Archived days have no points, so a bound at the start of such a day
 * does not divide the neighboring day.
 */
export function usageStretches(
  parts: readonly Bounds[],
  zone: TimeZone,
  archived: ReadonlySet<LocalDate> = NO_DAYS,
): readonly UsageStretch[] {
  const days = new DaysOfZone(zone, archived);
  return parts.map((part) => stretchBetween(part, days));
}

function stretchBetween({ start, end }: Bounds, days: DaysOfZone): UsageStretch {
  const [from, to] = [days.around(start), days.around(end)];
  const [first, last] = [from.after, to.before];
  const hasWhole = first !== null && last !== null && first <= last;
  return {
    start,
    end,
    wholeDays: hasWhole ? { first, last } : null,
    cutDays: [...new Set([...from.cut, ...to.cut])].toSorted((a, b) => a - b),
  };
}

interface DaysAround {
  /** The last whole day before the instant, or null if that day would be before the start of the calendar. */
  readonly before: LocalDate | null;
  readonly after: LocalDate | null;
  readonly cut: readonly LocalDate[];
}

class DaysOfZone {
  readonly #zone: TimeZone;
  readonly #archived: ReadonlySet<LocalDate>;
  readonly #starts = new Map<LocalDate, Instant>();
  readonly #around = new Map<Instant, DaysAround>();

  constructor(zone: TimeZone, archived: ReadonlySet<LocalDate>) {
    this.#zone = zone;
    this.#archived = archived;
  }

  /**
   * Returns the days around an instant. When the UTC offset of the zone changes, parts of a day may come after the
   * start of the next day (for example, clocks in St. John's were once set back at 00:01). The neighboring days are
   * therefore treated as divided too.
   */
  around(at: Instant): DaysAround {
    const found = this.#around.get(at) ?? this.#daysAround(at);
    this.#around.set(at, found);
    return found;
  }

  #daysAround(at: Instant): DaysAround {
    const day = localDateOf(at, this.#zone);
    const isStart = this.#startOf(day) === at;
    const isArchived = [-1, 0, 1].some((days) => this.#archived.has((day + days) as LocalDate));
    if (!this.#isRegular(day) && !(isStart && isArchived)) {
      const cut = [daysLater(day, -1), day, daysLater(day, 1)].filter((each) => each !== null);
      return { before: daysLater(day, -2), after: daysLater(day, 2), cut };
    }
    if (isStart) return { before: daysLater(day, -1), after: day, cut: [] };
    return { before: daysLater(day, -1), after: daysLater(day, 1), cut: [day] };
  }

  /** Returns true if the day and its two neighbors all have 24 hours. */
  #isRegular(day: LocalDate): boolean {
    if (isAtEdge(day)) return false;
    const starts = [-1, 0, 1, 2].map((days) => this.#startOf(addDays(day, days)));
    return starts.every((start, index) => index === 0 || start - (starts[index - 1] ?? 0) === msPerDay);
  }

  #startOf(day: LocalDate): Instant {
    const start = this.#starts.get(day) ?? startOfDay(day, this.#zone);
    this.#starts.set(day, start);
    return start;
  }
}

/** Returns true for days in the first and last year of the calendar. Such a day may lack a neighboring day. */
function isAtEdge(day: LocalDate): boolean {
  return yearOf(day) === MIN_YEAR || yearOf(day) === MAX_YEAR;
}

function daysLater(day: LocalDate, days: number): LocalDate | null {
  if (!isAtEdge(day)) return addDays(day, days);
  const [first, last] = [localDate(MIN_YEAR, 1, 1), localDate(MAX_YEAR, 12, 31)];
  return day + days < first || day + days > last ? null : addDays(day, days);
}
