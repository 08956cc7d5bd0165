import type { CancelSubscriptionOptions } from '../../ports/index.ts';
import { EntitlementState, LifecycleEventType } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { type DatedInstant, formatInstant, type Instant } from '../../values/time/index.ts';
import { entitlementEnds } from '../add-ons/base-end.ts';
import type { EditTools } from '../timeline/edit-tools.ts';
import { bareDraft } from '../timeline/event-draft.ts';
import { writeReason } from '../timeline/event-reason.ts';
import { isEnd } from '../timeline/lifecycle-order.ts';
import { transitionAt } from '../timeline/transitions.ts';
import { type CancellationDates, cancellationDates } from './cancellation-dates.ts';
import { nextEvents, type RunningSubscription, stateOf } from './running-subscription.ts';
import { entitlementEnded, eventsFromEnd, type SubscriptionEdit, withdrawnBy } from './subscription-edit.ts';

export interface PlannedCancellation extends CancelSubscriptionOptions {
  /**
   * True: where the subscription would expire before its billing would end, it ends with its expiry; false: the call is
   * refused. Default false.
   */
  readonly endsByExpiry?: boolean;
}

export interface Cancellation extends CancellationDates {
  readonly edit: SubscriptionEdit;
}

/**
 * Ends service and billing of a subscription (§9). Replaces a pending end at or after the new one.
 * @throws BillingError SUBSCRIPTION_CANCEL_BAD_STATE (1031), and as `cancellationDates`.
 */
export function planCancellation(
  running: RunningSubscription,
  options: PlannedCancellation,
  { now, nextId }: EditTools,
): Cancellation {
  checkRuns(running, now);
  const asked = cancellationDates(running, options, now);
  const dates = options.endsByExpiry ? { ...asked, billing: untilExpiry(running, asked.billing) } : asked;
  checkBillingEnd(running, dates.billing, now);

  const cancel = {
    ...bareDraft(LifecycleEventType.CANCEL, dates.billing),
    reason: writeReason(dates.reason),
  };
  const addedEvents = nextEvents(running, [cancel], { now, nextId });
  const ended = entitlementEnded(running, {
    id: nextId(),
    effective: dates.entitlement,
    createdDate: now,
    causedBy: null,
  });
  return {
    ...dates,
    edit: {
      subject: running,
      requested: { type: LifecycleEventType.CANCEL, effective: dates.billing },
      addedEvents,
      withdrawn: withdrawnBy(addedEvents, eventsFromEnd(running.events, dates.billing.at, now)),
      restored: [],
      addedStates: [ended],
      withdrawnStates: entitlementEnds(running),
    },
  };
}

/** True if the cancellation of all subscriptions of an account passes this one over (§9 rule 9). */
export function hasEnded(running: RunningSubscription, now: Instant): boolean {
  return stateOf(running, now) === EntitlementState.CANCELLED || billingHasEnded(running, now);
}

/** True if its billing is CANCELLED or EXPIRED at `now`. */
export function billingHasEnded({ transitions }: RunningSubscription, now: Instant): boolean {
  const transition = transitionAt(transitions, now);
  return transition !== undefined && isEnd(transition.event);
}

function checkRuns(running: RunningSubscription, now: Instant): void {
  if (!hasEnded(running, now)) return;
  const state = stateOf(running, now);
  throw badState(running, `is ${state}, or its billing has ended`, 'it cannot be cancelled again');
}

function untilExpiry({ transitions }: RunningSubscription, billing: DatedInstant): DatedInstant {
  const expiry = transitions.find(({ event }) => event.type === LifecycleEventType.EXPIRED)?.event.effective;
  return expiry !== undefined && expiry.at < billing.at ? expiry : billing;
}

function checkBillingEnd(running: RunningSubscription, billing: DatedInstant, now: Instant): void {
  const { subscription, transitions } = running;
  const pending = transitions.find(({ event }) => isEnd(event));
  if (pending !== undefined && pending.event.effective.at < billing.at) {
    const ends = `ends by ${pending.event.type} at ${formatInstant(pending.event.effective.at)} already`;
    throw badState(running, ends, `that is before ${formatInstant(billing.at)}; uncancel it first`);
  }
  const last = transitionAt(transitions, now) ?? transitions[0];
  if (last === undefined || billing.at >= last.event.effective.at) return;
  throw new BillingError({
    code: ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE,
    message: `Billing of subscription ${subscription.id} cannot end at ${formatInstant(billing.at)}, before its ${last.event.type} of ${formatInstant(last.event.effective.at)}`,
    facts: { subscriptionId: subscription.id, requestedDate: formatInstant(billing.at) },
  });
}

function badState({ subscription }: RunningSubscription, what: string, hint: string): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_CANCEL_BAD_STATE,
    message: `Subscription ${subscription.id} ${what}: ${hint}`,
    facts: { subscriptionId: subscription.id },
  });
}
