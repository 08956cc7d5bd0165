import { cancelPolicyOf } from '../../catalog/index.ts';
import { type CancelSubscriptionOptions, EntitlementActionPolicy } from '../../ports/index.ts';
import {
  BillingActionPolicy,
  EntitlementState,
  LifecycleEventType,
  ProductCategory,
  type RuleDecision,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import {
  addPeriod,
  BillingPeriod,
  type DatedInstant,
  formatInstant,
  formatLocalDate,
  type Instant,
  isMonthBased,
  type RequestedDate,
  withDayOfMonth,
} from '../../values/time/index.ts';
import { entitlementEnds } from '../add-ons/base-end.ts';
import { type TimedPolicy, timedPolicy } from '../requests/edit-requests.ts';
import { billCycleDayOf } from '../timeline/bill-cycle-day.ts';
import {
  bareDraft,
  beginsPhase,
  DatedBy,
  type EditTools,
  type EventReason,
  isEnd,
  reasonDatedBy,
  writeReason,
} from '../timeline/lifecycle-events.ts';
import { atReferenceTime, datedInstant, raiseTo } from '../timeline/phase-timeline.ts';
import { transitionAt } from '../timeline/transitions.ts';
import {
  adviceForEnd,
  entitlementStartOf,
  firstTransitionOf,
  nextEvents,
  ownServiceEnds,
  planOf,
  type RunningSubscription,
  stateOf,
} from './running-subscription.ts';
import {
  editOf,
  entitlementEnded,
  eventsFromEnd,
  type SubscriptionEdit,
  withdrawnBy,
} from './subscription-edit.ts';

interface Cancellation {
  /** The end of service. It may be before or after the end of billing. */
  readonly entitlement: DatedInstant;
  readonly billing: DatedInstant;
  readonly reason: EventReason;
  readonly edit: SubscriptionEdit;
}

/**
 * Ends service and billing of a subscription (§9). Replaces a pending end that is on or after the new end.
 * @throws BillingError SUBSCRIPTION_CANCEL_BAD_STATE (1031), and the errors of `cancellationDates`.
 */
export function planCancellation(
  running: RunningSubscription,
  options: CancelSubscriptionOptions,
  tools: EditTools,
): Cancellation {
  checkRuns(running, tools.now);
  const dates = cancellationDates(running, options, tools.now);
  checkBillingEnd(running, dates.billing, tools.now);
  return { ...dates, edit: cancellationEdit(running, dates, tools) };
}

/**
 * Returns true if service or billing has already ended. In that case, the subscription cannot be canceled (§9 rule 4).
 */
export function hasEnded(running: RunningSubscription, now: Instant): boolean {
  return stateOf(running, now) === EntitlementState.CANCELLED || billingHasEnded(running, now);
}

export function billingHasEnded({ transitions }: RunningSubscription, now: Instant): boolean {
  const transition = transitionAt(transitions, now);
  return transition !== undefined && isEnd(transition.event);
}

function checkRuns(running: RunningSubscription, now: Instant): void {
  if (!hasEnded(running, now)) return;
  const state = stateOf(running, now);
  throw badState(running, `is ${state}, or its billing has ended`, 'it cannot be canceled again');
}

function checkBillingEnd(running: RunningSubscription, billing: DatedInstant, now: Instant): void {
  const { subscription, transitions } = running;
  const pending = transitions.find(({ event }) => isEnd(event));
  if (pending !== undefined && pending.event.effective.at < billing.at) {
    const ends = `already ends by ${pending.event.type} at ${formatInstant(pending.event.effective.at)}`;
    const wayAround = adviceForEnd(running, pending.event, 'cancel');
    throw badState(running, ends, `that is before ${formatInstant(billing.at)}; ${wayAround}`);
  }
  const last = transitionAt(transitions, now) ?? transitions[0];
  if (last === undefined || billing.at >= last.event.effective.at) return;
  throw billingError(
    ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE,
    `Billing of subscription ${subscription.id} cannot end at ${formatInstant(billing.at)}, before its ${last.event.type} of ${formatInstant(last.event.effective.at)}`,
    { subscriptionId: subscription.id, requestedDate: formatInstant(billing.at) },
  );
}

function badState({ subscription }: RunningSubscription, what: string, hint: string): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_CANCEL_BAD_STATE,
    `Subscription ${subscription.id} ${what}: ${hint}`,
    { subscriptionId: subscription.id },
  );
}

/**
 * Returns the ends of service and billing according to the table in §9.
 * @throws BillingError SUBSCRIPTION_INVALID_REQUESTED_DATE (1001), INVALID_PARAMETER (60002).
 */
function cancellationDates(running: RunningSubscription, options: CancelSubscriptionOptions, now: Instant) {
  const { entitlementPolicy, useRequestedDateForBilling = false } = options;
  const billingPolicy = timedPolicy(options.billingPolicy);
  const requested = entitlementPolicy ? null : (options.requestedDate ?? null);
  if (requested !== null && 'at' in requested && billingPolicy === null) {
    const end = requestedInstant(running, requested, now);
    return { entitlement: end, billing: end, reason: reasonDatedBy(DatedBy.REQUESTED_DATE) };
  }
  const asked = requestedDay(running, requested, now);
  const isNow = entitlementPolicy === EntitlementActionPolicy.IMMEDIATE;
  const ofPolicy = isNow ? datedInstant(null, now, running.account) : endOfTerm(running, now);
  const endsWithBilling = !entitlementPolicy && requested === null && !useRequestedDateForBilling;
  const endsAt = (billing: DatedInstant, reason: EventReason) => {
    const byDefault = endsWithBilling ? raiseTo(billing, asked) : asked;
    const entitlement = entitlementPolicy ? ofPolicy : byDefault;
    return { entitlement: raiseTo(entitlement, entitlementStartOf(running)), billing, reason };
  };
  if (useRequestedDateForBilling && !entitlementPolicy && billingPolicy === null) {
    const billing = raiseTo(asked, firstTransitionOf(running).event.effective);
    return endsAt(billing, reasonDatedBy(DatedBy.REQUESTED_DATE));
  }
  if (billingPolicy !== null) {
    const reason = { ...reasonDatedBy(DatedBy.REQUESTED_POLICY), policy: billingPolicy };
    return endsAt(policyDate(billingPolicy, running, now), reason);
  }
  const { result, conditions } = catalogPolicy(running, now);
  const policy = timedPolicy(result) ?? BillingActionPolicy.END_OF_TERM;
  const reason = { ...reasonDatedBy(DatedBy.CATALOG_RULE), policy, policyConditions: conditions };
  return endsAt(policyDate(policy, running, now), reason);
}

/** Returns the requested instant, which ends both service and billing. It must be within the lifetime of both. */
function requestedInstant(running: RunningSubscription, requested: RequestedDate, now: Instant) {
  const end = datedInstant(requested, now, running.account);
  const starts = [entitlementStartOf(running), firstTransitionOf(running).event.effective];
  for (const start of starts) {
    if (end.at < start.at) throw beforeStart(running, formatInstant(end.at), formatInstant(start.at));
  }
  return end;
}

function requestedDay(running: RunningSubscription, requested: RequestedDate | null, now: Instant) {
  const dated = datedInstant(requested, now, running.account);
  if (requested === null) return dated;
  const start = entitlementStartOf(running);
  if (dated.date < start.date)
    throw beforeStart(running, formatLocalDate(dated.date), formatLocalDate(start.date));
  return atReferenceTime(dated.date, running.account);
}

/** Returns the policy from the catalog version that supplies the plan (§9 rule 3). */
function catalogPolicy(running: RunningSubscription, now: Instant): RuleDecision<BillingActionPolicy> {
  const { plan, phase, priceListName, chosenAt, decided } = planOf(running, now);
  const ruled = {
    planName: plan.name,
    phaseType: phase.type,
    priceListName,
    lastPlanChange: chosenAt,
    decided,
  };
  return cancelPolicyOf(running.catalog, ruled, now);
}

function beforeStart({ subscription }: RunningSubscription, end: string, start: string): BillingError {
  return billingError(
    ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE,
    `Subscription ${subscription.id} cannot end on ${end}, before its start on ${start}`,
    { subscriptionId: subscription.id, requestedDate: end },
  );
}

/** The ends to store. Null leaves a stored end unchanged. */
interface StoredEnds {
  readonly entitlement: DatedInstant | null;
  readonly billing: DatedInstant | null;
  readonly reason: EventReason;
}

function cancellationEdit(
  running: RunningSubscription,
  { entitlement, billing, reason }: StoredEnds,
  { now, nextId }: EditTools,
): SubscriptionEdit {
  const type = LifecycleEventType.CANCEL;
  const ends = billing === null ? [] : [{ ...bareDraft(type, billing), reason: writeReason(reason) }];
  const addedEvents = nextEvents(running, ends, { now, nextId });
  const ofBilling = billing && {
    requested: { type, effective: billing },
    addedEvents,
    withdrawn: withdrawnBy(addedEvents, eventsFromEnd(running.events, billing.at, now)),
  };
  const service = { createdDate: now, causedBy: null };
  const ofService = entitlement && {
    addedStates: [entitlementEnded(running, { ...service, id: nextId(), effective: entitlement })],
    withdrawnStates: ownServiceEnds(running),
  };
  return editOf(running, { ...ofBilling, ...ofService });
}

/** Options for ending all subscriptions of an account (§9 rule 9). */
export interface EndOfAll {
  /** End of service. A local date means the reference time on that date; null means now. */
  readonly requested: RequestedDate | null;
  /**
   * Policy for the end of billing. IMMEDIATE ends billing together with service. END_OF_TERM ends billing on the
   * charged-through date if that is later.
   */
  readonly billingPolicy: typeof BillingActionPolicy.IMMEDIATE | typeof BillingActionPolicy.END_OF_TERM;
  /** Specifies whether a planned end of billing is kept or moved. */
  readonly planned: 'KEPT' | 'MOVED_FORWARD';
}

/**
 * Ends one subscription as early as possible. Never throws. Returns null if nothing changes, for example because the
 * subscription has already ended. Also returns null for an add-on, which ends with its base.
 */
export function cancellationOfAll(
  running: RunningSubscription,
  { requested, billingPolicy, planned: plannedEnd }: EndOfAll,
  tools: EditTools,
): SubscriptionEdit | null {
  const { subscription, account, transitions } = running;
  if (subscription.category === ProductCategory.ADD_ON) return null;
  const isPlanned = transitions.some(({ event }) => event.type === LifecycleEventType.CANCEL);
  if (plannedEnd === 'KEPT' && isPlanned) return null;
  const state = stateOf(running, tools.now);
  if (state === EntitlementState.CANCELLED || state === EntitlementState.EXPIRED) return null;

  const asked = datedInstant(requested, tools.now, account);
  const serviceEnd = raiseTo(asked, entitlementStartOf(running));
  const [planned] = entitlementEnds(running);
  const entitlement = planned !== undefined && planned.effective.at <= serviceEnd.at ? null : serviceEnd;
  const billed = billingPolicy === BillingActionPolicy.IMMEDIATE ? asked : endOfInvoiced(running, asked);
  const billing = earlierBilling(running, billed, tools.now);
  if (entitlement === null && billing === null) return null;
  const reason = { ...reasonDatedBy(DatedBy.REQUESTED_POLICY), policy: billingPolicy };
  return cancellationEdit(running, { entitlement, billing, reason }, tools);
}

/**
 * Returns the end of billing to store. The end is never before the start of billing or the latest event that has taken
 * effect. Returns null if billing has already ended, or if a cancellation on or before that end is already planned. An
 * expiry on or before that end becomes a cancellation on the expiry date.
 */
function earlierBilling({ transitions }: RunningSubscription, end: DatedInstant, now: Instant) {
  const last = transitionAt(transitions, now) ?? transitions[0];
  if (last !== undefined && isEnd(last.event)) return null;
  const possible = last === undefined ? end : raiseTo(end, last.event.effective);
  const planned = transitions.find(({ event }) => isEnd(event))?.event;
  if (planned === undefined || planned.effective.at > possible.at) return possible;
  return planned.type === LifecycleEventType.EXPIRED ? planned.effective : null;
}

/** Returns the later of the charged-through date and the end. */
function endOfInvoiced({ subscription: { chargedThrough } }: RunningSubscription, end: DatedInstant) {
  return chargedThrough !== null && chargedThrough.at > end.at ? chargedThrough : end;
}

/**
 * Returns the date that a billing policy determines (§8). It is never before the start of the current phase or a future
 * start of billing.
 */
export function policyDate(policy: TimedPolicy, running: RunningSubscription, now: Instant): DatedInstant {
  const begun = running.transitions.findLast(({ event }) => beginsPhase(event) && event.effective.at <= now);
  const phaseStart = (begun ?? firstTransitionOf(running)).event.effective;
  return raiseTo(candidate(policy, running, now), phaseStart);
}

/** Returns the later of the charged-through date and now. */
function endOfTerm(running: RunningSubscription, now: Instant): DatedInstant {
  const { chargedThrough } = running.subscription;
  if (chargedThrough !== null && chargedThrough.at > now) return chargedThrough;
  return datedInstant(null, now, running.account);
}

function candidate(policy: TimedPolicy, running: RunningSubscription, now: Instant): DatedInstant {
  switch (policy) {
    case BillingActionPolicy.IMMEDIATE:
      return datedInstant(null, now, running.account);
    case BillingActionPolicy.END_OF_TERM:
      return endOfTerm(running, now);
    case BillingActionPolicy.START_OF_TERM:
      return startOfTerm(running, now);
  }
}

function startOfTerm(running: RunningSubscription, now: Instant): DatedInstant {
  const { account, subscription, transitions } = running;
  const { chargedThrough } = subscription;
  if (chargedThrough === null) return firstTransitionOf(running).event.effective;
  if (chargedThrough.at <= now) return chargedThrough;
  const inForce = planOf(running, now);
  const period = inForce.plan.billingPeriod;
  if (period === BillingPeriod.NO_BILLING_PERIOD) return datedInstant(null, now, account);
  let start = chargedThrough;
  for (let periods = -1; start.at > now; periods -= 1) {
    start = atReferenceTime(addPeriod(chargedThrough.date, period, periods), account);
  }
  if (!isMonthBased(period)) return start;
  const requested = transitionAt(transitions, now)?.billCycleDay ?? null;
  const { day } = billCycleDayOf(inForce, requested, running.billCycleDays);
  return atReferenceTime(withDayOfMonth(start.date, day), account);
}
