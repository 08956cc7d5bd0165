import type { Share } from '../../records/index.ts';
import { type Currency, type Decimal, prorate } from '../../values/money/index.ts';
import {
  type BillingPeriod,
  calendarDayOf,
  type LocalDate,
  periodLength,
  withDayOfMonth,
} from '../../values/time/index.ts';

/** Returns base × q(days, totalDays), rounded once to the currency (§2 rule 2). */
export function proratedShare({ base, days, totalDays }: Share, currency: Currency): Decimal {
  return prorate({ amount: base, days, totalDays, currency });
}

/**
 * Returns the number of days of a whole period under fixed-days proration: F × M for M months (§5.6). Null means
 * calendar days, because F is 0 or the period is based on days or weeks.
 */
export function fixedDaysOfPeriod(period: BillingPeriod, fixedDays: number): number | null {
  if (fixedDays <= 0) return null;
  const { unit, number } = periodLength(period);
  return unit === 'MONTHS' ? fixedDays * number : null;
}

/**
 * Returns days(from, to) if every month has `fixedDays` days. The result is never negative, even for a small
 * `fixedDays`.
 */
export function fixedDaysBetween(from: LocalDate, to: LocalDate, fixedDays: number): number {
  const start = calendarDayOf(from);
  const end = calendarDayOf(to);
  const months = (end.year - start.year) * 12 + end.month - start.month;
  return Math.max(0, fixedDays * months + end.day - start.day);
}

/** Returns true if both dates are cycle dates of one bill cycle day, one period of whole months apart. */
export function isWholePeriod(startDate: LocalDate, endDate: LocalDate, period: BillingPeriod): boolean {
  const { unit, number } = periodLength(period);
  const [start, end] = [calendarDayOf(startDate), calendarDayOf(endDate)];
  const months = (end.year - start.year) * 12 + end.month - start.month;
  const cycleDay = Math.max(start.day, end.day);
  return (
    unit === 'MONTHS' &&
    months === number &&
    withDayOfMonth(startDate, cycleDay) === startDate &&
    withDayOfMonth(endDate, cycleDay) === endDate
  );
}

/**
 * The period by which a part is prorated. All parts of one period use the same number of days, regardless of their
 * ends (§5.4).
 */
export interface WholePeriod {
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /**
   * True if the cycle starts within the period. The start of the period is then not a cycle date, but one period
   * before the first cycle date.
   */
  readonly isFirst: boolean;
}

/** Returns the numerator and denominator of the ratio for a part of a period (§5.4, §5.6). */
export function countDays({
  startDate,
  endDate,
  period,
  prorationFixedDays,
  whole,
}: {
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  readonly period: BillingPeriod;
  readonly prorationFixedDays: number;
  readonly whole: WholePeriod;
}) {
  const fixedTotal = fixedDaysOfPeriod(period, prorationFixedDays);
  if (fixedTotal === null) {
    return { days: endDate - startDate, totalDays: whole.endDate - whole.startDate };
  }
  return {
    days: fixedDaysBetween(startDate, endDate, prorationFixedDays),
    totalDays: whole.isFirst ? fixedTotal : fixedDaysOfWhole(whole, fixedTotal, prorationFixedDays),
  };
}

/**
 * Returns the number of days of a whole period between two cycle dates under fixed-days proration: F × M. If a date
 * is limited to the end of its month, returns the count between the dates, so that the parts add up to the whole
 * (§5.6).
 */
export function fixedDaysOfWhole(
  { startDate, endDate }: Pick<WholePeriod, 'startDate' | 'endDate'>,
  fixedTotal: number,
  fixedDays: number,
): number {
  return fixedDaysBetween(startDate, endDate, fixedDays) || fixedTotal;
}
