import type { BasisDiscount, Discount, ItemDiscount } from '../../records/index.ts';
import { allocate, type Currency, type Decimal } from '../../values/money/index.ts';
import { discountedRate } from './discounted-rate.ts';

/** A price before discounts. */
export interface ListPrice {
  /** List price × quantity. */
  readonly rate: Decimal;
  /** The discounts of the price in the order in which they apply (§3 rule 5). */
  readonly discounts: readonly BasisDiscount[];
}

/** Returns price × quantity after the discounts, and the list price; null if no discount takes anything off. */
export function priceAfterDiscounts({
  price,
  quantity,
  discounts,
}: {
  readonly price: Decimal;
  readonly quantity: number;
  readonly discounts: readonly Discount[];
}): { readonly rate: Decimal; readonly list: ListPrice | null } {
  const { rate, listRate, taken } = discountedRate({ price, quantity, reductions: discounts });
  if (rate.equals(listRate)) return { rate, list: null };
  const granted = discounts.flatMap((discount, index): readonly BasisDiscount[] => {
    const { code, name, percentOff, amountOff, perQuantity, until } = discount;
    const off = taken[index];
    return off === undefined ? [] : [{ code, name, percentOff, amountOff, perQuantity, until, taken: off }];
  });
  const isPercentage = ({ percentOff }: BasisDiscount) => percentOff !== null;
  const amounts = granted.filter((each) => !isPercentage(each));
  return { rate, list: { rate: listRate, discounts: [...granted.filter(isPercentage), ...amounts] } };
}

/** Returns the amount that each discount takes off an item. The amounts add up to list amount − amount (§4 rule 1). */
export function itemDiscounts(
  discounts: readonly BasisDiscount[],
  {
    listAmount,
    amount,
    currency,
  }: { readonly listAmount: Decimal; readonly amount: Decimal; readonly currency: Currency },
): readonly ItemDiscount[] {
  const weights = discounts.map(({ taken }) => taken);
  const parts = allocate(listAmount.minus(amount), weights, currency);
  return discounts.flatMap(({ code, name }, index): readonly ItemDiscount[] => {
    const part = parts[index];
    return part === undefined ? [] : [{ code, name, amount: part }];
  });
}
