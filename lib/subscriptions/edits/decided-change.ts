import { type OverrideDefinition, planChangeRules, type RuledSubscription } from '../../catalog/index.ts';
import {
  BillingActionPolicy,
  EntitlementState,
  LifecycleEventType,
  type PlanAlignmentChange,
} from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { type DatedInstant, formatInstant, formatLocalDate, type Instant } from '../../values/time/index.ts';
import { blockFlagsAt } from '../blocking/states-in-force.ts';
import type { CheckedChange } from '../requests/change-request.ts';
import { choiceAt, overridesOf, type PlanChoice } from '../requests/plan-choice.ts';
import { timedPolicy } from '../requests/timed-policy.ts';
import { datedInstant, raisedTo } from '../timeline/dated-instants.ts';
import { DatedBy, datedBy, type EventReason } from '../timeline/event-reason.ts';
import { isEnd } from '../timeline/lifecycle-order.ts';
import { transitionAt } from '../timeline/transitions.ts';
import { billingHasEnded } from './cancellation.ts';
import { policyDate } from './policy-date.ts';
import {
  entitlementStartOf,
  firstTransitionOf,
  planOf,
  type RunningSubscription,
  stateOf,
} from './running-subscription.ts';
import { wayAroundEnd } from './transferred-ends.ts';

/** A change that the rules allow: when it takes effect, and to which plan. */
export interface DecidedChange {
  readonly effective: DatedInstant;
  readonly choice: PlanChoice;
  readonly alignment: PlanAlignmentChange;
  /** Why it takes effect then, and why its phases count from their date. */
  readonly reason: EventReason;
  /** What the requested prices make of the plan; null if none are requested (catalog §10). */
  readonly overrides: OverrideDefinition | null;
}

/**
 * When a change takes effect and which plan it means (§7 rules 2 to 6).
 * @throws BillingError SUBSCRIPTION_CHANGE_NON_ACTIVE (1021), SUBSCRIPTION_CHANGE_FUTURE_CANCELLED (1022),
 * SUBSCRIPTION_CHANGE_INVALID (1023), SUBSCRIPTION_CHANGE_FUTURE_EXPIRED (1026), CATALOG_ILLEGAL_CHANGE_REQUEST (2001), plan
 * errors 2002, 2013, 2020, 2021, 2030, CATALOG_INVALID_PRICE_OVERRIDE (2081), BLOCKING_BLOCKED_ACTION (6000),
 * INVALID_PARAMETER (60002).
 */
export function decideChange(
  running: RunningSubscription,
  request: CheckedChange,
  now: Instant,
): DecidedChange {
  checkState(running, request, now);
  const { effective, reason } = effectiveDate(running, request, now);
  checkExpiry(running, effective);
  checkNotBlocked(running, effective);
  const { catalog, subscription, account } = running;
  // The version of that date may forbid what the present one allows, whatever was requested (catalog §6.3).
  const rules = planChangeRules(catalog, {
    subscription: ruled(running, now),
    target: request.target,
    changeDate: effective.at,
    now,
  });
  const isNamed = Boolean(request.target.planName);
  const specifier = isNamed ? request.target : { ...request.target, priceListName: rules.priceList };
  const choice = choiceAt(catalog, specifier, effective.at);
  if (choice.category !== subscription.category) {
    throw refusal(ErrorCode.SUBSCRIPTION_CHANGE_INVALID, running, {
      message: `is ${subscription.category} and cannot change to plan ${choice.plan.name}, which is ${choice.category}`,
    });
  }
  const { priceOverrides } = request;
  const overrides = overridesOf(catalog, choice, { priceOverrides, currency: account.currency });
  const { alignment } = rules;
  return {
    effective,
    choice,
    alignment: alignment.result,
    reason: { ...reason, alignment, alignedBy: 'CHANGE' },
    overrides,
  };
}

/** §7 rule 3: the requested date, the requested policy, or the policy that the present rules give. */
function effectiveDate(running: RunningSubscription, request: CheckedChange, now: Instant): DatedChange {
  const { account, transitions } = running;
  const last = transitionAt(transitions, now) ?? firstTransitionOf(running);
  const { requestedDate, billingPolicy } = request;
  if (requestedDate !== null) {
    const asked = datedInstant(requestedDate, now, account);
    return {
      effective: raisedTo(asked, last.event.effective),
      reason: datedBy(DatedBy.REQUESTED_DATE),
    };
  }
  const reason =
    billingPolicy === null
      ? reasonOfRule(running, request, now)
      : { ...datedBy(DatedBy.REQUESTED_POLICY), policy: billingPolicy };
  const asked = policyDate(reason.policy, running, now);
  return { effective: raisedTo(asked, last.event.effective), reason };
}

interface DatedChange {
  readonly effective: DatedInstant;
  readonly reason: EventReason;
}

function reasonOfRule(running: RunningSubscription, { target }: CheckedChange, now: Instant) {
  const subscription = ruled(running, now);
  const { policy } = planChangeRules(running.catalog, { subscription, target, changeDate: null, now });
  return {
    ...datedBy(DatedBy.CATALOG_RULE),
    policy: timedPolicy(policy.result) ?? BillingActionPolicy.END_OF_TERM,
    policyConditions: policy.conditions,
  };
}

function ruled(running: RunningSubscription, now: Instant): RuledSubscription {
  const { plan, phase, priceListName, chosenAt, decided } = planOf(running, now);
  return { planName: plan.name, phaseType: phase.type, priceListName, lastPlanChange: chosenAt, decided };
}

function checkState(running: RunningSubscription, request: CheckedChange, now: Instant): void {
  const state = stateOf(running, now);
  const { requestedDate, billingPolicy } = request;
  if (requestedDate === null && billingPolicy === null && state !== EntitlementState.ACTIVE) {
    throw refusal(ErrorCode.SUBSCRIPTION_CHANGE_NON_ACTIVE, running, {
      message: `is ${state}; only one that is ACTIVE changes by the catalog's rules, give a date or a policy`,
    });
  }
  if (requestedDate !== null) checkAfterStart(running, requestedDate, now);
  if (billingHasEnded(running, now)) {
    throw refusal(ErrorCode.SUBSCRIPTION_CHANGE_NON_ACTIVE, running, { message: 'is no longer billed' });
  }
  const end = running.transitions.find(({ event }) => event.type === LifecycleEventType.CANCEL);
  if (end === undefined) return;
  throw refusal(ErrorCode.SUBSCRIPTION_CHANGE_FUTURE_CANCELLED, running, {
    message: `is cancelled as of ${formatInstant(end.event.effective.at)}; ${wayAroundEnd(running, end.event, 'change')}`,
  });
}

/** A date is compared by its day, an instant as it is. */
function checkAfterStart(
  running: RunningSubscription,
  requestedDate: NonNullable<CheckedChange['requestedDate']>,
  now: Instant,
): void {
  const start = entitlementStartOf(running);
  const dated = datedInstant(requestedDate, now, running.account);
  const isBefore = 'date' in requestedDate ? dated.date < start.date : dated.at < start.at;
  if (!isBefore) return;
  throw refusal(ErrorCode.SUBSCRIPTION_CHANGE_NON_ACTIVE, running, {
    message: `cannot change on ${formatLocalDate(dated.date)}: its service starts at ${formatInstant(start.at)}`,
  });
}

function checkExpiry(running: RunningSubscription, effective: DatedInstant): void {
  const end = running.transitions.find(({ event }) => isEnd(event));
  if (end === undefined || end.event.effective.at >= effective.at) return;
  throw refusal(ErrorCode.SUBSCRIPTION_CHANGE_FUTURE_EXPIRED, running, {
    message: `expires at ${formatInstant(end.event.effective.at)}, before the change at ${formatInstant(effective.at)}`,
  });
}

/** The message is fixed (http-api §12). */
function checkNotBlocked({ subscription, blockingStates }: RunningSubscription, { at }: DatedInstant): void {
  if (!blockFlagsAt(blockingStates, at).isBlockChange) return;
  throw new BillingError({
    code: ErrorCode.BLOCKING_BLOCKED_ACTION,
    message: `The action Change is block on this Subscription with id=${subscription.id}`,
    facts: { subscriptionId: subscription.id },
  });
}

/** The error for a subscription that cannot be changed so. */
export function refusal(
  code: ErrorCode,
  { subscription }: RunningSubscription,
  { message }: { readonly message: string },
): BillingError {
  return new BillingError({
    code,
    message: `Subscription ${subscription.id} ${message}`,
    facts: { subscriptionId: subscription.id },
  });
}
