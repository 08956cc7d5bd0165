import type { BillingMode } from '../../records/index.ts';
import type { Currency } from '../../values/money/index.ts';
import type { PlanRules, PriceList, PriceListSet, Unit } from './catalog-model.ts';

/** What a version holds besides its date, products and plans. */
export interface VersionFrame {
  readonly catalogName: string;
  readonly recurringBillingMode: BillingMode | null;
  readonly currencies: readonly Currency[];
  readonly units: readonly Unit[];
  readonly rules: PlanRules;
  readonly priceLists: PriceListSet;
}

/** Price lists of a frame by name, and the first list of each plan; `DEFAULT` comes before the others. */
export interface PriceListIndex {
  readonly all: readonly PriceList[];
  readonly byName: ReadonlyMap<string, PriceList>;
  readonly listOfPlan: ReadonlyMap<string, string>;
}

const indexes = new WeakMap<VersionFrame, PriceListIndex>();

/** Versions with equal frames share the index. */
export function priceListIndex(frame: VersionFrame): PriceListIndex {
  const known = indexes.get(frame);
  if (known !== undefined) return known;
  const all = Object.freeze([frame.priceLists.defaultPriceList, ...frame.priceLists.childPriceLists]);
  const listOfPlan = new Map<string, string>();
  for (const list of all) {
    for (const plan of list.plans) if (!listOfPlan.has(plan)) listOfPlan.set(plan, list.name);
  }
  const index = { all, byName: new Map(all.map((list) => [list.name, list])), listOfPlan };
  indexes.set(frame, index);
  return index;
}
