import {
  BillingActionPolicy,
  BillingAlignment,
  PlanAlignmentChange,
  PlanAlignmentCreate,
  type RuleConditions,
  type RuleDecision,
} from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import {
  type ChangeConditions,
  type CreateConditions,
  type CreationContext,
  DEFAULT_PRICE_LIST,
  type PlanRules,
  prefixed,
  type RuleCase,
  type SubscriptionConditions,
  type SubscriptionContext,
} from '../model/catalog-model.ts';
import { type PlanLookup, type PlanSpecifier, planCriteria } from './plan-lookup.ts';

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

/** What the rules of a version say about a change of plan (§8 rule 4). */
export interface PlanChangeEvaluation {
  /**
   * List in which the target plan is looked up, with the fallback to `DEFAULT`; for a plan given by name, the plan's own
   * list.
   */
  readonly priceList: string;
  /** Never ILLEGAL. */
  readonly policy: BillingActionPolicy;
  readonly alignment: PlanAlignmentChange;
}

/** The same, with the cases that decided. */
export interface PlanChangeDecision extends Pick<PlanChangeEvaluation, 'priceList'> {
  /** Never ILLEGAL. */
  readonly policy: RuleDecision<BillingActionPolicy>;
  readonly alignment: RuleDecision<PlanAlignmentChange>;
}

/**
 * Evaluates a change with the rules of `version`: target list, then policy, then alignment. `from` describes the
 * subscription by its own plan, so that one on a retired plan can change (§6.3).
 * @throws BillingError 2001 `CATALOG_ILLEGAL_CHANGE_REQUEST` if the policy is ILLEGAL; 2021, 2031, 2015, 2030, 2013 for
 *   a target that does not exist.
 */
export function decidePlanChange(
  version: PlanLookup,
  from: SubscriptionContext,
  target: PlanSpecifier,
): PlanChangeDecision {
  const to = targetContext(version, from, target);
  const policy = changePolicy(version.rules, { from, to });
  if (policy.result === BillingActionPolicy.ILLEGAL) {
    throw new BillingError({
      code: ErrorCode.CATALOG_ILLEGAL_CHANGE_REQUEST,
      message: `The rules of ${version.title} forbid the change from product "${from.product}" (${from.billingPeriod}, list ${from.priceList}, phase ${from.phaseType}) to "${to.product}" (${to.billingPeriod}, list ${to.priceList})`,
      facts: { from, to },
    });
  }
  return { priceList: to.priceList, policy, alignment: changeAlignment(version.rules, { from, to }) };
}

/**
 * The list that the rules give. One that is no longer sold is replaced by `DEFAULT`, where the search would continue
 * anyway.
 */
function listOfChange(version: PlanLookup, from: SubscriptionContext): string {
  const list = targetPriceList(version.rules, from);
  return version.hasPriceList(list) ? list : DEFAULT_PRICE_LIST;
}

function targetContext(
  version: PlanLookup,
  from: SubscriptionContext,
  target: PlanSpecifier,
): CreationContext {
  const { planName } = target;
  if (planName !== undefined && planName !== null) return version.contextOf(version.findPlan(planName));
  const criteria = planCriteria(version, target, listOfChange(version, from));
  return {
    product: criteria.productName,
    productCategory: version.findProduct(criteria.productName).category,
    billingPeriod: criteria.billingPeriod,
    priceList: criteria.priceListName,
  };
}
