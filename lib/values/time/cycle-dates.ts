import { assertInvariant } from '../errors/index.ts';
import {
  addPeriod,
  type BillingPeriod,
  firstBillCycleDate,
  type PeriodLength,
  periodLength,
} from './billing-period.ts';
import { addDays, calendarDayOf, dayOfLaterMonth, dayOfMonth, type LocalDate } from './local-date.ts';

/** The bill cycle dates C(0) < C(1) < … of a billing event (invoicing §5.2). */
export interface CycleDates {
  /** Date of the event. */
  readonly start: LocalDate;
  readonly period: BillingPeriod;
  readonly length: PeriodLength;
  /** 1–31; the event's own day for day- and week-based periods, where it plays no part. */
  readonly billCycleDay: number;
  /** C(0), the first cycle date on or after `start`. */
  readonly first: LocalDate;
  /** Where the period begins that ends at C(0): before `start`, unless that is C(0). */
  readonly before: LocalDate;
}

export interface CycleOrigin {
  readonly localDate: LocalDate;
  /** Not NO_BILLING_PERIOD. */
  readonly billingPeriod: BillingPeriod;
  readonly billCycleDayLocal: number;
  /** Date from which the cycle counts, up to `localDate`, which is the default. */
  readonly cycleStart?: LocalDate;
}

/** The cycle that holds from an event on. @throws InvariantError if a month-based event has no resolved bill cycle day. */
export function cycleDatesOf(origin: CycleOrigin): CycleDates {
  const { localDate, cycleStart = localDate } = origin;
  const counted = countedFrom(cycleStart, origin);
  if (counted.first >= localDate) return { ...counted, start: localDate };
  const k = firstCycleAfter(counted, addDays(localDate, -1));
  return {
    ...counted,
    start: localDate,
    first: cycleDate(counted, k),
    before: cycleDate(counted, k - 1),
  };
}

function countedFrom(start: LocalDate, { billingPeriod, billCycleDayLocal }: CycleOrigin): CycleDates {
  const period = billingPeriod;
  const length = periodLength(period);
  if (length.unit === 'DAYS') {
    const before = addDays(start, -length.number);
    return { start, period, length, billCycleDay: dayOfMonth(start), first: start, before };
  }
  assertInvariant(
    billCycleDayLocal >= 1 && billCycleDayLocal <= 31,
    'The bill cycle day of a month-based period must be resolved to 1–31 before billing',
    { localDate: start, billingPeriod, billCycleDayLocal },
  );
  const first = firstBillCycleDate(start, period, billCycleDayLocal);
  return {
    start,
    period,
    length,
    billCycleDay: billCycleDayLocal,
    first,
    before: addPeriod(first, period, -1),
  };
}

/** C(k), counted once from C(0) and never from its predecessor (invoicing §2 rule 4). */
export function cycleDate({ first, length, billCycleDay }: CycleDates, k: number): LocalDate {
  if (k === 0) return first;
  if (length.unit === 'DAYS') return addDays(first, k * length.number);
  return dayOfLaterMonth(first, k * length.number, billCycleDay);
}

/** The smallest k ≥ 0 with C(k) > `date`, without stepping through the cycle. */
export function firstCycleAfter(cycle: CycleDates, date: LocalDate): number {
  if (date < cycle.first) return 0;
  const { unit, number } = cycle.length;
  if (unit === 'DAYS') return Math.floor((date - cycle.first) / number) + 1;
  const from = calendarDayOf(cycle.first);
  const to = calendarDayOf(date);
  const k = Math.floor(((to.year - from.year) * 12 + to.month - from.month) / number);
  // C(k) lies in the month of `date` or an earlier one, C(k+1) in a later one.
  return cycleDate(cycle, k) > date ? k : k + 1;
}

/** The largest k with C(k) ≤ `date`, −1 if there is none. */
export function lastCycleUpTo(cycle: CycleDates, date: LocalDate): number {
  return firstCycleAfter(cycle, date) - 1;
}
