import type { WriteSession } from '../../ports/storage/index.ts';
import type { BlockingState, LifecycleEvent } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { touchedDates } from '../edits/dirty-days.ts';
import { runEventOf } from '../edits/run-event.ts';
import type { SubscriptionEdit } from '../edits/subscription-edit.ts';
import { blockingStateNotification, eventNotification } from '../telling/notifications.ts';
import { effectiveEvent, entitlementEvent, requestedEvent } from '../telling/subscription-bus-events.ts';
import { markDirty } from './mark-dirty.ts';

/**
 * Stores what operations change of subscriptions, with its outbox: what is due by now is told with the call, the rest by
 * the queue (§21). A constant number of statements for any number of subscriptions.
 */
export async function saveEdits(
  session: WriteSession,
  edits: readonly SubscriptionEdit[],
  now: Instant,
): Promise<void> {
  const withdrawn = edits.flatMap((edit) => edit.withdrawn);
  const restored = edits.flatMap((edit) => edit.restored);
  const withdrawnStates = edits.flatMap((edit) => edit.withdrawnStates);
  await session.subscriptions.setEventActivity([
    ...withdrawn.map(({ event, by }) => ({ id: event.id, isActive: false, deactivatedBy: by })),
    ...restored.map(({ id }) => ({ id, isActive: true, deactivatedBy: null })),
  ]);
  await session.subscriptions.withdrawBlockingStates(withdrawnStates.map(({ id }) => id));
  await session.subscriptions.insertEvents(edits.flatMap((edit) => edit.addedEvents));
  await session.subscriptions.insertBlockingStates(edits.flatMap((edit) => edit.addedStates));
  await session.unschedule(
    keysOf([
      ...withdrawn
        .map(({ event }) => event)
        .filter(isAfter(now))
        .map(eventNotification),
      ...withdrawnStates.filter(isAfter(now)).map(blockingStateNotification),
    ]),
  );
  session.schedule(restored.filter(isAfter(now)).map(eventNotification));
  await markDirty(session, edits.flatMap(touchedDates));
  for (const edit of edits) announce(session, edit, now);
}

function announce(session: WriteSession, edit: SubscriptionEdit, now: Instant): void {
  const { subject, requested, addedEvents, addedStates } = edit;
  const due = addedEvents.filter((event) => event.effective.at <= now);
  const asking = runEventOf(edit, now);
  if (requested !== null) session.publish([requestedEvent(subject, requested)]);
  session.publish(due.map((event) => effectiveEvent(subject, event, event === asking)));
  session.publish(
    addedStates.filter((state) => !isAfter(now)(state)).map((state) => entitlementEvent(subject, state)),
  );
  session.schedule([
    ...addedEvents.filter(isAfter(now)).map(eventNotification),
    ...addedStates.filter(isAfter(now)).map(blockingStateNotification),
  ]);
}

function isAfter(now: Instant): (fact: Pick<LifecycleEvent | BlockingState, 'effective'>) => boolean {
  return ({ effective }) => effective.at > now;
}

function keysOf(notifications: readonly { readonly uniqueKey: string | null }[]): readonly string[] {
  return notifications.flatMap(({ uniqueKey }) => uniqueKey ?? []);
}
