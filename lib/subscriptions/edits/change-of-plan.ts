import {
  type OverrideDefinition,
  type OverridePlan,
  planChangeRules,
  type RuledSubscription,
} from '../../catalog/index.ts';
import {
  BillingActionPolicy,
  EntitlementState,
  LifecycleEventType,
  type PlanAlignmentChange,
  ProductCategory,
} from '../../records/index.ts';
import { assertInvariant, type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import { type DatedInstant, formatInstant, formatLocalDate, type Instant } from '../../values/time/index.ts';
import { basePlanAt, checkLimit, checkOffered, noActiveBase } from '../add-ons/add-on-checks.ts';
import { blockFlagsAt } from '../blocking/states-in-force.ts';
import {
  type CouponRequest,
  choiceAt,
  couponRequestOf,
  overridesOf,
  type PlanChoice,
  withOverridePlan,
} from '../requests/create-request.ts';
import { type CheckedChange, timedPolicy } from '../requests/edit-requests.ts';
import {
  asStored,
  DatedBy,
  type EditTools,
  type EventDraft,
  type EventReason,
  isEnd,
  isPlanChoice,
  isStart,
  reasonDatedBy,
  writeReason,
} from '../timeline/lifecycle-events.ts';
import { checkBillable, choiceDrafts, expiryAfterPhase, phasesAfter } from '../timeline/phase-events.ts';
import {
  changeOrigin,
  currentPhase,
  datedInstant,
  phaseTimeline,
  raiseTo,
} from '../timeline/phase-timeline.ts';
import { transitionAt } from '../timeline/transitions.ts';
import { billingHasEnded, policyDate } from './cancellation.ts';
import {
  adviceForEnd,
  entitlementStartOf,
  firstTransitionOf,
  nextEvents,
  planOf,
  type RunningInBundle,
  type RunningSubscription,
  stateOf,
} from './running-subscription.ts';
import { editOf, eventsFrom, type SubscriptionEdit, withdrawnBy } from './subscription-edit.ts';

/**
 * Returns the edit for a decided change of plan (§7 rules 8 to 10).
 * @param overridePlan The plan created from `decided.overrides`.
 * @throws BillingError SUBSCRIPTION_CREATE_BAD_PHASE (1011) and the errors of `checkBillable`.
 */
export function planChange(
  running: RunningSubscription,
  change: { request: CheckedChange; decided: ApprovedChange; overridePlan: OverridePlan | null },
  { now, nextId }: EditTools,
): {
  readonly effective: DatedInstant;
  readonly edit: SubscriptionEdit;
  readonly coupons: CouponRequest | null;
} {
  const { request, decided, overridePlan } = change;
  const { effective } = decided;
  const choice = overridePlan ? withOverridePlan(decided.choice, overridePlan) : decided.choice;
  const { events } = running;
  const start = events.find((event) => isStart(event) && event.effective.at === effective.at);
  const addedEvents = nextEvents(
    running,
    changeDrafts(running, {
      request,
      effective,
      alignment: decided.alignment,
      reason: decided.reason,
      choice,
      type: start?.type,
      now,
    }),
    { now, nextId },
  );
  const later = eventsFrom(events, effective.at).filter(({ type }) => !typesUnaffectedByChange.has(type));
  const withdrawn = withdrawnBy(addedEvents, start === undefined ? later : [start, ...later]);
  const replaced = new Set(withdrawn.map(({ event }) => event.id));
  checkBillable({
    account: running.account,
    events: [...events.filter(({ id }) => !replaced.has(id)), ...asStored(addedEvents)],
    plans: overridePlan === null ? running.catalog : running.catalog.with(overridePlan),
    from: effective.at,
  });
  const { id: subscriptionId } = running.subscription;
  return {
    effective,
    edit: editOf(running, {
      requested: { type: LifecycleEventType.CHANGE, effective },
      addedEvents,
      withdrawn,
    }),
    coupons: couponRequestOf(request, { subscriptionId, plan: choice.plan, redeemed: effective }),
  };
}

const typesUnaffectedByChange: ReadonlySet<LifecycleEventType> = new Set([
  LifecycleEventType.BCD_CHANGE,
  LifecycleEventType.QUANTITY_CHANGE,
]);

interface DraftsInput extends Pick<ApprovedChange, 'effective' | 'alignment' | 'choice' | 'reason'> {
  readonly request: CheckedChange;
  /** Type of the start event that the change replaces because both have the same instant. */
  readonly type: LifecycleEventType | undefined;
  readonly now: Instant;
}

function changeDrafts(running: RunningSubscription, input: DraftsInput): readonly EventDraft[] {
  const { request, effective, choice, now } = input;
  const { plan, priceListName } = choice;
  const zone = running.account.timeZone;
  const origin = changeOrigin({
    alignment: input.alignment,
    origins: running.subscription,
    transitions: running.transitions,
    effective,
    plan,
    priceListName,
    phaseType: request.phaseType,
  });
  const timeline = phaseTimeline({ plan, ...origin, zone });
  const first = timeline[0];
  const current = currentPhase(timeline, effective.at);
  assertInvariant(
    first && current,
    `The phases of plan ${plan.name} must not begin after the change of plan`,
    {
      planName: plan.name,
    },
  );
  const expiryOf = (last: typeof current) => expiryAfterPhase(last, origin.anchor, zone);
  const quantityBefore = transitionAt(running.transitions, effective.at)?.quantity ?? 1;
  const phases = phasesAfter({
    timeline,
    current,
    now,
    expiryOfCurrent: () => notPast(running, { expiry: expiryOf(current), effective, planName: plan.name }),
    expiryOf,
  });
  const drafts = choiceDrafts(input.type ?? LifecycleEventType.CHANGE, {
    effective,
    planName: plan.name,
    phaseName: current.phase.name,
    priceListName,
    phaseAnchor: origin.anchor,
    phaseAnchorType: first.phase.type,
    billCycleDay: request.billCycleDay,
    quantity: request.quantity === quantityBefore ? null : request.quantity,
    reason: writeReason(input.reason),
  });
  return [...drafts, ...phases];
}

/** Rejects a change to a plan that would already have ended at the time of the change (§5 rule 9). */
function notPast(
  running: RunningSubscription,
  {
    expiry,
    effective,
    planName,
  }: { expiry: EventDraft | undefined; effective: DatedInstant; planName: string },
): EventDraft | undefined {
  if (expiry === undefined || expiry.effective.at > effective.at) return expiry;
  throw refusal(ErrorCode.SUBSCRIPTION_CREATE_BAD_PHASE, running, {
    message: `${titleOf(running)} cannot change to plan ${planName}, which would already have ended on ${formatLocalDate(expiry.effective.date)}`,
  });
}

interface ApprovedChange {
  readonly effective: DatedInstant;
  readonly choice: PlanChoice;
  readonly alignment: PlanAlignmentChange;
  /** The reason for the date of the change. */
  readonly reason: EventReason;
  /** The override with the requested prices (catalog §10), or null if no prices were requested. */
  readonly overrides: OverrideDefinition | null;
}

/**
 * Decides the date and the plan of a change (§7 rules 2 to 6).
 * @throws BillingError 1021, 1022, 1023, 1026, CATALOG_ILLEGAL_CHANGE_REQUEST (2001), plan errors 2002, 2013, 2020,
 * 2021, 2030, CATALOG_INVALID_PRICE_OVERRIDE (2081), BLOCKING_BLOCKED_ACTION (6000), INVALID_PARAMETER (60002).
 */
export function decideChange(
  running: RunningSubscription,
  request: CheckedChange,
  now: Instant,
): ApprovedChange {
  checkState(running, request, now);
  const { effective, reason } = effectiveDate(running, request, now);
  checkExpiry(running, effective);
  checkNotBlocked(running, effective);
  const { catalog, subscription, account } = running;
  // The catalog version of the change date may forbid what the current version allows (catalog §6.3).
  const rules = planChangeRules(catalog, {
    subscription: describeForRules(running, now),
    target: request.target,
    changeDate: effective.at,
    now,
  });
  const isNamed = Boolean(request.target.planName);
  const specifier = isNamed ? request.target : { ...request.target, priceListName: rules.priceList };
  const choice = choiceAt(catalog, specifier, effective.at);
  if (choice.category !== subscription.category) {
    throw refusal(ErrorCode.SUBSCRIPTION_CHANGE_INVALID, running, {
      message: `${titleOf(running)} has category ${subscription.category} and cannot change to plan ${choice.plan.name}, which has category ${choice.category}`,
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

/**
 * Returns the effective date of a change. It comes from the requested date, the requested policy, or the policy in the
 * current rules (§7 rule 3).
 */
function effectiveDate(running: RunningSubscription, request: CheckedChange, now: Instant) {
  const { account, transitions } = running;
  const last = transitionAt(transitions, now) ?? firstTransitionOf(running);
  const { requestedDate, billingPolicy } = request;
  if (requestedDate !== null) {
    const asked = datedInstant(requestedDate, now, account);
    return {
      effective: raiseTo(asked, last.event.effective),
      reason: reasonDatedBy(DatedBy.REQUESTED_DATE),
    };
  }
  const reason =
    billingPolicy === null
      ? reasonOfRule(running, request, now)
      : { ...reasonDatedBy(DatedBy.REQUESTED_POLICY), policy: billingPolicy };
  const asked = policyDate(reason.policy, running, now);
  return { effective: raiseTo(asked, last.event.effective), reason };
}

function reasonOfRule(running: RunningSubscription, { target }: CheckedChange, now: Instant) {
  const subscription = describeForRules(running, now);
  const { policy } = planChangeRules(running.catalog, { subscription, target, changeDate: null, now });
  return {
    ...reasonDatedBy(DatedBy.CATALOG_RULE),
    policy: timedPolicy(policy.result) ?? BillingActionPolicy.END_OF_TERM,
    policyConditions: policy.conditions,
  };
}

function describeForRules(running: RunningSubscription, now: Instant): RuledSubscription {
  const { plan, phase, priceListName, chosenAt, decided } = planOf(running, now);
  return { planName: plan.name, phaseType: phase.type, priceListName, lastPlanChange: chosenAt, decided };
}

function checkState(running: RunningSubscription, request: CheckedChange, now: Instant): void {
  const state = stateOf(running, now);
  const { requestedDate, billingPolicy } = request;
  if (requestedDate === null && billingPolicy === null && state !== EntitlementState.ACTIVE) {
    throw refusal(ErrorCode.SUBSCRIPTION_CHANGE_NON_ACTIVE, running, {
      message: `${titleOf(running)} is ${state}; the catalog rules apply only to ACTIVE subscriptions. Specify a date or a policy`,
    });
  }
  if (requestedDate !== null) checkAfterStart(running, requestedDate, now);
  if (billingHasEnded(running, now)) {
    throw refusal(ErrorCode.SUBSCRIPTION_CHANGE_NON_ACTIVE, running, {
      message: `${titleOf(running)} cannot change plans: its billing has ended`,
    });
  }
  const end = running.transitions.find(({ event }) => event.type === LifecycleEventType.CANCEL);
  if (end === undefined) return;
  throw refusal(ErrorCode.SUBSCRIPTION_CHANGE_FUTURE_CANCELLED, running, {
    message: `${titleOf(running)} is canceled as of ${formatInstant(end.event.effective.at)}; ${adviceForEnd(running, end.event, 'change')}`,
  });
}

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
    message: `${titleOf(running)} cannot change on ${formatLocalDate(dated.date)}: its service starts at ${formatInstant(start.at)}`,
  });
}

function checkExpiry(running: RunningSubscription, effective: DatedInstant): void {
  const end = running.transitions.find(({ event }) => isEnd(event));
  if (end === undefined || end.event.effective.at >= effective.at) return;
  throw refusal(ErrorCode.SUBSCRIPTION_CHANGE_FUTURE_EXPIRED, running, {
    message: `${titleOf(running)} expires at ${formatInstant(end.event.effective.at)}, before the change at ${formatInstant(effective.at)}`,
  });
}

/** Checks that no state blocks the change. Clients rely on the exact error message (http-api §12). */
function checkNotBlocked({ subscription, blockingStates }: RunningSubscription, { at }: DatedInstant): void {
  if (!blockFlagsAt(blockingStates, at).isBlockChange) return;
  throw billingError(
    ErrorCode.BLOCKING_BLOCKED_ACTION,
    `The action Change is block on this Subscription with id=${subscription.id}`,
    { subscriptionId: subscription.id },
  );
}

function refusal(
  code: ErrorCode,
  { subscription }: RunningSubscription,
  { message }: { readonly message: string },
): BillingError {
  return billingError(code, message, { subscriptionId: subscription.id });
}

function titleOf({ subscription }: RunningSubscription): string {
  return `Subscription ${subscription.id}`;
}

/**
 * Checks the limit of the plan. Also checks that the base offers the new add-on product from the date of the change
 * until now (§7 rule 7).
 * @throws BillingError 1017, and the errors of `checkOffered` and `checkLimit`.
 */
export function checkAddOnChange(
  { choice, effective }: Pick<ApprovedChange, 'choice' | 'effective'>,
  { running, bundle }: RunningInBundle,
  now: Instant,
): void {
  if (choice.category !== ProductCategory.ADD_ON) return;
  const base = bundle.find(({ subscription }) => subscription.category === ProductCategory.BASE);
  assertInvariant(base, `Add-on ${running.subscription.id} has no base`, {
    subscriptionId: running.subscription.id,
  });
  const basePlan = basePlanAt(base, effective.at, now);
  if (basePlan === null) throw noActiveBase(base.subscription.id, effective.at);
  const { plan } = choice;
  const asked = { plan, at: effective.at };
  checkOffered(asked, basePlan, running.catalog);
  // A backdated change must not lead to a product that the base no longer offers, because the add-on would then end in
  // the past.
  for (const { event, next } of base.transitions) {
    const { at } = event.effective;
    const isSince = at > effective.at && at <= now && isPlanChoice(event);
    if (isSince && next !== null) checkOffered({ plan, at }, next, running.catalog);
  }
  const members = bundle.filter(({ subscription }) => subscription.id !== running.subscription.id);
  checkLimit(asked, members, { requested: 1, now });
}
