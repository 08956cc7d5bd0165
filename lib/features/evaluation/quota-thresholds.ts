import type { DrawLimit } from '../../ports/storage/index.ts';
import { Decimal, decimal } from '../../values/money/index.ts';

const HUNDRED = decimal(100);

/**
 * Returns the thresholds, in percent, that a counter has reached and that have not been announced in its period (§5).
 * They are in ascending order.
 * @param announced The highest announced threshold, or 0 if none exists.
 */
export function reachedThresholds(
  thresholds: readonly number[],
  {
    used,
    amount,
    announced,
  }: { readonly used: Decimal; readonly amount: Decimal; readonly announced: number },
): readonly number[] {
  if (amount.isZero()) return [];
  return thresholds
    .filter(
      (percent) => percent > announced && used.times(HUNDRED).greaterThanOrEqualTo(amount.times(percent)),
    )
    .toSorted((a, b) => a - b);
}

/** Smallest step of a counter. */
const STEP = decimal('1e-10');

/**
 * Returns the limits up to which a counter can be used without reaching a new threshold or exceeding the amount of the
 * quota.
 */
export function quietLimits(thresholds: readonly number[], amount: Decimal): readonly DrawLimit[] {
  const percents = [0, ...thresholds.toSorted((a, b) => a - b)];
  return percents.map((announced, index) => {
    const next = percents[index + 1];
    if (next === undefined) return { announced, upTo: amount };
    const reached = amount.times(next).dividedBy(HUNDRED).dividedBy(STEP).ceil();
    return { announced, upTo: Decimal.min(amount, reached.minus(1).times(STEP)) };
  });
}
