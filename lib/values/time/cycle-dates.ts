import { assertInvariant } from '../errors/index.ts';
import { type BillingPeriod, firstBillCycleDate, type PeriodLength, periodLength } from './billing-period.ts';
import { addDays, calendarDayOf, dayOfLaterMonth, dayOfMonth, type LocalDate } from './local-date.ts';

/** The bill cycle dates C(0) < C(1) < … of a billing event (invoicing §5.2). */
export interface CycleDates {
  /** Date of the event. */
  readonly start: LocalDate;
  readonly period: BillingPeriod;
  readonly length: PeriodLength;
  /** 1–31; the event's own day for day- and week-based periods, where it plays no part. */
  readonly billCycleDay: number;
  /** C(0), on or after `start`. */
  readonly first: LocalDate;
}

export interface CycleOrigin {
  readonly localDate: LocalDate;
  /** Not NO_BILLING_PERIOD. */
  readonly billingPeriod: BillingPeriod;
  readonly billCycleDayLocal: number;
}

/** The cycle that an event starts. @throws InvariantError if a month-based event has no resolved bill cycle day. */
export function cycleDatesOf({ localDate, billingPeriod, billCycleDayLocal }: CycleOrigin): CycleDates {
  const length = periodLength(billingPeriod);
  if (length.unit === 'DAYS') {
    const billCycleDay = dayOfMonth(localDate);
    return { start: localDate, period: billingPeriod, length, billCycleDay, first: localDate };
  }
  assertInvariant(
    billCycleDayLocal >= 1 && billCycleDayLocal <= 31,
    'The bill cycle day of a month-based period must be resolved to 1–31 before billing',
    { localDate, billingPeriod, billCycleDayLocal },
  );
  const first = firstBillCycleDate(localDate, billingPeriod, billCycleDayLocal);
  return { start: localDate, period: billingPeriod, length, billCycleDay: billCycleDayLocal, first };
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
