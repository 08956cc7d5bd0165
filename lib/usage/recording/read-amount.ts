import { MAX_FRACTION_DIGITS, MAX_USAGE_INTEGER_DIGITS } from '../../values/limits.ts';
import { type Decimal, decimalOf, parseWireDecimal } from '../../values/money/index.ts';

const digits = { integerDigits: MAX_USAGE_INTEGER_DIGITS, fractionDigits: MAX_FRACTION_DIGITS };

export type ReadAmount = { readonly amount: Decimal } | { readonly problem: string };

/** The exact amount of a record, or what is wrong with it (§2.4). */
export function readAmount(
  value: unknown,
  { negativeAmounts }: { readonly negativeAmounts: boolean },
): ReadAmount {
  const given = typeof value === 'string' ? value : decimalOf(value);
  const amount = given === undefined ? undefined : parseWireDecimal(given, digits);
  if (amount === undefined) {
    return {
      problem: `is not a decimal of at most ${digits.integerDigits} integer and ${digits.fractionDigits} fractional digits`,
    };
  }
  if (amount.isNegative() && !negativeAmounts) {
    return { problem: 'is negative; to take usage back, void the submission that recorded it' };
  }
  return { amount };
}
