import { assertInvariant } from '../errors/index.ts';
import { type Currency, minorUnits } from './currency.ts';
import { Decimal, ZERO } from './decimal.ts';

/** An amount with its currency. `Money<'USD'>` and `Money<'EUR'>` do not mix: the type forbids it. */
export interface Money<C extends Currency = Currency> {
  readonly amount: Decimal;
  readonly currency: C;
}

/** An amount in that currency, not rounded. */
export function money<C extends Currency>(amount: Decimal, currency: C): Money<C> {
  return { amount, currency };
}

/** The sum of two amounts of one currency. @throws InvariantError if the currencies differ in spite of the types. */
export function addMoney<C extends Currency>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  assertInvariant(a.currency === b.currency, `${a.currency} and ${b.currency} cannot be added`, {
    currencies: [a.currency, b.currency],
  });
  return { amount: a.amount.plus(b.amount), currency: a.currency };
}

/** `249.95 USD`: with the digits of the currency, more where the value has more; `0 USD` for nothing. */
export function moneyText(amount: Decimal, currency: Currency): string {
  const digits = Math.max(minorUnits(currency), amount.decimalPlaces());
  return `${amount.isZero() ? '0' : amount.toFixed(digits)} ${currency}`;
}

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
