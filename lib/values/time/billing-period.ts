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

/** The 17 billing periods, in enumeration order (catalog §9.1). */
export const BillingPeriod = {
  DAILY: 'DAILY',
  WEEKLY: 'WEEKLY',
  BIWEEKLY: 'BIWEEKLY',
  THIRTY_DAYS: 'THIRTY_DAYS',
  THIRTY_ONE_DAYS: 'THIRTY_ONE_DAYS',
  SIXTY_DAYS: 'SIXTY_DAYS',
  NINETY_DAYS: 'NINETY_DAYS',
  MONTHLY: 'MONTHLY',
  BIMESTRIAL: 'BIMESTRIAL',
  QUARTERLY: 'QUARTERLY',
  TRIANNUAL: 'TRIANNUAL',
  BIANNUAL: 'BIANNUAL',
  ANNUAL: 'ANNUAL',
  SESQUIENNIAL: 'SESQUIENNIAL',
  BIENNIAL: 'BIENNIAL',
  TRIENNIAL: 'TRIENNIAL',
  NO_BILLING_PERIOD: 'NO_BILLING_PERIOD',
} as const;
export type BillingPeriod = (typeof BillingPeriod)[keyof typeof BillingPeriod];

export interface PeriodLength {
  readonly unit: 'DAYS' | 'MONTHS';
  readonly number: number;
}

const lengths: Readonly<Record<BillingPeriod, PeriodLength | null>> = {
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
};

const order: ReadonlyMap<BillingPeriod, number> = new Map(
  Object.values(BillingPeriod).map((period, index) => [period, index]),
);

/** True if `text` names one of the 17 billing periods. */
export function isBillingPeriod(text: string): text is BillingPeriod {
  return Object.hasOwn(BillingPeriod, text);
}

/** Place of `period` in the enumeration, from 0: the sort order of the wire. */
export function billingPeriodOrder(period: BillingPeriod): number {
  return order.get(period) ?? order.size;
}

/** Length of `period`. @throws InvariantError for NO_BILLING_PERIOD: callers test for it first (catalog §9.2 rule 4). */
export function periodLength(period: BillingPeriod): PeriodLength {
  const length = lengths[period];
  assertInvariant(length, `${period} has no length; test for it before any date arithmetic`, { period });
  return length;
}

/** True if `period` is a whole number of months; false for day-based periods and NO_BILLING_PERIOD. */
export function isMonthBased(period: BillingPeriod): boolean {
  return lengths[period]?.unit === 'MONTHS';
}

/**
 * `anchor` plus `n` periods by plain calendar addition: exact days, or months with the day clamped once. Always call it
 * with the anchor, never with the result for n-1: 31 January monthly gives 29 February, then 31 March. Negative goes back.
 */
export function addPeriod(anchor: LocalDate, period: BillingPeriod, n: number): LocalDate {
  const { unit, number } = periodLength(period);
  return unit === 'DAYS' ? addDays(anchor, number * n) : addMonths(anchor, number * n);
}

/**
 * `date` plus `n` periods on bill cycle day `billCycleDay` (1 to 31): month-based periods take the day anew from the
 * bill cycle day, clamped; day-based ones add exact days and ignore it (catalog §9.2 rules 1 and 2).
 */
// biome-ignore lint/complexity/useMaxParams: four values on which the rule depends alike, in the order of catalog §9.2
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
 * The first bill cycle date on or after `start`: for month-based periods the bill cycle day (clamped) in the month of
 * `start`, or one whole period later if that is before `start` (catalog §9.2 rule 3). Day-based periods have no bill
 * cycle day and start their cycle at `start` (invoicing §5.2).
 */
export function firstBillCycleDate(start: LocalDate, period: BillingPeriod, billCycleDay: number): LocalDate {
  if (periodLength(period).unit === 'DAYS') return start;
  const inMonthOfStart = withDayOfMonth(start, billCycleDay);
  // One step is enough: every month-based period reaches a later month.
  return inMonthOfStart >= start ? inMonthOfStart : addPeriods(inMonthOfStart, period, 1, billCycleDay);
}

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
