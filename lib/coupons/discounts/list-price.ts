import type { BasisDiscount, ItemDiscount } from '../../records/index.ts';
import { allocate, type Currency, type Decimal, decimal } from '../../values/money/index.ts';

const HUNDRED = decimal(100);

type UnpricedDiscount = Omit<BasisDiscount, 'taken'>;

/** A price before discounts. */
export interface ListPrice {
  /** List price × quantity. */
  readonly rate: Decimal;
  /** The discounts on the price, in the order in which they are applied (§3 rule 5). */
  readonly discounts: readonly BasisDiscount[];
}

/**
 * Returns the exact value of price × quantity after the discounts, which is at least 0 (§3 rule 5). Applies all
 * percentages first, then all amounts, each in the order of redemption. The list price is null if no discount reduces
 * the price.
 */
export function priceAfterDiscounts({
  price,
  quantity,
  discounts,
}: {
  readonly price: Decimal;
  readonly quantity: number;
  readonly discounts: readonly UnpricedDiscount[];
}): { readonly rate: Decimal; readonly list: ListPrice | null } {
  const listRate = quantity === 1 ? price : price.times(quantity);
  let rate = listRate;
  const { percentages = [], amounts = [] } = Object.groupBy(discounts, ({ percentOff }) =>
    percentOff === null ? 'amounts' : 'percentages',
  );
  const granted = [...percentages, ...amounts].map((discount): BasisDiscount => {
    const { code, name, percentOff, amountOff, perQuantity, until } = discount;
    const taken = reductionOf(discount, rate, quantity);
    rate = rate.minus(taken);
    return { code, name, percentOff, amountOff, perQuantity, until, taken };
  });
  return { rate, list: rate.equals(listRate) ? null : { rate: listRate, discounts: granted } };
}

function reductionOf(
  { percentOff, amountOff, perQuantity }: UnpricedDiscount,
  rate: Decimal,
  quantity: number,
) {
  if (percentOff !== null) return rate.times(percentOff).dividedBy(HUNDRED);
  const wanted = perQuantity ? amountOff?.times(quantity) : amountOff;
  return !wanted || wanted.greaterThan(rate) ? rate : wanted;
}

/**
 * Returns the amount by which each discount reduces an item. The sum of these amounts is list amount − amount (§4 rule
 * 1).
 */
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
