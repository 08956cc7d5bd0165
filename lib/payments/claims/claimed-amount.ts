import { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS, MAX_NUMBER_CHARACTERS } from '../../values/limits.ts';
import {
  type Currency,
  type Decimal,
  parseWireDecimal,
  roundToCurrency,
  roundToScale,
} from '../../values/money/index.ts';

const limits = { integerDigits: MAX_INTEGER_DIGITS, fractionDigits: MAX_NUMBER_CHARACTERS };

/** Reads an amount that a plugin states, of whichever decimal type it uses; undefined = it is not an amount. */
export function claimedAmount(given: unknown): Decimal | undefined {
  return parseWireDecimal(String(given), limits);
}

/**
 * Returns the amount in whole minor units (§2.2): a plugin that computes with binary floating point means a whole amount,
 * and what has happened cannot be refused. `asked` is what the plugin was asked about, which may be finer by older data.
 */
export function claimedInUnits(
  amount: Decimal,
  { currency, asked }: { readonly currency: Currency | null; readonly asked: Decimal | null },
): Decimal {
  if (asked?.equals(amount)) return asked;
  return currency === null ? roundToScale(amount, MAX_FRACTION_DIGITS) : roundToCurrency(amount, currency);
}
