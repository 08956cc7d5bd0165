import type { BillingPeriod } from '../../values/time/index.ts';
import type { Plan, PlanRules, PriceList, Product } from '../model/catalog-model.ts';
import type { CreationContext } from '../model/rule-conditions.ts';

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
