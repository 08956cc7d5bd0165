import { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS, MAX_NUMBER_CHARACTERS } from '../limits.ts';
import { Decimal } from './decimal.ts';

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
 * The exact decimal of a number from outside: text in plain or exponent form (`"500.0"`, `1.05e1`) or a decimal that
 * `parseExactJson` has read. Undefined if it is none or has more digits than allowed, by default 15 integer and 9
 * fractional ones (http-api §9 rule 5); zeros that do not change the value do not count.
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
