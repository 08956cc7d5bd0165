import { assertInvariant, BillingError, ErrorCode } from '../errors/index.ts';
import { type CurrencyFacts, currencies } from './currencies.ts';

/** An ISO 4217 alphabetic code, or BTC; upper case. */
export type Currency = keyof typeof currencies;

/** Every currency code, in the order of the table. */
export const currencyCodes: readonly Currency[] = Object.freeze(Object.keys(currencies).filter(isCurrency));

/** True if `code` is a currency of the table; lower case is not. */
export function isCurrency(code: string): code is Currency {
  return Object.hasOwn(currencies, code);
}

/** `code` as a currency. @throws BillingError CURRENCY_INVALID (3) if the table does not have it. */
export function asCurrency(code: string): Currency {
  if (isCurrency(code)) return code;
  throw new BillingError({
    code: ErrorCode.CURRENCY_INVALID,
    message: `"${code.slice(0, 16)}" is not a currency; expected an ISO 4217 code such as USD, or BTC`,
    facts: { value: code.slice(0, 16) },
  });
}

/** Numeric code, minor units and name of `currency`. */
export function currencyFacts(currency: Currency): CurrencyFacts {
  assertInvariant(isCurrency(currency), `${String(currency)} is not a currency`, { currency });
  return currencies[currency];
}

/** Digits behind the decimal point of an amount: USD 2, JPY 0, KWD 3, BTC 8. */
export function minorUnits(currency: Currency): number {
  return currencyFacts(currency).minorUnits;
}
