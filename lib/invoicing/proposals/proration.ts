import type { Share } from '../../records/index.ts';
import { type Currency, type Decimal, prorate } from '../../values/money/index.ts';
import {
  type BillingPeriod,
  calendarDayOf,
  type LocalDate,
  periodLength,
  withDayOfMonth,
} from '../../values/time/index.ts';

/** Returns base × q(days, totalDays), rounded once to the currency's minor unit (§2 rule 2). */
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
 * Returns the number of days from `from` to `to`, counted as if every month had `fixedDays` days. The result is never
 * negative, even for a small `fixedDays`.
 */
export function fixedDaysBetween(from: LocalDate, to: LocalDate, fixedDays: number): number {
  const start = calendarDayOf(from);
  const end = calendarDayOf(to);
  const months = (end.year - start.year) * 12 + end.month - start.month;
  return Math.max(0, fixedDays * months + end.day - start.day);
}

/**
 * Returns true if both dates are cycle dates of the same bill cycle day and are exactly one period of whole months
 * apart.
 */
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
 * The whole period on which proration is based. All parts of a period use the same number of days, wherever they end
 * (§5.4).
 */
export interface WholePeriod {
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /**
   * True if the cycle starts within the period. In this case, the period starts one period before the first cycle date,
   * so its start is not a cycle date.
   */
  readonly isFirst: boolean;
}

/** Returns the numerator and denominator of the proration ratio for a part of a period (§5.4, §5.6). */
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
 * Returns the number of days of a whole period between two cycle dates under fixed-days proration: F × M. If one of the
 * dates was moved to the last day of a shorter month, returns the count between the dates, so that the parts add up to
 * the whole (§5.6).
 */
export function fixedDaysOfWhole(
  { startDate, endDate }: Pick<WholePeriod, 'startDate' | 'endDate'>,
  fixedTotal: number,
  fixedDays: number,
): number {
  return fixedDaysBetween(startDate, endDate, fixedDays) || fixedTotal;
}
