import {
  BillingActionPolicy,
  BillingAlignment,
  PlanAlignmentChange,
  PlanAlignmentCreate,
  type RuleConditions,
  type RuleDecision,
} from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import { shortenText } from '../../values/text/index.ts';
import type { BillingPeriod } from '../../values/time/index.ts';
import {
  type ChangeConditions,
  type CreateConditions,
  type CreationContext,
  DEFAULT_PRICE_LIST,
  type Plan,
  type PlanRules,
  type PriceList,
  type Product,
  prefixed,
  type RuleCase,
  type SubscriptionConditions,
  type SubscriptionContext,
} from '../model/catalog-model.ts';

/**
 * Results of rules if no case matches (§8 rule 3). In that case, the rule for the price list keeps the current list.
 */
export const RULE_DEFAULTS = {
  changePolicy: BillingActionPolicy.END_OF_TERM,
  changeAlignment: PlanAlignmentChange.START_OF_BUNDLE,
  cancelPolicy: BillingActionPolicy.END_OF_TERM,
  createAlignment: PlanAlignmentCreate.START_OF_BUNDLE,
  billingAlignment: BillingAlignment.ACCOUNT,
} as const;

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

type Values<Conditions> = { readonly [Name in keyof Conditions]: NonNullable<Conditions[Name]> };

/** Returns the first case whose conditions are all met (§8 rule 1). */
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

/** Caches the conditions of each case. All billing events need them, and cases never change. */
const conditionsByCase = new WeakMap<RuleCase<object, string>, RuleConditions>();

function conditionsOf(found: RuleCase<object, string>): RuleConditions {
  const known = conditionsByCase.get(found);
  if (known !== undefined) return known;
  const conditions: RuleConditions = Object.fromEntries(
    Object.entries(found.conditions).filter(([, value]) => value !== null),
  );
  conditionsByCase.set(found, conditions);
  return conditions;
}

function holds<Conditions extends object>(conditions: Conditions, values: Values<Conditions>): boolean {
  for (const name in conditions) {
    const condition = conditions[name];
    if (condition !== null && condition !== values[name]) return false;
  }
  return true;
}

/** The results of the rules for a change of plan (§8 rule 4). */
export interface PlanChangeEvaluation {
  /**
   * The price list that is searched for the target plan before `DEFAULT`. If the plan is given by name, this is the
   * plan's own list.
   */
  readonly priceList: string;
  /** Policy of the change. Never ILLEGAL. */
  readonly policy: BillingActionPolicy;
  readonly alignment: PlanAlignmentChange;
}

/** A `PlanChangeEvaluation`, with the cases that matched. */
export interface PlanChangeDecision extends Pick<PlanChangeEvaluation, 'priceList'> {
  /** Policy of the change. Never ILLEGAL. */
  readonly policy: RuleDecision<BillingActionPolicy>;
  readonly alignment: RuleDecision<PlanAlignmentChange>;
}

/**
 * Determines the target list, policy and alignment of a change by the rules of `version`. `from` describes the
 * subscription by its own plan, so that a subscription on a retired plan can change (§6.3).
 * @throws BillingError 2001 `CATALOG_ILLEGAL_CHANGE_REQUEST` for the policy ILLEGAL; 2021, 2031, 2015, 2030, 2013 for a
 * missing target.
 */
export function decidePlanChange(
  version: PlanLookup,
  from: SubscriptionContext,
  target: PlanSpecifier,
): PlanChangeDecision {
  const to = targetContext(version, from, target);
  const { rules } = version;
  const values: Values<ChangeConditions> = {
    phaseType: from.phaseType,
    ...prefixed('from', from),
    ...prefixed('to', to),
  };
  const policy = decision(firstMatch(rules.changePolicy, values), RULE_DEFAULTS.changePolicy);
  if (policy.result === BillingActionPolicy.ILLEGAL) {
    throw billingError(
      ErrorCode.CATALOG_ILLEGAL_CHANGE_REQUEST,
      `The rules of ${version.title} forbid the change from product "${from.product}" (${from.billingPeriod}, list ${from.priceList}, phase ${from.phaseType}) to "${to.product}" (${to.billingPeriod}, list ${to.priceList})`,
      { from, to },
    );
  }
  const alignment = decision(firstMatch(rules.changeAlignment, values), RULE_DEFAULTS.changeAlignment);
  return { priceList: to.priceList, policy, alignment };
}

/**
 * Returns the price list for the target plan if the request does not name one. If the list is no longer sold, returns
 * `DEFAULT`.
 */
function listOfChange(version: PlanLookup, from: SubscriptionContext): string {
  const list = firstMatch(version.rules.priceList, prefixed('from', from))?.result ?? from.priceList;
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

/** Existing product, period and price list. */
export interface PlanCriteria {
  readonly productName: string;
  readonly billingPeriod: BillingPeriod;
  readonly priceListName: string;
}

export interface PlanLookup {
  readonly title: string;
  readonly rules: PlanRules;
  /** Returns the plan. @throws BillingError 2021 `CATALOG_NO_SUCH_PLAN`. */
  findPlan(name: string): Plan;
  /** Returns the product. @throws BillingError 2030 `CATALOG_NO_SUCH_PRODUCT`. */
  findProduct(name: string): Product;
  hasPriceList(name: string): boolean;
  /** Returns the price list. @throws BillingError 2013 `CATALOG_PRICE_LIST_NOT_FOUND`. */
  findPriceList(name: string): PriceList;
  plansMatching(criteria: PlanCriteria): readonly Plan[];
  contextOf(plan: Plan): CreationContext;
}

/** Identifies a plan by `planName`, or by product, period and price list (default `DEFAULT`) (§7). */
export interface PlanSpecifier {
  readonly planName?: string | null;
  readonly productName?: string | null;
  readonly billingPeriod?: BillingPeriod | null;
  readonly priceListName?: string | null;
}

/**
 * Returns the criteria of a specifier that has no plan name.
 * @throws BillingError 2031 if the product is missing, 2015 if the period is missing, 2030 for an unknown product,
 * 2013 for an unknown price list.
 */
function planCriteria(
  version: PlanLookup,
  specifier: PlanSpecifier,
  defaultList: string = DEFAULT_PRICE_LIST,
): PlanCriteria {
  const { productName, billingPeriod } = specifier;
  if (productName === undefined || productName === null) {
    const message = 'The plan is not specified: give planName, or productName and billingPeriod';
    throw billingError(ErrorCode.CATALOG_NULL_PRODUCT_NAME, message);
  }
  if (billingPeriod === undefined || billingPeriod === null) {
    const message = `The billing period is missing for product "${shortenText(productName)}": give billingPeriod, or planName`;
    throw billingError(ErrorCode.CATALOG_NULL_BILLING_PERIOD, message, { productName });
  }
  version.findProduct(productName);
  const priceListName = specifier.priceListName ?? defaultList;
  version.findPriceList(priceListName);
  return { productName, billingPeriod, priceListName };
}

/**
 * Returns the plan of a specifier (§7). If the specifier has no plan name, searches the list, then `DEFAULT`.
 * @throws BillingError 2021 for an unknown plan name; the errors of `planCriteria`; 2020 if no plan matches; 2002 if
 * several plans match.
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
    const message = `No plan of product "${shortenText(criteria.productName)}" with billing period ${criteria.billingPeriod} is in price list "${shortenText(criteria.priceListName)}" or ${DEFAULT_PRICE_LIST} of ${version.title}`;
    throw billingError(ErrorCode.CATALOG_PLAN_NOT_FOUND, message, { ...criteria });
  }
  if (others.length > 0) {
    const planNames = candidates.map((candidate) => candidate.name);
    const message = `Several plans of product "${shortenText(criteria.productName)}" with billing period ${criteria.billingPeriod} are in price list "${plan === inList[0] ? criteria.priceListName : DEFAULT_PRICE_LIST}": ${planNames.join(', ')}; give planName`;
    const code = ErrorCode.CATALOG_MULTIPLE_MATCHING_PLANS_FOR_PRICELIST;
    throw billingError(code, message, { ...criteria, planNames });
  }
  return plan;
}
