import type {
  ChangeConditions,
  CreateConditions,
  PlanRules,
  PriceListConditions,
  RuleCase,
  SubscriptionConditions,
} from '../../model/catalog-model.ts';
import type { RulesDefinition } from './definition.ts';

type Written<Conditions> = { readonly [Name in keyof Conditions]?: Conditions[Name] };

export function rulesOf(definition: RulesDefinition<string, string>): PlanRules {
  const { changePolicy, changeAlignment = [], cancelPolicy, createAlignment = [] } = definition;
  const { billingAlignment = [], priceList = [] } = definition;
  return {
    changePolicy: changePolicy.map(({ policy, ...on }) => ruleCase(changeConditions(on), policy)),
    changeAlignment: changeAlignment.map(({ alignment, ...on }) => ruleCase(changeConditions(on), alignment)),
    cancelPolicy: cancelPolicy.map(({ policy, ...on }) => ruleCase(subscriptionConditions(on), policy)),
    createAlignment: createAlignment.map(({ alignment, ...on }) => ruleCase(createConditions(on), alignment)),
    billingAlignment: billingAlignment.map(({ alignment, ...on }) =>
      ruleCase(subscriptionConditions(on), alignment),
    ),
    priceList: priceList.map(({ toPriceList, ...on }) => ruleCase(fromConditions(on), toPriceList)),
  };
}

function ruleCase<Conditions, Result>(conditions: Conditions, result: Result): RuleCase<Conditions, Result> {
  return { conditions, result };
}

function fromConditions(on: Written<PriceListConditions>): PriceListConditions {
  return {
    fromProduct: on.fromProduct ?? null,
    fromProductCategory: on.fromProductCategory ?? null,
    fromBillingPeriod: on.fromBillingPeriod ?? null,
    fromPriceList: on.fromPriceList ?? null,
  };
}

function changeConditions(on: Written<ChangeConditions>): ChangeConditions {
  return {
    phaseType: on.phaseType ?? null,
    ...fromConditions(on),
    toProduct: on.toProduct ?? null,
    toProductCategory: on.toProductCategory ?? null,
    toBillingPeriod: on.toBillingPeriod ?? null,
    toPriceList: on.toPriceList ?? null,
  };
}

function createConditions(on: Written<CreateConditions>): CreateConditions {
  return {
    product: on.product ?? null,
    productCategory: on.productCategory ?? null,
    billingPeriod: on.billingPeriod ?? null,
    priceList: on.priceList ?? null,
  };
}

function subscriptionConditions(on: Written<SubscriptionConditions>): SubscriptionConditions {
  return { phaseType: on.phaseType ?? null, ...createConditions(on) };
}
