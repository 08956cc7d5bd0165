import {
  BillingActionPolicy,
  BillingAlignment,
  PlanAlignmentChange,
  PlanAlignmentCreate,
  type RuleConditions,
  type RuleDecision,
} from '../../records/index.ts';
import type { PlanRules, RuleCase } from '../model/catalog-model.ts';
import {
  type ChangeConditions,
  type CreateConditions,
  type CreationContext,
  prefixed,
  type SubscriptionConditions,
  type SubscriptionContext,
} from '../model/rule-conditions.ts';

/** A change: from a running subscription to a plan. */
export interface ChangeContext {
  readonly from: SubscriptionContext;
  readonly to: CreationContext;
}

/** Result when no case matches (§8 rule 3); the price list rule keeps the current list. */
export const RULE_DEFAULTS = {
  changePolicy: BillingActionPolicy.END_OF_TERM,
  changeAlignment: PlanAlignmentChange.START_OF_BUNDLE,
  cancelPolicy: BillingActionPolicy.END_OF_TERM,
  createAlignment: PlanAlignmentCreate.START_OF_BUNDLE,
  billingAlignment: BillingAlignment.ACCOUNT,
} as const;

export function changePolicy(rules: PlanRules, context: ChangeContext): RuleDecision<BillingActionPolicy> {
  return decision(firstMatch(rules.changePolicy, changeValues(context)), RULE_DEFAULTS.changePolicy);
}

export function changeAlignment(rules: PlanRules, context: ChangeContext): RuleDecision<PlanAlignmentChange> {
  return decision(firstMatch(rules.changeAlignment, changeValues(context)), RULE_DEFAULTS.changeAlignment);
}

export function cancelPolicy(
  rules: PlanRules,
  context: SubscriptionContext,
): RuleDecision<BillingActionPolicy> {
  const found = firstMatch<SubscriptionConditions, BillingActionPolicy>(rules.cancelPolicy, context);
  return decision(found, RULE_DEFAULTS.cancelPolicy);
}

export function createAlignment(
  rules: PlanRules,
  context: CreationContext,
): RuleDecision<PlanAlignmentCreate> {
  const found = firstMatch<CreateConditions, PlanAlignmentCreate>(rules.createAlignment, context);
  return decision(found, RULE_DEFAULTS.createAlignment);
}

export function billingAlignment(
  rules: PlanRules,
  context: SubscriptionContext,
): RuleDecision<BillingAlignment> {
  const found = firstMatch<SubscriptionConditions, BillingAlignment>(rules.billingAlignment, context);
  return decision(found, RULE_DEFAULTS.billingAlignment);
}

/** Name of the list in which the target plan of a change is looked up if the request names none. */
export function targetPriceList(rules: PlanRules, from: CreationContext): string {
  return firstMatch(rules.priceList, prefixed('from', from))?.result ?? from.priceList;
}

type Values<Conditions> = { readonly [Name in keyof Conditions]: NonNullable<Conditions[Name]> };

function changeValues({ from, to }: ChangeContext): Values<ChangeConditions> {
  return { phaseType: from.phaseType, ...prefixed('from', from), ...prefixed('to', to) };
}

/** The first case whose conditions all hold; an absent condition holds always (§8 rule 1). */
function firstMatch<Conditions extends object, Result>(
  cases: readonly RuleCase<Conditions, Result>[],
  values: Values<Conditions>,
): RuleCase<Conditions, Result> | undefined {
  return cases.find(({ conditions }) => holds(conditions, values));
}

function decision<Result extends string>(
  found: RuleCase<object, Result> | undefined,
  byDefault: Result,
): RuleDecision<Result> {
  if (found === undefined) return { result: byDefault, conditions: null };
  return { result: found.result, conditions: conditionsOf(found) };
}

/** Cached, since every event of a billing stream asks for its case, and cases never change. */
const askedFor = new WeakMap<RuleCase<object, string>, RuleConditions>();

function conditionsOf(found: RuleCase<object, string>): RuleConditions {
  const known = askedFor.get(found);
  if (known !== undefined) return known;
  const conditions: RuleConditions = Object.fromEntries(
    Object.entries(found.conditions).filter(([, value]) => value !== null),
  );
  askedFor.set(found, conditions);
  return conditions;
}

function holds<Conditions extends object>(conditions: Conditions, values: Values<Conditions>): boolean {
  for (const name in conditions) {
    const condition = conditions[name];
    if (condition !== null && condition !== values[name]) return false;
  }
  return true;
}
