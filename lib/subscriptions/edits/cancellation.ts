import type { CancelSubscriptionOptions } from '../../ports/index.ts';
import { EntitlementState } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { type DatedInstant, formatInstant, type Instant } from '../../values/time/index.ts';
import type { EditTools } from '../timeline/edit-tools.ts';
import { isEnd } from '../timeline/lifecycle-order.ts';
import { transitionAt } from '../timeline/transitions.ts';
import { type CancellationDates, cancellationDates } from './cancellation-dates.ts';
import { cancellationEdit } from './cancellation-edit.ts';
import { type RunningSubscription, stateOf } from './running-subscription.ts';
import type { SubscriptionEdit } from './subscription-edit.ts';
import { wayAroundEnd } from './transferred-ends.ts';

export interface Cancellation extends CancellationDates {
  readonly edit: SubscriptionEdit;
}

/**
 * Ends service and billing of a subscription (§9). Replaces a pending end at or after the new one.
 * @throws BillingError SUBSCRIPTION_CANCEL_BAD_STATE (1031), and as `cancellationDates`.
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

/** True if its service or its billing is over at `now`: it cannot be cancelled (§9 rule 4). */
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

function checkBillingEnd(running: RunningSubscription, billing: DatedInstant, now: Instant): void {
  const { subscription, transitions } = running;
  const pending = transitions.find(({ event }) => isEnd(event));
  if (pending !== undefined && pending.event.effective.at < billing.at) {
    const ends = `ends by ${pending.event.type} at ${formatInstant(pending.event.effective.at)} already`;
    const wayAround = wayAroundEnd(running, pending.event, 'cancel');
    throw badState(running, ends, `that is before ${formatInstant(billing.at)}; ${wayAround}`);
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
