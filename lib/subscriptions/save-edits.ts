import type { WriteSession } from '../ports/storage/index.ts';
import type { BlockingState, LifecycleEvent, New, StoredCursor } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { type Instant, type LocalDate, minDate } from '../values/time/index.ts';
import { firstDayAtEnd } from './blocked-intervals.ts';
import { isEnd, isMarker, runEvent } from './lifecycle-order.ts';
import { effectiveEvent, entitlementEvent, requestedEvent } from './subscription-bus-events.ts';
import type { SubscriptionEdit } from './subscription-edit.ts';
import { blockingStateNotification, eventNotification } from './subscription-notifications.ts';

/**
 * Stores what operations change of subscriptions and tells of it: what is due by now with the call, the rest by the queue
 * (subscriptions.md §21). A constant number of statements for any number of subscriptions.
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

/** A day from which a subscription may be billed otherwise than before. */
export interface TouchedDate {
  readonly subscriptionId: Uuid;
  readonly date: LocalDate;
}

/** A changed billing event makes its subscription due for invoicing from the earliest date it touches (invoicing.md §7.1). */
export async function markDirty(session: WriteSession, touched: readonly TouchedDate[]): Promise<void> {
  if (touched.length === 0) return;
  const dates = Map.groupBy(touched, ({ subscriptionId }) => subscriptionId);
  const cursors = await session.invoices.findCursors([...dates.keys()]);
  await session.invoices.saveCursors(
    cursors.map((cursor) =>
      dirtiedFrom(
        cursor,
        (dates.get(cursor.subscriptionId) ?? []).map(({ date }) => date),
      ),
    ),
  );
}

/** The cursor of a subscription that these days touch. */
export function dirtiedFrom(cursor: StoredCursor, dates: readonly LocalDate[]): StoredCursor {
  const all = cursor.dirtyFrom === null ? dates : [cursor.dirtyFrom, ...dates];
  return all.length === 0 ? cursor : { ...cursor, dirtyFrom: all.reduce((a, b) => minDate(a, b)) };
}

/** The day of an event, as one that billing must look at anew. */
export function touchedBy(event: New<LifecycleEvent>): TouchedDate {
  return { subscriptionId: event.subscriptionId, date: event.effective.date };
}

/** The days that an operation makes billing look at anew. */
export function touchedDates(edit: SubscriptionEdit): readonly TouchedDate[] {
  const subscriptionId = edit.subject.subscription.id;
  const besides = (edit.touched ?? []).map((date) => ({ subscriptionId, date }));
  const own = eventsOf(edit).filter((event) => !isMarker(event));
  return [...own.map((event) => touchedOf(event, edit)), ...besides];
}

function touchedOf(event: New<LifecycleEvent>, { subject }: SubscriptionEdit): TouchedDate {
  const touched = touchedBy(event);
  return isEnd(event)
    ? { ...touched, date: firstDayAtEnd(subject.blockingStates, event.effective) }
    : touched;
}

/** Every event that an edit adds, withdraws or brings back. */
export function eventsOf(edit: SubscriptionEdit): readonly New<LifecycleEvent>[] {
  return [...edit.addedEvents, ...edit.withdrawn.map(({ event }) => event), ...edit.restored];
}

/** The event that asks for an invoice run at once. What follows from another subscription is invoiced with that. */
export function runEventOf(edit: SubscriptionEdit, now: Instant): New<LifecycleEvent> | undefined {
  return edit.requested === null ? undefined : runEvent(edit.addedEvents, now);
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
