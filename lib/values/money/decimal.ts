import { Decimal as DecimalConstructor } from 'decimal.js';
import { assertInvariant, InvariantError } from '../errors/index.ts';

/**
 * The one decimal constructor of the product: 40 significant digits, half up, and no exponent in `toString` for any
 * number that the wire accepts (20 integer and 9 fractional digits leave room for a product of two). The global
 * constructor of decimal.js is used nowhere.
 */
export const Decimal = DecimalConstructor.clone({
  defaults: true,
  precision: 40,
  rounding: DecimalConstructor.ROUND_HALF_UP,
  toExpNeg: -60,
  toExpPos: 60,
});

/** An exact amount, rate or quantity; immutable. */
export type Decimal = DecimalConstructor;

/** 0. */
export const ZERO: Decimal = new Decimal(0);

/**
 * The exact decimal of a plain or exponent literal, a safe integer or a decimal. JS numbers with a fraction are
 * refused: they are not what their author wrote.
 * @throws InvariantError if `value` is no finite number; text from outside goes through `parseWireDecimal`.
 */
export function decimal(value: string | number | bigint | Decimal): Decimal {
  if (typeof value === 'number') {
    assertInvariant(Number.isSafeInteger(value), `${value} is not a safe integer; pass decimals as text`, {
      value,
    });
    return new Decimal(value);
  }
  if (typeof value === 'string' && !/^[+-]?\d+(\.\d+)?([eE][+-]?\d{1,4})?$/.test(value)) {
    const begun = value.slice(0, 64);
    throw new InvariantError(`"${begun}" is not a decimal`, { value: begun });
  }
  const result = new Decimal(value);
  if (result.isFinite()) return result;
  throw new InvariantError('An amount must be finite', { value: String(value) });
}

/** The exact sum; 0 of an empty list. */
export function sum(values: Iterable<Decimal>): Decimal {
  let total = ZERO;
  let last: Decimal | undefined;
  let times = 0;
  const withLast = (): Decimal => {
    if (last === undefined) return total;
    return total.plus(times === 1 ? last : last.times(times));
  };
  // Equal amounts, as thousands of charges made alike have, are added at once.
  for (const value of values) {
    if (value === last) {
      times += 1;
    } else {
      total = withLast();
      last = value;
      times = 1;
    }
  }
  return withLast();
}

/** Plain notation without exponent and without trailing zeros: `30`, `10.5`, `-0.000000001`; zero never has a sign. */
export function formatDecimal(value: Decimal): string {
  return value.isZero() ? '0' : value.toFixed();
}
