import { Decimal as DecimalConstructor } from 'decimal.js';
import { assertInvariant, InvariantError } from '../errors/index.ts';

/**
 * The only constructor for decimals. Decimals have 40 significant digits and are rounded half up. `toString` never uses
 * exponent notation for numbers that are sent over HTTP.
 */
export const Decimal = DecimalConstructor.clone({
  defaults: true,
  precision: 40,
  rounding: DecimalConstructor.ROUND_HALF_UP,
  toExpNeg: -60,
  toExpPos: 60,
});

/** An exact, immutable amount, rate or quantity. */
export type Decimal = DecimalConstructor;

export const ZERO: Decimal = new Decimal(0);

/**
 * Returns the exact decimal for a plain or exponent literal, a safe integer or a decimal. For text from outside, use
 * `parseWireDecimal`.
 * @throws InvariantError for an invalid value, or for a JavaScript number with a fraction, because such a number is not
 * exact.
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

/** Returns the exact sum. The sum of an empty list is 0. */
export function sum(values: Iterable<Decimal>): Decimal {
  let total = ZERO;
  let last: Decimal | undefined;
  let times = 0;
  const withLast = (): Decimal => {
    if (last === undefined) return total;
    return total.plus(times === 1 ? last : last.times(times));
  };
  // Consecutive equal amounts, such as thousands of equal charges, are added in one step.
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

/**
 * Returns the number without an exponent or trailing zeros, such as `30`, `10.5` or `-0.000000001`. Zero has no sign.
 */
export function formatDecimal(value: Decimal): string {
  return value.isZero() ? '0' : value.toFixed();
}
