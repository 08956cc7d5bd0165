import { type LifecycleEvent, LifecycleEventType } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { datedInstant } from '../timeline/dated-instants.ts';
import type { EditTools } from '../timeline/edit-tools.ts';
import { bareDraft } from '../timeline/event-draft.ts';
import { billingHasEnded } from './cancellation.ts';
import { missingPhases } from './missing-phases.ts';
import { nextEvents, type RunningSubscription } from './running-subscription.ts';
import { type SubscriptionEdit, withdrawnBy } from './subscription-edit.ts';
import { isTransferEnd, ownServiceEnds } from './transferred-ends.ts';

/**
 * Undoes a cancellation while billing goes on, as if it had never been requested (§10).
 * @param history the withdrawn events of the subscription.
 * @throws BillingError SUBSCRIPTION_UNCANCEL_BAD_STATE (1070), ENTITLEMENT_UNCANCEL_BAD_STATE (8004).
 */
export function planUncancellation(
  running: RunningSubscription,
  history: readonly LifecycleEvent[],
  { now, nextId }: EditTools,
): SubscriptionEdit {
  const { events } = running;
  const ends = ownServiceEnds(running);
  checkUncancellable(running, ends.length, now);

  const cancels = events.filter((event) => event.type === LifecycleEventType.CANCEL && !isTransferEnd(event));
  const restored = withdrawnByCancels(history, cancels);
  const marker = bareDraft(LifecycleEventType.UNCANCEL, datedInstant(null, now, running.account));
  const after = [...events.filter((event) => !cancels.includes(event)), ...restored];
  const drafts = [marker, ...missingPhases(running, after, now)];
  const addedEvents = nextEvents(running, drafts, { now, nextId });
  return {
    subject: running,
    requested: marker,
    addedEvents,
    withdrawn: withdrawnBy(addedEvents, cancels),
    restored,
    addedStates: [],
    withdrawnStates: ends,
  };
}

/**
 * The events that a cancellation withdrew, and those withdrawn by the cancellations that it had replaced; these
 * cancellations themselves stay withdrawn, except the end that a transfer stored.
 */
export function withdrawnByCancels(
  history: readonly LifecycleEvent[],
  cancels: readonly LifecycleEvent[],
): readonly LifecycleEvent[] {
  const causes = new Set<Uuid | null>(cancels.map(({ id }) => id));
  // A replaced cancellation is older, so one pass from the latest to the earliest meets all of them.
  for (const event of history.toReversed()) {
    const isCancel = event.type === LifecycleEventType.CANCEL && !isTransferEnd(event);
    if (isCancel && causes.has(event.deactivatedBy)) causes.add(event.id);
  }
  return history.filter((event) => !causes.has(event.id) && causes.has(event.deactivatedBy));
}

function checkUncancellable(running: RunningSubscription, storedEnds: number, now: EditTools['now']): void {
  const { id } = running.subscription;
  if (billingHasEnded(running, now)) {
    throw new BillingError({
      code: ErrorCode.SUBSCRIPTION_UNCANCEL_BAD_STATE,
      message: `Billing of subscription ${id} has ended; create another subscription`,
      facts: { subscriptionId: id },
    });
  }
  if (storedEnds > 0) return;
  throw new BillingError({
    code: ErrorCode.ENTITLEMENT_UNCANCEL_BAD_STATE,
    message: `Subscription ${id} is not cancelled by itself, so there is nothing to take back`,
    facts: { subscriptionId: id },
  });
}
