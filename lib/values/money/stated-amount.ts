import { invalidField } from '../errors/index.ts';
import { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS, MAX_NUMBER_CHARACTERS } from '../limits.ts';
import { type Currency, minorUnits } from './currency.ts';
import { Decimal, formatDecimal } from './decimal.ts';
import { minorUnit, roundToCurrency } from './money.ts';

/** Maximum error of an amount that was computed with binary floating-point numbers (ruling R57). */
const MAX_NOISE = new Decimal('0.000001');

/** Maximum floating-point error in minor units, for currencies with many decimals such as BTC. */
const MAX_NOISE_OF_UNIT = new Decimal('0.01');

export interface AmountStatement {
  readonly currency: Currency;
  /** Name of the amount in error messages. Defaults to `amount`. */
  readonly name?: string;
  /** If true, floating-point errors are removed by rounding. If false (the default), such amounts are rejected. */
  readonly roundsFloatNoise?: boolean | undefined;
  /** The remaining amount. It is always accepted, even if older data made it finer than the minor unit. */
  readonly rest?: Decimal | null;
}

/**
 * Checks an amount from a caller and returns it. The amount must not have more decimals than its currency (invoicing §2
 * rule 6).
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
 * Returns the exact decimal for a number from outside. The number is plain or exponent text (`"500.0"`, `1.05e1`) or a
 * decimal of `parseExactJson`. Returns undefined if the value is invalid or has too many digits. By default, the number
 * may have up to 15 digits before and 9 digits after the decimal point (http-api §9 rule 5). Insignificant zeros do not
 * count.
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
