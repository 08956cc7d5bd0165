import { BillingPeriod } from '../time/index.ts';
import type { CatalogVersion } from './catalog-version.ts';
import { ProductCategory } from './enumerations.ts';
import type { Plan } from './model.ts';

/** A plan that can be bought, on one of the price lists that have it. */
export interface AvailablePlan {
  readonly plan: Plan;
  readonly priceListName: string;
}

/** Every plan of a BASE product, once per list that has it, by plan name, then list (catalog.md §12 rule 4). */
export function listBasePlans(version: CatalogVersion): readonly AvailablePlan[] {
  const isBase = new Map(
    version.products.map(({ name, category }) => [name, category === ProductCategory.BASE]),
  );
  const lists = version.allPriceLists.map(({ name, plans }) => ({ name, plans: new Set(plans) }));
  return version.plans
    .filter((plan) => isBase.get(plan.product))
    .flatMap((plan) =>
      lists.filter(({ plans }) => plans.has(plan.name)).map((list) => ({ plan, priceListName: list.name })),
    );
}

/**
 * The plans of the add-ons that can be bought for a base product, not of those that it includes: by add-on, billing period,
 * list and plan name; only of `priceListName` if it is given (catalog.md §12 rule 4). Empty for an unknown product.
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
