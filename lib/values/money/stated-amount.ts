import { invalidField } from '../errors/index.ts';
import { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS, MAX_NUMBER_CHARACTERS } from '../limits.ts';
import { type Currency, minorUnits } from './currency.ts';
import { Decimal, formatDecimal } from './decimal.ts';
import { minorUnit, roundToCurrency } from './money.ts';

/** Largest binary floating point noise of an amount (ruling R57). */
const MAX_NOISE = new Decimal('0.000001');

/** Largest noise in minor units, for currencies with many digits such as BTC. */
const MAX_NOISE_OF_UNIT = new Decimal('0.01');

export interface AmountStatement {
  readonly currency: Currency;
  /** Name of the amount in errors. Defaults to `amount`. */
  readonly name?: string;
  /** If true, rounds binary floating point noise. If false (the default), rejects it. */
  readonly roundsFloatNoise?: boolean | undefined;
  /** The remaining amount. It is accepted even if older data left it finer than the minor unit. */
  readonly rest?: Decimal | null;
}

/**
 * Returns an amount that a caller states, with at most the digits of its currency (invoicing §2 rule 6).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an amount that is finer than the minor unit.
 */
export function statedAmount(
  amount: Decimal,
  { currency, name = 'amount', roundsFloatNoise = false, rest = null }: AmountStatement,
): Decimal {
  const whole = roundToCurrency(amount, currency);
  if (whole.equals(amount) || rest?.equals(amount)) return amount;
  if (roundsFloatNoise && whole.minus(amount).abs().lessThanOrEqualTo(maxNoise(currency))) return whole;
  const digits = minorUnits(currency);
  const most = digits === 0 ? 'no fractional digits' : `at most ${digits} fractional digits`;
  const text = formatDecimal(amount);
  throw invalidField(`${name} ${text} is finer than the minor unit of ${currency}. Use ${most}.`, {
    field: name,
    amount: text,
    currency,
  });
}

/** Returns the part of an amount that is smaller than the minor unit of its currency, with the sign of the amount. */
export function belowMinorUnit(amount: Decimal, currency: Currency): Decimal {
  return amount.minus(amount.toDecimalPlaces(minorUnits(currency), Decimal.ROUND_DOWN));
}

function maxNoise(currency: Currency): Decimal {
  const ofUnit = MAX_NOISE_OF_UNIT.times(minorUnit(currency));
  return Decimal.min(MAX_NOISE, ofUnit);
}

export interface WireDecimalLimits {
  readonly integerDigits: number;
  readonly fractionDigits: number;
}

const amountLimits: WireDecimalLimits = {
  integerDigits: MAX_INTEGER_DIGITS,
  fractionDigits: MAX_FRACTION_DIGITS,
};
const literalForm = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d{1,4}))?$/;

/**
 * Returns the exact decimal of a number from outside, which is plain or exponent text (`"500.0"`, `1.05e1`) or a
 * decimal of `parseExactJson`. Undefined for an invalid value, or with more digits than the limits, by default 15
 * integer and 9 fractional digits (http-api §9 rule 5), without insignificant zeros.
 */
export function parseWireDecimal(
  value: string | Decimal,
  limits: WireDecimalLimits = amountLimits,
): Decimal | undefined {
  const parsed = typeof value === 'string' ? parseLiteral(value) : value;
  if (parsed === undefined || !parsed.isFinite()) return undefined;
  if (parsed.isZero()) return new Decimal(0);
  if (parsed.decimalPlaces() > limits.fractionDigits) return undefined;
  return parsed.e >= limits.integerDigits ? undefined : parsed;
}

function parseLiteral(text: string): Decimal | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_NUMBER_CHARACTERS || !literalForm.test(trimmed)) return undefined;
  return new Decimal(trimmed);
}
