import { type LifecycleEvent, LifecycleEventType } from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import {
  bareDraft,
  beginsPhase,
  type EditTools,
  type EventDraft,
  inTimeOrder,
} from '../timeline/lifecycle-events.ts';
import { followingPhaseEvent } from '../timeline/phase-events.ts';
import { datedInstant } from '../timeline/phase-timeline.ts';
import { billingHasEnded } from './cancellation.ts';
import {
  isTransferEnd,
  nextEvents,
  ownServiceEnds,
  type RunningSubscription,
} from './running-subscription.ts';
import { editOf, type SubscriptionEdit, withdrawnBy } from './subscription-edit.ts';

/**
 * Undoes a cancellation while billing continues, as if the cancellation had never been requested (§10).
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
  const withdrawn = withdrawnBy(addedEvents, cancels);
  return editOf(running, { requested: marker, addedEvents, withdrawn, restored, withdrawnStates: ends });
}

/**
 * Returns the events that a cancellation withdrew, together with the events that the withdrawn events had replaced.
 * Omits cancellations, except the end of a transfer.
 */
export function withdrawnByCancels(
  history: readonly LifecycleEvent[],
  cancels: readonly LifecycleEvent[],
): readonly LifecycleEvent[] {
  const isOwn = (event: LifecycleEvent) => event.type === LifecycleEventType.CANCEL && !isTransferEnd(event);
  const causes = new Set<Uuid | null>(withReplaced(cancels, history, isOwn).map(({ id }) => id));
  return history.filter((event) => !causes.has(event.id) && causes.has(event.deactivatedBy));
}

function checkUncancellable(running: RunningSubscription, storedEnds: number, now: EditTools['now']): void {
  const { id } = running.subscription;
  if (billingHasEnded(running, now)) {
    throw billingError(
      ErrorCode.SUBSCRIPTION_UNCANCEL_BAD_STATE,
      `Billing of subscription ${id} has ended; create another subscription`,
      { subscriptionId: id },
    );
  }
  if (storedEnds > 0) return;
  throw billingError(
    ErrorCode.ENTITLEMENT_UNCANCEL_BAD_STATE,
    `Subscription ${id} has no cancellation of its own to undo`,
    { subscriptionId: id },
  );
}

/**
 * Undoes every pending change of plan (§7, undo). Changes that the undone changes had replaced stay withdrawn.
 * @param history The withdrawn events of the subscription, sorted by sequence.
 * @throws BillingError SUBSCRIPTION_UNDO_CHANGE_BAD_STATE (1071).
 */
export function planUndoChange(
  running: RunningSubscription,
  history: readonly LifecycleEvent[],
  { now, nextId }: EditTools,
): SubscriptionEdit {
  const { subscription, events } = running;
  const pending = events.filter(({ type, effective }) => type === CHANGE && effective.at > now);
  if (pending.length === 0) {
    throw billingError(
      ErrorCode.SUBSCRIPTION_UNDO_CHANGE_BAD_STATE,
      `Subscription ${subscription.id} has no pending change of plan`,
      { subscriptionId: subscription.id },
    );
  }
  const undone = withReplaced(pending, history, ({ type }) => type === CHANGE);
  const inserted = new Set(undone.flatMap((change) => findEventsStoredWith(change, [...events, ...history])));
  const causes = new Set<Uuid | null>(undone.map(({ id }) => id));
  const restored = history.filter((event) => causes.has(event.deactivatedBy) && !inserted.has(event));
  // Also remove the events of changes that a cancellation has withdrawn.
  // Otherwise, reversing the cancellation would restore these events without their plan.
  const withdrawn = [...events, ...history.filter((event) => !causes.has(event.deactivatedBy))].filter(
    (event) => inserted.has(event),
  );

  const marker = bareDraft(LifecycleEventType.UNDO_CHANGE, datedInstant(null, now, running.account));
  const after = [...events.filter((event) => !inserted.has(event)), ...restored];
  const addedEvents = nextEvents(running, [marker, ...missingPhases(running, after, now)], { now, nextId });
  return editOf(running, {
    requested: marker,
    addedEvents,
    withdrawn: withdrawnBy(addedEvents, withdrawn),
    restored,
  });
}

const { CHANGE } = LifecycleEventType;

/** Returns the given events together with the events of the given kind that they replaced. */
function withReplaced(
  replacing: readonly LifecycleEvent[],
  history: readonly LifecycleEvent[],
  isOfKind: (event: LifecycleEvent) => boolean,
) {
  const all = [...replacing];
  const causes = new Set<Uuid | null>(replacing.map(({ id }) => id));
  // A replaced event is older, so one backward pass finds all replaced events.
  for (const event of history.toReversed()) {
    if (!isOfKind(event) || !causes.has(event.deactivatedBy)) continue;
    causes.add(event.id);
    all.push(event);
  }
  return all;
}

/** Event types of one change, in the order in which the events are stored (§7 rule 10). */
const STORED_WITH: readonly LifecycleEventType[] = [
  CHANGE,
  LifecycleEventType.BCD_CHANGE,
  LifecycleEventType.QUANTITY_CHANGE,
  LifecycleEventType.PHASE,
  LifecycleEventType.EXPIRED,
];

/**
 * Returns a change of plan and the events that were stored together with it. Their sequences are consecutive, in the
 * order of `STORED_WITH`.
 */
function findEventsStoredWith(
  change: LifecycleEvent,
  events: readonly LifecycleEvent[],
): readonly LifecycleEvent[] {
  const run = [change];
  const later = events
    .filter(({ sequence }) => sequence > change.sequence)
    .toSorted((a, b) => a.sequence - b.sequence);
  let rank = 0;
  for (const event of later) {
    const own = STORED_WITH.indexOf(event.type);
    const isNext = event.sequence === change.sequence + run.length && own > rank;
    if (!isNext || event.createdDate !== change.createdDate) break;
    run.push(event);
    rank = own;
  }
  return run;
}

/**
 * Returns the PHASE or EXPIRED event that would have been stored for the current phase without the end or change that
 * is now undone (§5 rule 7).
 * @param events The active events without that end or change.
 */
function missingPhases(
  { catalog, account }: RunningSubscription,
  events: readonly LifecycleEvent[],
  now: Instant,
): readonly EventDraft[] {
  const begun = inTimeOrder(events).filter(({ effective }) => effective.at <= now);
  const last = begun.findLast(beginsPhase);
  if (last?.type !== LifecycleEventType.PHASE) return [];
  const following = followingPhaseEvent({
    events,
    phaseEvent: last,
    plans: catalog,
    zone: account.timeZone,
  });
  // If the phase has already begun, it is stored by the queue entry of the previous phase. That entry is still due.
  return following === undefined || following.effective.at <= now ? [] : [following];
}
