import { assertInvariant } from '../errors/index.ts';
import { type Currency, minorUnits } from './currency.ts';
import { Decimal, ZERO } from './decimal.ts';

/** An amount with its currency. TypeScript treats amounts in different currencies as incompatible types. */
export interface Money<C extends Currency = Currency> {
  readonly amount: Decimal;
  readonly currency: C;
}

/** Returns an amount in the currency, without rounding. */
export function money<C extends Currency>(amount: Decimal, currency: C): Money<C> {
  return { amount, currency };
}

/** Returns the sum of two amounts in the same currency. @throws InvariantError for different currencies. */
export function addMoney<C extends Currency>(a: Money<C>, b: Money<NoInfer<C>>): Money<C> {
  assertInvariant(a.currency === b.currency, `${a.currency} and ${b.currency} cannot be added`, {
    currencies: [a.currency, b.currency],
  });
  return { amount: a.amount.plus(b.amount), currency: a.currency };
}

/** Returns text such as `249.95 USD`. The amount has at least as many decimals as the currency, but zero is `0 USD`. */
export function moneyText(amount: Decimal, currency: Currency): string {
  const digits = Math.max(minorUnits(currency), amount.decimalPlaces());
  return `${amount.isZero() ? '0' : amount.toFixed(digits)} ${currency}`;
}

/** Returns the smallest amount in the currency, which is 0.01 for USD and 1 for JPY. */
export function minorUnit(currency: Currency): Decimal {
  return Decimal.pow(10, -minorUnits(currency));
}

/** Number of digits after the decimal point of a proration ratio (invoicing §2 rule 2). */
const ratioScale = 9;

/** Rounds an amount to the minor unit of the currency. Ties are rounded away from zero (invoicing §2 rule 1). */
export function roundToCurrency(amount: Decimal, currency: Currency): Decimal {
  return roundToScale(amount, minorUnits(currency));
}

/** Rounds a value to `scale` digits after the decimal point. Ties are rounded away from zero. */
export function roundToScale(value: Decimal, scale: number): Decimal {
  const rounded = value.toDecimalPlaces(scale, Decimal.ROUND_HALF_UP);
  return rounded.isZero() ? ZERO : rounded; // no negative zero
}

/**
 * Returns `n` ÷ `t` for whole numbers of days, rounded half up to 9 decimals. This is `q(n, t)` in invoicing §2 rule 2.
 * Returns 0 if `t` ≤ 0.
 */
export function quotient(n: number, t: number): Decimal {
  if (t <= 0) return ZERO;
  return roundToScale(new Decimal(n).dividedBy(t), ratioScale);
}

export interface ProrationInput {
  readonly amount: Decimal;
  /** Number of charged days. */
  readonly days: number;
  /** Number of days of the full period. */
  readonly totalDays: number;
  readonly currency: Currency;
}

/** Returns `amount` × q(days, totalDays). The result is rounded once, to the currency (invoicing §2 rule 2). */
export function prorate({ amount, days, totalDays, currency }: ProrationInput): Decimal {
  return roundToCurrency(amount.times(quotient(days, totalDays)), currency);
}
