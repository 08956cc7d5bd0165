import {
  type CatalogVersion,
  type CatalogWithOverrides,
  DEFAULT_PRICE_LIST,
  defineOverrides,
  type OverrideDefinition,
  type OverridePlan,
  type Plan,
  type PlanSpecifier,
} from '../../catalog/index.ts';
import type { ProductCategory } from '../../records/index.ts';
import { invalidField } from '../../values/errors/index.ts';
import type { Currency } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { CheckedRequest } from './create-request.ts';

export interface PlanChoice {
  readonly version: CatalogVersion;
  readonly plan: Plan;
  readonly category: ProductCategory;
  readonly priceListName: string;
}

/**
 * The plan that a creation means, in the catalog version in force at its billing date (§6.2 rule 4).
 * @throws BillingError of catalog §7 (2013, 2020, 2021, 2030, 2050, 2002), MISSING_OR_INVALID_FIELD where the category
 * named is not the plan's.
 */
export function choosePlan(
  catalog: CatalogWithOverrides,
  request: Pick<CheckedRequest, 'plan' | 'productCategory'>,
  billingAt: Instant,
): PlanChoice {
  const choice = choiceAt(catalog, request.plan, billingAt);
  checkCategory(choice, request.productCategory);
  return choice;
}

/** @throws BillingError MISSING_OR_INVALID_FIELD (60003) where the category that a request names is not the plan's. */
export function checkCategory({ plan, category }: PlanChoice, requested: ProductCategory | null): void {
  if (requested === null || requested === category) return;
  throw invalidField(
    `SubscriptionJson productCategory is ${requested}, but plan ${plan.name} is of category ${category}`,
    { field: 'productCategory', planName: plan.name },
  );
}

/**
 * The plan that a specifier means, of whatever category, in the catalog version in force at an instant.
 * @throws BillingError of catalog §7 (2013, 2020, 2021, 2030, 2050, 2002).
 */
export function choiceAt(catalog: CatalogWithOverrides, specifier: PlanSpecifier, at: Instant): PlanChoice {
  const version = catalog.resolveVersion(at);
  const plan = catalog.selectPlan(version, specifier);
  return {
    version,
    plan,
    category: version.findProduct(plan.product).category,
    priceListName: priceListOf(version, plan, specifier.priceListName ?? null),
  };
}

/**
 * What the requested overrides make of the chosen plan; null if none are requested (catalog §10).
 * @throws BillingError CATALOG_INVALID_PRICE_OVERRIDE (2081).
 */
export function overridesOf(
  catalog: CatalogWithOverrides,
  { plan }: Pick<PlanChoice, 'plan'>,
  request: { readonly priceOverrides: CheckedRequest['priceOverrides']; readonly currency: Currency | null },
): OverrideDefinition | null {
  const { priceOverrides: requests, currency } = request;
  if (requests.length === 0) return null;
  return defineOverrides({ plan, chosen: catalog.overridePlanNamed(plan.name), currency, requests });
}

/** The choice with the override plan in the place of the chosen one; the price list stays. */
export function withOverridePlan(choice: PlanChoice, overridePlan: OverridePlan): PlanChoice {
  return { ...choice, plan: overridePlan.planFrom(choice.version.findPlan(overridePlan.parentPlanName)) };
}

/**
 * The list in which the plan was found: the requested one, else DEFAULT; for a plan given by name, the list that holds
 * it.
 */
function priceListOf(version: CatalogVersion, plan: Plan, requested: string | null): string {
  if (requested === null) return version.priceListOf(plan);
  return version.findPriceList(requested).plans.includes(plan.name) ? requested : DEFAULT_PRICE_LIST;
}
