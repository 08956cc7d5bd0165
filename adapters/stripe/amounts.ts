import { type Currency, type Decimal, decimal, minorUnits } from '../../lib/values/money/index.ts';

/** Where Stripe counts other units than ISO 4217 has: digits behind the point of what is sent. */
const SENT_DIGITS: Readonly<Partial<Record<Currency, number>>> = {
  // Without decimals at Stripe, with some in ISO 4217.
  MGA: 0,
  // Without decimals in the world, with two in the API, which must be 0.
  ISK: 2,
  UGX: 2,
};
/** Of these the last digit that is sent must be 0: three decimals in ISO 4217, or none in the world. */
const EVEN_TO: Readonly<Partial<Record<Currency, number>>> = {
  BHD: 10,
  IQD: 10,
  JOD: 10,
  KWD: 10,
  LYD: 10,
  OMR: 10,
  TND: 10,
  ISK: 100,
  UGX: 100,
};

/** An amount in the units of Stripe's API; null if it cannot be said exactly there. */
export function sentAmount(amount: Decimal, currency: Currency): number | null {
  const units = amount.times(decimal(10).pow(digitsOf(currency)));
  const evenTo = EVEN_TO[currency] ?? 1;
  if (!units.isInteger() || !units.mod(evenTo).isZero()) return null;
  const sent = units.toNumber();
  return Number.isSafeInteger(sent) ? sent : null;
}

/** An amount of Stripe's API in the currency's own unit. */
export function readAmount(units: number, currency: Currency): Decimal {
  return decimal(units).div(decimal(10).pow(digitsOf(currency)));
}

function digitsOf(currency: Currency): number {
  return SENT_DIGITS[currency] ?? minorUnits(currency);
}
