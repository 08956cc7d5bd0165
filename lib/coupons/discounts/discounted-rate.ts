import type { PriceReduction } from '../../records/index.ts';
import { type Decimal, decimal, ZERO } from '../../values/money/index.ts';

const HUNDRED = decimal(100);

/**
 * Returns price × quantity after the reductions, exact and at least 0 (§3): all percentages first, then all amounts,
 * each in the order of redemption. `taken` contains the amount that each reduction takes off, in the given order.
 */
export function discountedRate(input: {
  readonly price: Decimal;
  readonly quantity: number;
  readonly reductions: readonly PriceReduction[];
}): { readonly rate: Decimal; readonly listRate: Decimal; readonly taken: readonly Decimal[] } {
  const { price, reductions } = input;
  const quantity = decimal(input.quantity);
  const listRate = input.quantity === 1 ? price : price.times(quantity);
  const taken = new Map<PriceReduction, Decimal>();
  let rate = listRate;
  for (const reduction of reductions) {
    if (reduction.percentOff === null) continue;
    const off = rate.times(reduction.percentOff).dividedBy(HUNDRED);
    taken.set(reduction, off);
    rate = rate.minus(off);
  }
  for (const reduction of reductions) {
    if (reduction.amountOff === null) continue;
    const wanted = reduction.perQuantity ? reduction.amountOff.times(quantity) : reduction.amountOff;
    const off = wanted.greaterThan(rate) ? rate : wanted;
    taken.set(reduction, off);
    rate = rate.minus(off);
  }
  return { rate, listRate, taken: reductions.map((reduction) => taken.get(reduction) ?? ZERO) };
}
