import { type Decimal, decimal } from '../../values/money/index.ts';

const HUNDRED = decimal(100);

/**
 * Returns the thresholds, in percent, that a counter has reached and that were not announced in its period, in
 * ascending order (§5).
 * @param announced the highest announced threshold. 0 means none.
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
