import type { Share } from '../../records/index.ts';
import { type Currency, type Decimal, roundToCurrency } from '../../values/money/index.ts';
import type { BillingPeriod } from '../../values/time/index.ts';
import {
  fixedDaysBetween,
  fixedDaysOfPeriod,
  fixedDaysOfWhole,
  isWholePeriod,
  proratedShare,
} from '../periods/proration.ts';
import type { BilledItem, RecurringRow } from './recurring-row.ts';
import type { UncoveredPart } from './uncovered-parts.ts';

interface ShareInput {
  /** The item of the row. */
  readonly item: BilledItem;
  readonly currency: Currency;
  readonly prorationFixedDays: number;
  /** Period in which a row's plan and phase recur, null when no event names them any more. */
  readonly periodOf: (row: RecurringRow) => BillingPeriod | null;
}

/** The share of the row that a part is (§6 rules 3 and 7); null = the whole row. */
export function shareOfRow(part: UncoveredPart<RecurringRow>, input: ShareInput): Share | null {
  const { of: row, startDate, endDate } = part;
  if (startDate === row.startDate && endDate === row.endDate) return null;
  const { prorationFixedDays } = input;
  const period = input.periodOf(row);
  const fixedTotal = period === null ? null : fixedDaysOfPeriod(period, prorationFixedDays);
  const calendar: Share = {
    base: row.amount,
    days: endDate - startDate,
    totalDays: row.endDate - row.startDate,
  };
  if (prorationFixedDays <= 0 || (period !== null && fixedTotal === null)) return calendar;
  const days = fixedDaysBetween(startDate, endDate, prorationFixedDays);
  if (period !== null && fixedTotal !== null) {
    const whole = wholeByFixedDays(row, input, { period, fixedTotal });
    return whole.totalDays === 0 ? calendar : { ...whole, days };
  }
  // No event names the plan any more, so M is unknown. The row's own amount and fixed days give the same share, up to a
  // rounding of the row.
  const totalDays = fixedDaysBetween(row.startDate, row.endDate, prorationFixedDays);
  return { base: row.amount, days, totalDays };
}

/**
 * What a part is a share of: the rate and the days of a whole period or, of an item that is not worth what the rate comes
 * to for its days, its own amount and days.
 */
function wholeByFixedDays(
  { rate }: RecurringRow,
  { item, currency, prorationFixedDays }: ShareInput,
  { period, fixedTotal }: { readonly period: BillingPeriod; readonly fixedTotal: number },
): { readonly base: Decimal; readonly totalDays: number } {
  const { startDate, endDate, amount } = item;
  const ofPeriod = { base: rate, totalDays: fixedTotal };
  if (startDate === null || endDate === null) return ofPeriod;
  if (isWholePeriod(startDate, endDate, period)) {
    const totalDays = fixedDaysOfWhole({ startDate, endDate }, fixedTotal, prorationFixedDays);
    return { base: roundToCurrency(rate, currency).equals(amount) ? rate : amount, totalDays };
  }
  const days = fixedDaysBetween(startDate, endDate, prorationFixedDays);
  const isAtRate = proratedShare({ ...ofPeriod, days }, currency).equals(amount);
  return isAtRate ? ofPeriod : { base: amount, totalDays: days };
}
