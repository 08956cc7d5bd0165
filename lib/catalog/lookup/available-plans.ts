import { ProductCategory } from '../../records/index.ts';
import type { Steps } from '../../runtime/index.ts';
import { BillingPeriod } from '../../values/time/index.ts';
import type { Plan } from '../model/catalog-model.ts';
import type { CatalogVersion } from './catalog-version.ts';

/** A plan that can be bought, on one of the price lists that have it. */
export interface AvailablePlan {
  readonly plan: Plan;
  readonly priceListName: string;
}

/** Every plan of a BASE product, once per list that has it, by plan name, then list (§12 rule 4). */
export function* listBasePlans(version: CatalogVersion): Steps<readonly AvailablePlan[]> {
  const products = yield* version.productParts.valueSteps();
  const isBase = new Map(products.map(({ name, category }) => [name, category === ProductCategory.BASE]));
  const listsOf = new Map<string, string[]>();
  for (const list of version.allPriceLists) {
    for (const plan of list.plans) {
      const names = listsOf.get(plan);
      if (names === undefined) listsOf.set(plan, [list.name]);
      else names.push(list.name);
    }
  }
  const plans = yield* version.planParts.valueSteps();
  return plans
    .filter((plan) => isBase.get(plan.product))
    .flatMap((plan) => (listsOf.get(plan.name) ?? []).map((priceListName) => ({ plan, priceListName })));
}

/**
 * The plans of the add-ons that can be bought for a base product, without those that it includes: by add-on, billing
 * period, list and plan name; if `priceListName` is given, only of that list (§12 rule 4). Empty for an unknown product.
 */
export function listAddOns(
  version: CatalogVersion,
  baseProductName: string,
  priceListName: string | null = null,
): readonly AvailablePlan[] {
  const lists = version.allPriceLists
    .map((list) => list.name)
    .filter((name) => priceListName === null || name === priceListName);
  return (version.productNamed(baseProductName)?.available ?? []).flatMap((productName) =>
    Object.values(BillingPeriod).flatMap((billingPeriod) =>
      lists.flatMap((list) =>
        version
          .plansMatching({ productName, billingPeriod, priceListName: list })
          .map((plan) => ({ plan, priceListName: list })),
      ),
    ),
  );
}
