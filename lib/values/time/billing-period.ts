import { enumeration } from '../enumeration.ts';
import { assertInvariant } from '../errors/index.ts';
import {
  addDays,
  addMonths,
  calendarDayOf,
  dayOfLaterMonth,
  dayOfMonth,
  type LocalDate,
  withDayOfMonth,
} from './local-date.ts';

export interface PeriodLength {
  readonly unit: 'DAYS' | 'MONTHS';
  readonly number: number;
}

const lengths = {
  DAILY: { unit: 'DAYS', number: 1 },
  WEEKLY: { unit: 'DAYS', number: 7 },
  BIWEEKLY: { unit: 'DAYS', number: 14 },
  THIRTY_DAYS: { unit: 'DAYS', number: 30 },
  THIRTY_ONE_DAYS: { unit: 'DAYS', number: 31 },
  SIXTY_DAYS: { unit: 'DAYS', number: 60 },
  NINETY_DAYS: { unit: 'DAYS', number: 90 },
  MONTHLY: { unit: 'MONTHS', number: 1 },
  BIMESTRIAL: { unit: 'MONTHS', number: 2 },
  QUARTERLY: { unit: 'MONTHS', number: 3 },
  TRIANNUAL: { unit: 'MONTHS', number: 4 },
  BIANNUAL: { unit: 'MONTHS', number: 6 },
  ANNUAL: { unit: 'MONTHS', number: 12 },
  SESQUIENNIAL: { unit: 'MONTHS', number: 18 },
  BIENNIAL: { unit: 'MONTHS', number: 24 },
  TRIENNIAL: { unit: 'MONTHS', number: 36 },
  NO_BILLING_PERIOD: null,
} as const satisfies Readonly<Record<string, PeriodLength | null>>;
export type BillingPeriod = keyof typeof lengths;

const periods = Object.keys(lengths) as readonly BillingPeriod[];
/** The 17 billing periods, in enumeration order (catalog §9.1). */
export const BillingPeriod = enumeration(...periods);
const order: ReadonlyMap<BillingPeriod, number> = new Map(periods.map((period, index) => [period, index]));

/** Returns true for the name of a billing period. */
export function isBillingPeriod(text: string): text is BillingPeriod {
  return Object.hasOwn(BillingPeriod, text);
}

/**
 * Returns the position of a billing period in the enumeration, starting at 0. HTTP responses are sorted by this
 * position.
 */
export function billingPeriodOrder(period: BillingPeriod): number {
  return order.get(period) ?? order.size;
}

/**
 * Returns the length of a period.
 * @throws InvariantError for NO_BILLING_PERIOD, which callers must check first (catalog §9.2 rule 4).
 */
export function periodLength(period: BillingPeriod): PeriodLength {
  const length = lengths[period];
  assertInvariant(length, `${period} has no length; test for it before any date arithmetic`, { period });
  return length;
}

/**
 * Returns true if the period is a whole number of months. Returns false for day-based periods and NO_BILLING_PERIOD.
 */
export function isMonthBased(period: BillingPeriod): boolean {
  return lengths[period]?.unit === 'MONTHS';
}

/**
 * Returns `anchor` plus `n` periods. `n` may be negative. For month-based periods, the day is limited once to the
 * length of the resulting month. Do not compute the result from the result for n − 1. January 31 plus one month is
 * February 29 in a leap year, but plus two months is March 31.
 */
export function addPeriod(anchor: LocalDate, period: BillingPeriod, n: number): LocalDate {
  const { unit, number } = periodLength(period);
  return unit === 'DAYS' ? addDays(anchor, number * n) : addMonths(anchor, number * n);
}

/**
 * Returns `date` plus `n` periods (catalog §9.2 rules 1 and 2). Month-based periods end on the bill cycle day (1 to 31)
 * or, in a shorter month, on its last day. Day-based periods are exact numbers of days.
 */
// biome-ignore lint/complexity/useMaxParams: the rule needs all four values, in the order of catalog §9.2
export function addPeriods(
  date: LocalDate,
  period: BillingPeriod,
  n: number,
  billCycleDay: number,
): LocalDate {
  const moved = addPeriod(date, period, n);
  return isMonthBased(period) ? withDayOfMonth(moved, billCycleDay) : moved;
}

/**
 * Returns the first bill cycle date on or after `start` (catalog §9.2 rule 3). This is the bill cycle day in the month
 * of `start`, or one period later. For day-based periods, returns `start` itself (invoicing §5.2).
 */
export function firstBillCycleDate(start: LocalDate, period: BillingPeriod, billCycleDay: number): LocalDate {
  if (periodLength(period).unit === 'DAYS') return start;
  const inMonthOfStart = withDayOfMonth(start, billCycleDay);
  // Every month-based period ends in a later month than the month in which it starts.
  return inMonthOfStart >= start ? inMonthOfStart : addPeriods(inMonthOfStart, period, 1, billCycleDay);
}

/** Describes the bill cycle dates C(0) < C(1) < … of a billing event (invoicing §5.2). */
export interface CycleDates {
  /** Date of the event. */
  readonly start: LocalDate;
  readonly period: BillingPeriod;
  readonly length: PeriodLength;
  /** Bill cycle day from 1 to 31. Day-based periods ignore it. */
  readonly billCycleDay: number;
  /** The date C(0), which is the first bill cycle date on or after `start`. */
  readonly first: LocalDate;
  /** Start of the period that ends at C(0). */
  readonly before: LocalDate;
}

export interface CycleOrigin {
  readonly localDate: LocalDate;
  /** Billing period, except NO_BILLING_PERIOD. */
  readonly billingPeriod: BillingPeriod;
  readonly billCycleDayLocal: number;
  /** Date on which the cycle starts. It is not after `localDate`. Defaults to `localDate`. */
  readonly cycleStart?: LocalDate;
}

/**
 * Returns the bill cycle dates that follow an event.
 * @throws InvariantError for a month-based event without a bill cycle day.
 */
export function cycleDatesOf(origin: CycleOrigin): CycleDates {
  const { localDate, cycleStart = localDate } = origin;
  const counted = countCycleDatesFrom(cycleStart, origin);
  if (counted.first >= localDate) return { ...counted, start: localDate };
  const k = firstCycleAfter(counted, addDays(localDate, -1));
  const [before, first] = [cycleDate(counted, k - 1), cycleDate(counted, k)];
  return { ...counted, start: localDate, first, before };
}

function countCycleDatesFrom(start: LocalDate, origin: CycleOrigin): CycleDates {
  const { billingPeriod: period, billCycleDayLocal: billCycleDay } = origin;
  const length = periodLength(period);
  if (length.unit === 'DAYS') {
    const before = addDays(start, -length.number);
    return { start, period, length, billCycleDay: dayOfMonth(start), first: start, before };
  }
  assertInvariant(
    billCycleDay >= 1 && billCycleDay <= 31,
    'The bill cycle day of a month-based period must be resolved to 1–31 before billing',
    { localDate: start, billingPeriod: period, billCycleDayLocal: billCycleDay },
  );
  const first = firstBillCycleDate(start, period, billCycleDay);
  return { start, period, length, billCycleDay, first, before: addPeriod(first, period, -1) };
}

/** Returns the date C(k). It is computed from C(0), never from the previous date (invoicing §2 rule 4). */
export function cycleDate({ first, length, billCycleDay }: CycleDates, k: number): LocalDate {
  if (k === 0) return first;
  if (length.unit === 'DAYS') return addDays(first, k * length.number);
  return dayOfLaterMonth(first, k * length.number, billCycleDay);
}

/** Returns the smallest k ≥ 0 with C(k) > `date`, in constant time. */
export function firstCycleAfter(cycle: CycleDates, date: LocalDate): number {
  if (date < cycle.first) return 0;
  const { unit, number } = cycle.length;
  if (unit === 'DAYS') return Math.floor((date - cycle.first) / number) + 1;
  const from = calendarDayOf(cycle.first);
  const to = calendarDayOf(date);
  const k = Math.floor(((to.year - from.year) * 12 + to.month - from.month) / number);
  // C(k) is in the month of `date` or earlier, and C(k+1) is in a later month.
  return cycleDate(cycle, k) > date ? k : k + 1;
}

/** Returns the smallest k ≥ 0 with C(k) ≥ `date`. */
export function firstCycleFrom(cycle: CycleDates, date: LocalDate): number {
  if (date <= cycle.first) return 0;
  const k = firstCycleAfter(cycle, date);
  return cycleDate(cycle, k - 1) === date ? k - 1 : k;
}

/** Returns the largest k with C(k) ≤ `date`, or −1. */
export function lastCycleUpTo(cycle: CycleDates, date: LocalDate): number {
  return firstCycleAfter(cycle, date) - 1;
}
