import {
  DEFAULT_PRICE_LIST,
  type PriceList,
  type PriceListSet,
  type Unit,
} from '../../model/catalog-model.ts';
import { completed } from '../fields/field.ts';
import { priceList } from '../fields/records.ts';

/** A plan of the entry catalog and the list that it stands in. */
export interface ListedPlan {
  readonly planName: string;
  readonly listName: string;
}

const emptyLists: PriceListSet = {
  defaultPriceList: completed(priceList, { name: DEFAULT_PRICE_LIST }),
  childPriceLists: [],
};

/**
 * The lists of an XML version, with the plans of entries added: lists of the same name become one (§15.6 rule 1). A list
 * that a rule leads to exists, even if empty, so that a search there continues in DEFAULT.
 */
export function mergedLists(
  xml: PriceListSet | null,
  plans: readonly ListedPlan[],
  namedByRules: readonly string[] = [],
): PriceListSet {
  const { defaultPriceList, childPriceLists } = xml ?? emptyLists;
  const plansOf = Map.groupBy(plans, ({ listName }) => listName);
  const extended = (list: PriceList): PriceList => ({
    ...list,
    plans: [...list.plans, ...(plansOf.get(list.name) ?? []).map(({ planName }) => planName)].toSorted(),
  });
  const known = new Set([DEFAULT_PRICE_LIST, ...childPriceLists.map((list) => list.name)]);
  const added = union([...plansOf.keys()], namedByRules).filter((name) => !known.has(name));
  return {
    defaultPriceList: extended(defaultPriceList),
    childPriceLists: [
      ...childPriceLists.map(extended),
      ...added.toSorted().map((name) => extended(completed(priceList, { name }))),
    ],
  };
}

export function mergedUnits(xml: readonly Unit[], own: readonly Unit[]): readonly Unit[] {
  const known = new Set(xml.map((unit) => unit.name));
  return [...xml, ...own.filter((unit) => !known.has(unit.name))];
}

/** Each value once, in the order of its first appearance. */
export function union<T>(...lists: readonly (readonly T[])[]): readonly T[] {
  return [...new Set(lists.flat())];
}
