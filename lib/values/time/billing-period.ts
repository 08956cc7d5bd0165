import { assertInvariant } from '../errors/index.ts';
import { addDays, addMonths, type LocalDate, withDayOfMonth } from './local-date.ts';

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
