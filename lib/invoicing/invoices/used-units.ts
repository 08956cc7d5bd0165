import type { ResolvedPlan } from '../../catalog/index.ts';
import {
  type InvoiceItem,
  InvoiceItemType,
  type ItemBasis,
  type UsageBasis,
  type UsageLine,
} from '../../records/index.ts';
import { MAX_FRACTION_DIGITS } from '../../values/limits.ts';
import { type Decimal, decimal } from '../../values/money/index.ts';

/** The billed blocks of a unit in a tier (§14 rule 8). */
export interface UsedTier extends Pick<UsageLine, 'price' | 'blockSize' | 'quantity' | 'amount'> {
  /** Number of the tier, from 1. */
  readonly tier: number;
}

/** A unit that a USAGE item charges, with its used amount and its tiers (§14 rule 8). */
export interface UsedUnit {
  /** Display name of the unit. This is the pretty name if the catalog contains one. */
  readonly unit: string;
  /** Name of the unit in the catalog. */
  readonly name: string;
  readonly quantity: Decimal;
  readonly tiers: readonly UsedTier[];
}

/** An empty list for items without usage. It is shared because most items have no usage. */
export const NO_USAGE: readonly UsedUnit[] = [];

/**
 * Returns the units of a USAGE item. Returns an empty list for other items, and for items that were stored before the
 * engine recorded the facts of a calculation.
 */
export function usedUnits(basis: ItemBasis | undefined, plan: ResolvedPlan | undefined): readonly UsedUnit[] {
  const computed = basis?.kind === 'PLUGIN' ? basis.changed : basis;
  if (computed?.kind !== 'USAGE') return NO_USAGE;
  return computed.used.map(({ unit: name, quantity }) => ({
    unit: plan?.version.units.find((each) => each.name === name)?.prettyName ?? name,
    name,
    quantity,
    tiers: tiersOf(computed, name),
  }));
}

/** Returns the tiers of a unit. Omits the lines of usage terms, because these lines have no unit. */
function tiersOf({ lines }: UsageBasis, unit: string): readonly UsedTier[] {
  return lines
    .filter((line) => line.unit === unit)
    .map(({ tier, price, blockSize, quantity, amount }) => ({ tier, price, blockSize, quantity, amount }));
}

type Priced = Pick<InvoiceItem, 'itemType' | 'quantity' | 'rate' | 'amount'>;

/** Returns the quantity of an item. A plan charge without a stored quantity has the quantity 1 (§14 rule 8). */
export function billedQuantity({ itemType, quantity }: Pick<InvoiceItem, 'itemType' | 'quantity'>) {
  return quantity ?? (isPlanCharge(itemType) ? decimal(1) : null);
}

/**
 * Returns the price of one unit. If the item is prorated, the price is for the whole period (§14 rule 8). Returns null
 * if the item has no unit price.
 */
export function unitPriceOf(item: Priced): Decimal | null {
  const quantity = billedQuantity(item);
  if (quantity === null) return null;
  if (!isPlanCharge(item.itemType)) return item.rate;
  if (quantity.isZero()) return null;
  return (item.rate ?? item.amount).dividedBy(quantity).toDecimalPlaces(MAX_FRACTION_DIGITS);
}

function isPlanCharge(itemType: InvoiceItemType): boolean {
  return itemType === InvoiceItemType.RECURRING || itemType === InvoiceItemType.FIXED;
}
