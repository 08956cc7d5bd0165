import { assertInvariant } from '../errors/index.ts';
import { type Currency, minorUnits } from './currency.ts';
import { Decimal, sum, ZERO } from './decimal.ts';

/**
 * Splits `total` in proportion to `weights` into whole minor units of `currency`. The parts add up to `total`. Each
 * part is first rounded toward zero. The remaining minor units go, one each, to the parts that lost the most by
 * rounding, and to earlier parts in case of a tie. A part with weight 0 is 0. The parts of a negative total are the
 * negated parts of the positive total.
 * @throws InvariantError if `total` is finer than the minor unit, a weight is negative, or no weight is positive.
 */
export function allocate(
  total: Decimal,
  weights: readonly Decimal[],
  currency: Currency,
): readonly Decimal[] {
  const scale = minorUnits(currency);
  const units = total.abs().times(Decimal.pow(10, scale));
  const text = total.toFixed();
  assertInvariant(units.isInteger(), `${text} is not a whole number of minor units of ${currency}`, {
    total: text,
    currency,
  });
  assertInvariant(
    weights.every((weight) => weight.gte(ZERO)),
    'A weight of a split must not be negative',
    { weights: weights.map(String) },
  );
  assertInvariant(sum(weights).gt(ZERO), 'A split needs at least one positive weight', {
    weights: weights.map(String),
  });

  const parts = splitUnits(toInteger(units, 0), weights);
  const sign = total.isNegative() ? -1n : 1n;
  return parts.map((part) => fromInteger(sign * part, scale));
}

/**
 * Splits minor units with the largest remainder method. The computation uses integers, so that no intermediate quotient
 * is rounded.
 */
function splitUnits(units: bigint, weights: readonly Decimal[]): readonly bigint[] {
  const weightScale = weights.reduce((scale, weight) => Math.max(scale, weight.decimalPlaces()), 0);
  const integers = weights.map((weight) => toInteger(weight, weightScale));
  const weightSum = integers.reduce((all, weight) => all + weight, 0n);
  const parts = integers.map((weight) => (units * weight) / weightSum);
  const lost = integers.map((weight) => (units * weight) % weightSum);
  const left = Number(units - parts.reduce((all, part) => all + part, 0n));

  const receivers = new Set(
    lost
      .map((remainder, index) => ({ remainder, index }))
      .sort((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1))
      .slice(0, left)
      .map(({ index }) => index),
  );
  return parts.map((part, index) => (receivers.has(index) ? part + 1n : part));
}

function toInteger(value: Decimal, scale: number): bigint {
  return BigInt(value.times(Decimal.pow(10, scale)).toFixed(0));
}

function fromInteger(units: bigint, scale: number): Decimal {
  return units === 0n ? ZERO : new Decimal(units).dividedBy(Decimal.pow(10, scale));
}
