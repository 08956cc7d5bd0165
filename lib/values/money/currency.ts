import { assertInvariant, billingError, ErrorCode } from '../errors/index.ts';
import { currencies } from './currencies.ts';

/** An ISO 4217 alphabetic code in upper case, or BTC. */
export type Currency = keyof typeof currencies;

/** All currency codes, in the order of the table. */
export const currencyCodes: readonly Currency[] = Object.freeze(Object.keys(currencies).filter(isCurrency));

/** Returns true for a currency code in upper case. */
export function isCurrency(code: string): code is Currency {
  return Object.hasOwn(currencies, code);
}

/** Returns the text as a currency. @throws BillingError CURRENCY_INVALID (3) for an unknown code. */
export function asCurrency(code: string): Currency {
  if (isCurrency(code)) return code;
  const value = code.slice(0, 16);
  const message = `"${value}" is not a currency; expected an ISO 4217 code such as USD, or BTC`;
  throw billingError(ErrorCode.CURRENCY_INVALID, message, { value });
}

export interface CurrencyFacts {
  /** ISO 4217 numeric code, or null for currencies outside ISO 4217. */
  readonly numericCode: number | null;
  readonly minorUnits: number;
  readonly name: string;
}

/** Returns the numeric code, minor units and name of a currency. */
export function currencyFacts(currency: Currency): CurrencyFacts {
  assertInvariant(isCurrency(currency), `${String(currency)} is not a currency`, { currency });
  const [numericCode, minorUnits, name] = currencies[currency];
  return { numericCode, minorUnits, name };
}

/** Returns the number of fractional digits of an amount: USD 2, JPY 0, KWD 3, BTC 8. */
export function minorUnits(currency: Currency): number {
  assertInvariant(isCurrency(currency), `${String(currency)} is not a currency`, { currency });
  return currencies[currency][1];
}
