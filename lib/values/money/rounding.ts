import { type Currency, minorUnits } from './currency.ts';
import { Decimal, ZERO } from './decimal.ts';

/** Digits of a proration ratio behind the decimal point (invoicing §2 rule 2). */
const ratioScale = 9;

/** `amount` rounded half up, ties away from zero, to the minor unit of `currency` (invoicing §2 rule 1). */
export function roundToCurrency(amount: Decimal, currency: Currency): Decimal {
  return roundToScale(amount, minorUnits(currency));
}

/** `value` rounded half up, ties away from zero, to `scale` digits behind the decimal point. */
export function roundToScale(value: Decimal, scale: number): Decimal {
  const rounded = value.toDecimalPlaces(scale, Decimal.ROUND_HALF_UP);
  return rounded.isZero() ? ZERO : rounded; // no negative zero
}

/**
 * `q(n, t)` of invoicing §2 rule 2: `n` ÷ `t` rounded half up to 9 decimals, 0 when `t` ≤ 0. Whole numbers of days
 * (or of fixed days), as JS integers.
 */
export function quotient(n: number, t: number): Decimal {
  if (t <= 0) return ZERO;
  return roundToScale(new Decimal(n).dividedBy(t), ratioScale);
}

export interface ProrationInput {
  readonly amount: Decimal;
  /** Days charged for. */
  readonly days: number;
  /** Days of the full period. */
  readonly totalDays: number;
  readonly currency: Currency;
}

/** `amount` × q(days, totalDays), rounded once to the currency (invoicing §2 rule 2). */
export function prorate({ amount, days, totalDays, currency }: ProrationInput): Decimal {
  return roundToCurrency(amount.times(quotient(days, totalDays)), currency);
}
