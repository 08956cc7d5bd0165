import {
  BillingActionPolicy,
  BillingAlignment,
  PlanAlignmentChange,
  PlanAlignmentCreate,
} from '../../records/index.ts';
import {
  type ChangeConditions,
  type CreateConditions,
  DEFAULT_PRICE_LIST,
  type PlanRules,
  type PriceListConditions,
  type SubscriptionConditions,
} from './catalog-model.ts';

export const anyCreation: CreateConditions = {
  product: null,
  productCategory: null,
  billingPeriod: null,
  priceList: null,
};
export const anySubscription: SubscriptionConditions = { ...anyCreation, phaseType: null };
export const anySource: PriceListConditions = {
  fromProduct: null,
  fromProductCategory: null,
  fromBillingPeriod: null,
  fromPriceList: null,
};
export const anyChange: ChangeConditions = {
  ...anySource,
  phaseType: null,
  toProduct: null,
  toProductCategory: null,
  toBillingPeriod: null,
  toPriceList: null,
};

/** Rules of a catalog whose author gave none (§12 item 3 step 2). */
export const SIMPLE_RULES: PlanRules = {
  changePolicy: [{ conditions: anyChange, result: BillingActionPolicy.IMMEDIATE }],
  changeAlignment: [{ conditions: anyChange, result: PlanAlignmentChange.START_OF_BUNDLE }],
  cancelPolicy: [{ conditions: anySubscription, result: BillingActionPolicy.IMMEDIATE }],
  createAlignment: [{ conditions: anyCreation, result: PlanAlignmentCreate.START_OF_BUNDLE }],
  billingAlignment: [{ conditions: anySubscription, result: BillingAlignment.ACCOUNT }],
  priceList: [{ conditions: anySource, result: DEFAULT_PRICE_LIST }],
};
