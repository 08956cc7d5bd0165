import { assertInvariant } from '../errors/index.ts';
import {
  addPeriods,
  type BillingPeriod,
  calendarDayOf,
  dayOfMonth,
  firstBillCycleDate,
  isMonthBased,
  type LocalDate,
  periodLength,
} from '../time/index.ts';

/** The bill cycle dates C(0) < C(1) < … of a billing event (invoicing.md §5.2). */
export interface CycleDates {
  /** Date of the event. */
  readonly start: LocalDate;
  readonly period: BillingPeriod;
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
  const isByMonth = isMonthBased(billingPeriod);
  assertInvariant(
    !isByMonth || (billCycleDayLocal >= 1 && billCycleDayLocal <= 31),
    `Bill cycle day ${billCycleDayLocal} is not resolved to 1–31 before billing`,
    { localDate, billingPeriod, billCycleDayLocal },
  );
  const billCycleDay = isByMonth ? billCycleDayLocal : dayOfMonth(localDate);
  const first = firstBillCycleDate(localDate, billingPeriod, billCycleDay);
  return { start: localDate, period: billingPeriod, billCycleDay, first };
}

/** C(k), counted once from C(0) and never from its predecessor (invoicing.md §2 rule 4). */
export function cycleDate(cycle: CycleDates, k: number): LocalDate {
  return k === 0 ? cycle.first : addPeriods(cycle.first, cycle.period, k, cycle.billCycleDay);
}

/** The smallest k ≥ 0 with C(k) > `date`, without stepping through the cycle. */
export function firstCycleAfter(cycle: CycleDates, date: LocalDate): number {
  if (date < cycle.first) return 0;
  const { unit, number } = periodLength(cycle.period);
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
