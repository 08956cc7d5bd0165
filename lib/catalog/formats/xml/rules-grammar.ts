import {
  BillingActionPolicy,
  BillingAlignment,
  PhaseType,
  PlanAlignmentChange,
  PlanAlignmentCreate,
  ProductCategory,
} from '../../../records/index.ts';
import { BillingPeriod } from '../../../values/time/index.ts';
import type {
  ChangeConditions,
  CreateConditions,
  PlanRules,
  PriceListConditions,
  RuleCase,
  SubscriptionConditions,
} from '../../model/catalog-model.ts';
import { VERSION_LIMITS } from '../../model/version-limits.ts';
import { type ElementRule, element, leaf, listOf, one, optional, Refusal } from './element.ts';
import { name, oneOf } from './scalar.ts';

// The rules of §3.3. Condition sets: C1 change, C2 subscription, C3 creation, C4 price list.

const phaseType = optional(leaf(oneOf('a phase type', PhaseType)));
const productCategory = optional(leaf(oneOf('a product category', ProductCategory)));
const billingPeriod = optional(leaf(oneOf('a billing period', BillingPeriod)));
const reference = optional(leaf(name));
const policy = one(leaf(oneOf('a policy', BillingActionPolicy)));

const fromConditions = {
  fromProduct: reference,
  fromProductCategory: productCategory,
  fromBillingPeriod: billingPeriod,
  fromPriceList: reference,
};
const changeConditions = {
  phaseType,
  ...fromConditions,
  toProduct: reference,
  toProductCategory: productCategory,
  toBillingPeriod: billingPeriod,
  toPriceList: reference,
};
const createConditions = { product: reference, productCategory, billingPeriod, priceList: reference };
const subscriptionConditions = { phaseType, ...createConditions };

const changePolicyCase = element(
  { ...changeConditions, policy },
  ({ policy: result, ...conditions }): RuleCase<ChangeConditions, BillingActionPolicy> => ({
    conditions,
    result,
  }),
);

const changeAlignmentCase = element(
  { ...changeConditions, alignment: one(leaf(oneOf('a change alignment', PlanAlignmentChange))) },
  ({ alignment: result, ...conditions }): RuleCase<ChangeConditions, PlanAlignmentChange> => ({
    conditions,
    result,
  }),
);

const cancelPolicyCase = element(
  { ...subscriptionConditions, policy },
  ({ policy: result, ...conditions }): RuleCase<SubscriptionConditions, BillingActionPolicy> => ({
    conditions,
    result,
  }),
);

const createAlignmentCase = element(
  { ...createConditions, alignment: one(leaf(oneOf('a create alignment', PlanAlignmentCreate))) },
  ({ alignment: result, ...conditions }): RuleCase<CreateConditions, PlanAlignmentCreate> => ({
    conditions,
    result,
  }),
);

const billingAlignmentCase = element(
  { ...subscriptionConditions, alignment: one(leaf(oneOf('a billing alignment', BillingAlignment))) },
  ({ alignment: result, ...conditions }): RuleCase<SubscriptionConditions, BillingAlignment> => ({
    conditions,
    result,
  }),
);

/** Takes the names without `from` as well: other servers let them pass and ignore them, which is a trap (§3.3). */
const priceListCase: ElementRule<RuleCase<PriceListConditions, string>> = element(
  { ...fromConditions, ...createConditions, toPriceList: one(leaf(name)) },
  (values) => {
    const pairs = [
      ['fromProduct', 'product'],
      ['fromProductCategory', 'productCategory'],
      ['fromBillingPeriod', 'billingPeriod'],
      ['fromPriceList', 'priceList'],
    ] as const;
    for (const [prefixed, plain] of pairs) {
      if (values[prefixed] !== null && values[plain] !== null) {
        return new Refusal(`Elements "${prefixed}" and "${plain}" of "priceListCase" say the same; keep one`);
      }
    }
    return {
      conditions: {
        fromProduct: values.fromProduct ?? values.product,
        fromProductCategory: values.fromProductCategory ?? values.productCategory,
        fromBillingPeriod: values.fromBillingPeriod ?? values.billingPeriod,
        fromPriceList: values.fromPriceList ?? values.priceList,
      },
      result: values.toPriceList,
    };
  },
);

function casesOf<T>(name: string, ruleCase: ElementRule<T>): ElementRule<readonly T[]> {
  return listOf(name, ruleCase, VERSION_LIMITS.ruleCases);
}

export const rulesElement = element(
  {
    changePolicy: optional(casesOf('changePolicyCase', changePolicyCase)),
    changeAlignment: optional(casesOf('changeAlignmentCase', changeAlignmentCase)),
    cancelPolicy: optional(casesOf('cancelPolicyCase', cancelPolicyCase)),
    createAlignment: optional(casesOf('createAlignmentCase', createAlignmentCase)),
    billingAlignment: optional(casesOf('billingAlignmentCase', billingAlignmentCase)),
    priceList: optional(casesOf('priceListCase', priceListCase)),
  },
  (values): PlanRules => ({
    changePolicy: values.changePolicy ?? [],
    changeAlignment: values.changeAlignment ?? [],
    cancelPolicy: values.cancelPolicy ?? [],
    createAlignment: values.createAlignment ?? [],
    billingAlignment: values.billingAlignment ?? [],
    priceList: values.priceList ?? [],
  }),
);
