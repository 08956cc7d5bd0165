import { type Currency, minorUnits } from './currency.ts';
import type { Decimal } from './decimal.ts';

/** `249.95 USD`: with the digits of the currency, more where the value has more; `0 USD` for nothing. */
export function moneyText(amount: Decimal, currency: Currency): string {
  const digits = Math.max(minorUnits(currency), amount.decimalPlaces());
  return `${amount.isZero() ? '0' : amount.toFixed(digits)} ${currency}`;
}
