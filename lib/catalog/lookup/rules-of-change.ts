import { BillingActionPolicy, type PlanAlignmentChange, type RuleDecision } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { DEFAULT_PRICE_LIST } from '../model/catalog-model.ts';
import type { CreationContext, SubscriptionContext } from '../model/rule-conditions.ts';
import type { PlanLookup } from './plan-lookup.ts';
import { type PlanSpecifier, planCriteria } from './plan-specifier.ts';
import { changeAlignment, changePolicy, targetPriceList } from './rules.ts';

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
