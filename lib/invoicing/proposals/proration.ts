import type { Share } from '../../records/index.ts';
import { type Currency, type Decimal, prorate } from '../../values/money/index.ts';
import {
  type BillingPeriod,
  calendarDayOf,
  type LocalDate,
  periodLength,
  withDayOfMonth,
} from '../../values/time/index.ts';

/** base × q(days, totalDays), rounded once to the currency (§2 rule 2). */
export function proratedShare({ base, days, totalDays }: Share, currency: Currency): Decimal {
  return prorate({ amount: base, days, totalDays, currency });
}

/**
 * F × M of §5.6: how many days a whole period of M months counts for under fixed-days proration; null when calendar days
 * count: F is 0, or the period is day- or week-based.
 */
export function fixedDaysOfPeriod(period: BillingPeriod, fixedDays: number): number | null {
  if (fixedDays <= 0) return null;
  const { unit, number } = periodLength(period);
  return unit === 'MONTHS' ? fixedDays * number : null;
}

/** days(from, to) where every month has `fixedDays` days; never negative, even where `fixedDays` is small. */
export function fixedDaysBetween(from: LocalDate, to: LocalDate, fixedDays: number): number {
  const start = calendarDayOf(from);
  const end = calendarDayOf(to);
  const months = (end.year - start.year) * 12 + end.month - start.month;
  return Math.max(0, fixedDays * months + end.day - start.day);
}

/** True: both are cycle dates of one bill cycle day, a period of whole months apart. */
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

interface DayCount {
  readonly days: number;
  readonly totalDays: number;
}

/** The period that a part is prorated by: all parts of one period count by the same days, whoever ends them (§5.4). */
export interface WholePeriod {
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** True if the cycle starts within it, so that its start is no cycle date but one period before the first. */
  readonly isFirst: boolean;
}

interface ProratedInterval {
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  readonly period: BillingPeriod;
  readonly prorationFixedDays: number;
  readonly whole: WholePeriod;
}

/** Numerator and denominator of the ratio of a part of a period (§5.4, §5.6). */
export function countDays(interval: ProratedInterval): DayCount {
  const { startDate, endDate, period, prorationFixedDays, whole } = interval;
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
 * Days of a whole period between two cycle dates under fixed-days proration: F × M, but where one of them is clamped to the
 * end of its month the count between them, so that the parts of the period are as much as the whole (§5.6).
 */
export function fixedDaysOfWhole(
  { startDate, endDate }: Pick<WholePeriod, 'startDate' | 'endDate'>,
  fixedTotal: number,
  fixedDays: number,
): number {
  return fixedDaysBetween(startDate, endDate, fixedDays) || fixedTotal;
}
