import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { shortened } from '../../values/text/index.ts';
import type { BillingPeriod } from '../../values/time/index.ts';
import {
  type CreationContext,
  DEFAULT_PRICE_LIST,
  type Plan,
  type PlanRules,
  type PriceList,
  type Product,
} from '../model/catalog-model.ts';

/** Product, period and list by which a plan is sought; all of them exist. */
export interface PlanCriteria {
  readonly productName: string;
  readonly billingPeriod: BillingPeriod;
  readonly priceListName: string;
}

/** What plan selection and rule evaluation need of a catalog version. */
export interface PlanLookup {
  /** Name and date, for messages. */
  readonly title: string;
  readonly rules: PlanRules;
  /** @throws BillingError 2021 `CATALOG_NO_SUCH_PLAN` */
  findPlan(name: string): Plan;
  /** @throws BillingError 2030 `CATALOG_NO_SUCH_PRODUCT` */
  findProduct(name: string): Product;
  hasPriceList(name: string): boolean;
  /** @throws BillingError 2013 `CATALOG_PRICE_LIST_NOT_FOUND` */
  findPriceList(name: string): PriceList;
  plansMatching(criteria: PlanCriteria): readonly Plan[];
  contextOf(plan: Plan): CreationContext;
}

/**
 * How a request names a plan (§7): by `planName`, so that the rest is ignored, or by product, period and price list
 * (default `DEFAULT`).
 */
export interface PlanSpecifier {
  readonly planName?: string | null;
  readonly productName?: string | null;
  readonly billingPeriod?: BillingPeriod | null;
  readonly priceListName?: string | null;
}

/**
 * The criteria of a specifier without plan name, its list replaced by `defaultList` if it names none.
 * @throws BillingError 2031 without product, 2015 without period, 2030 for an unknown product, 2013 for an unknown list.
 */
export function planCriteria(
  version: PlanLookup,
  specifier: PlanSpecifier,
  defaultList: string = DEFAULT_PRICE_LIST,
): PlanCriteria {
  const { productName, billingPeriod } = specifier;
  if (productName === undefined || productName === null) {
    throw new BillingError({
      code: ErrorCode.CATALOG_NULL_PRODUCT_NAME,
      message: 'The plan is not specified: give planName, or productName and billingPeriod',
    });
  }
  if (billingPeriod === undefined || billingPeriod === null) {
    throw new BillingError({
      code: ErrorCode.CATALOG_NULL_BILLING_PERIOD,
      message: `The billing period is missing for product "${shortened(productName)}": give billingPeriod, or planName`,
      facts: { productName },
    });
  }
  version.findProduct(productName);
  const priceListName = specifier.priceListName ?? defaultList;
  version.findPriceList(priceListName);
  return { productName, billingPeriod, priceListName };
}

/**
 * The one plan that a specifier means (§7). Without plan name, the list is searched first, then `DEFAULT`.
 * @throws BillingError 2021 for an unknown plan name; the errors of `planCriteria`; 2020 if no plan matches; 2002 if
 *   several do.
 */
export function selectPlan(version: PlanLookup, specifier: PlanSpecifier): Plan {
  const { planName } = specifier;
  if (planName !== undefined && planName !== null) return version.findPlan(planName);

  const criteria = planCriteria(version, specifier);
  const inList = version.plansMatching(criteria);
  const candidates =
    inList.length > 0 ? inList : version.plansMatching({ ...criteria, priceListName: DEFAULT_PRICE_LIST });
  const [plan, ...others] = candidates;
  if (plan === undefined) {
    throw new BillingError({
      code: ErrorCode.CATALOG_PLAN_NOT_FOUND,
      message: `No plan of product "${shortened(criteria.productName)}" with billing period ${criteria.billingPeriod} is in price list "${shortened(criteria.priceListName)}" or ${DEFAULT_PRICE_LIST} of ${version.title}`,
      facts: { ...criteria },
    });
  }
  if (others.length > 0) {
    throw new BillingError({
      code: ErrorCode.CATALOG_MULTIPLE_MATCHING_PLANS_FOR_PRICELIST,
      message: `Several plans of product "${shortened(criteria.productName)}" with billing period ${criteria.billingPeriod} are in price list "${plan === inList[0] ? criteria.priceListName : DEFAULT_PRICE_LIST}": ${candidates.map((candidate) => candidate.name).join(', ')}; give planName`,
      facts: { ...criteria, planNames: candidates.map((candidate) => candidate.name) },
    });
  }
  return plan;
}
