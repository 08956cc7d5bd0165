import type { CatalogWithOverrides, Plan } from '../../catalog/index.ts';
import {
  type BlockingState,
  EntitlementState,
  ProductCategory,
  type Subscription,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { formatInstant, type Instant, maxInstant } from '../../values/time/index.ts';
import { subscriptionStateAt } from '../blocking/states-in-force.ts';
import { billingStateAt, type PlanInForce, planShownAt, type Transition } from '../timeline/transitions.ts';
import { AddOnOffer, addOnOffer, type BaseEnd, statesAsRead } from './base-end.ts';

interface AddOnChoice {
  readonly plan: Plan;
  /** Start of the add-on's billing. */
  readonly at: Instant;
}

export type BasePlan = Pick<PlanInForce, 'version' | 'plan'>;

/**
 * Checks that the product of the base offers the add-on and does not already include it (§6.2 rule 10).
 * @throws BillingError SUBSCRIPTION_CREATE_AO_ALREADY_INCLUDED (1018), SUBSCRIPTION_CREATE_AO_NOT_AVAILABLE (1019).
 */
export function checkOffered(
  { plan, at }: AddOnChoice,
  base: BasePlan,
  catalog: Pick<CatalogWithOverrides, 'versionAt'>,
): void {
  const addOnProduct = plan.product;
  const offer = addOnOffer(base, addOnProduct, { catalog, at });
  if (offer === AddOnOffer.AVAILABLE) return;
  const baseProduct = base.plan.product;
  const isIncluded = offer === AddOnOffer.INCLUDED;
  throw billingError(
    isIncluded
      ? ErrorCode.SUBSCRIPTION_CREATE_AO_ALREADY_INCLUDED
      : ErrorCode.SUBSCRIPTION_CREATE_AO_NOT_AVAILABLE,
    isIncluded
      ? `Add-on ${addOnProduct} of plan ${plan.name} is already included in product ${baseProduct}`
      : `Add-on ${addOnProduct} of plan ${plan.name} is not available with product ${baseProduct}`,
    { planName: plan.name, addOnProduct, baseProduct },
  );
}

interface CountedMember {
  readonly subscription: Subscription;
  readonly transitions: readonly Transition[];
  readonly blockingStates: readonly BlockingState[];
  readonly baseEnd: BaseEnd | null;
}

/**
 * Checks `plansAllowedInBundle`. An override plan is treated as its parent plan (§6.2 rule 11).
 * @param members the other subscriptions of the bundle.
 * @param call `requested` is the number of requested add-ons of this plan, including this one.
 * @throws BillingError SUBSCRIPTION_CREATE_AO_MAX_PLAN_ALLOWED_BY_BUNDLE (1025).
 */
export function checkLimit(
  { plan, at }: AddOnChoice,
  members: readonly CountedMember[],
  { requested, now }: { readonly requested: number; readonly now: Instant },
): void {
  const limit = plan.plansAllowedInBundle;
  if (limit <= 0) return;
  const name = listedName(plan);
  const running = members.filter((member) => {
    if (member.subscription.category !== ProductCategory.ADD_ON || hasEnded(member, now)) return false;
    const shown = planShownAt(member.transitions, maxInstant(at, now));
    return shown !== null && listedName(shown.plan) === name;
  });
  if (running.length + requested <= limit) return;
  throw billingError(
    ErrorCode.SUBSCRIPTION_CREATE_AO_MAX_PLAN_ALLOWED_BY_BUNDLE,
    `A bundle can have at most ${limit} add-ons of plan ${name}; ${running.length} are running and ${requested} more are requested`,
    { planName: name, limit, running: running.length, requested },
  );
}

/** Returns the name of the plan in the catalog. For an override plan, returns the name of its parent plan. */
export function listedName(plan: Pick<Plan, 'name' | 'parentPlanName'>): string {
  return plan.parentPlanName ?? plan.name;
}

/** Returns the plan of the base on the add-on's date, or null if the base is not billed on that date. */
export function basePlanAt(
  base: { readonly transitions: readonly Transition[] },
  at: Instant,
  now: Instant,
): PlanInForce | null {
  const states = [billingStateAt(base.transitions, now), billingStateAt(base.transitions, at)];
  const isOver = states.some(
    (state) => state === EntitlementState.CANCELLED || state === EntitlementState.EXPIRED,
  );
  if (isOver || states[1] === EntitlementState.PENDING) return null;
  return planShownAt(base.transitions, at);
}

export function noActiveBase(baseId: Uuid, at: Instant): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_CREATE_AO_BP_NON_ACTIVE,
    `The base subscription ${baseId} of the add-on is not active at ${formatInstant(at)}`,
    { subscriptionId: baseId, at: formatInstant(at) },
  );
}

function hasEnded(member: CountedMember, now: Instant): boolean {
  const { subscription, transitions, baseEnd } = member;
  const blockingStates = statesAsRead(member, baseEnd);
  const state = subscriptionStateAt({ subscriptionId: subscription.id, transitions, blockingStates }, now);
  return state === EntitlementState.CANCELLED || state === EntitlementState.EXPIRED;
}
