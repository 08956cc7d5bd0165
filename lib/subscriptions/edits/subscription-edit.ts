import {
  type BlockingState,
  type LifecycleEvent,
  LifecycleEventType,
  type New,
  type StoredCursor,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, type LocalDate, minDate } from '../../values/time/index.ts';
import { firstDayAtEnd } from '../blocking/blocked-time.ts';
import { cancelledEntitlement } from '../blocking/states-in-force.ts';
import { isEnd, isMarker, isStart } from '../timeline/lifecycle-events.ts';
import type { AnnouncedEvent, EventSubject } from './bus-events.ts';
import type { RunningSubscription } from './running-subscription.ts';

interface Withdrawal {
  readonly event: LifecycleEvent;
  /** Id of the event whose insertion withdraws this event. */
  readonly by: Uuid;
}

/** The changes of one operation to one subscription. */
export interface SubscriptionEdit {
  readonly subject: EventSubject & Pick<RunningSubscription, 'events' | 'blockingStates'>;
  /** The type and date of the REQUESTED event, or null if another subscription's operation caused this edit. */
  readonly requested: AnnouncedEvent | null;
  readonly addedEvents: readonly New<LifecycleEvent>[];
  readonly withdrawn: readonly Withdrawal[];
  /** Withdrawn events that this edit makes active again. */
  readonly restored: readonly LifecycleEvent[];
  readonly addedStates: readonly New<BlockingState>[];
  readonly withdrawnStates: readonly BlockingState[];
  /** Days from which billing of the subscription may change although its own events do not. */
  readonly touched?: readonly LocalDate[];
}

export function editOf(
  subject: SubscriptionEdit['subject'],
  changes: Partial<Omit<SubscriptionEdit, 'subject'>>,
): SubscriptionEdit {
  return {
    subject,
    requested: null,
    addedEvents: [],
    withdrawn: [],
    restored: [],
    addedStates: [],
    withdrawnStates: [],
    ...changes,
  };
}

export function eventsOfEdit(edit: SubscriptionEdit): readonly New<LifecycleEvent>[] {
  return [...edit.addedEvents, ...edit.withdrawn.map(({ event }) => event), ...edit.restored];
}

/**
 * Returns the active events from `at` on. An operation that takes effect at `at` withdraws these events. The start
 * event is never withdrawn.
 */
export function eventsFrom(events: readonly LifecycleEvent[], at: Instant): readonly LifecycleEvent[] {
  return events.filter((event) => event.effective.at >= at && !isStart(event) && !isMarker(event));
}

/**
 * Returns the active events that an end at `at` withdraws (§9 rule 6). A PHASE event that takes effect at that instant
 * is kept.
 */
export function eventsFromEnd(
  events: readonly LifecycleEvent[],
  at: Instant,
  now: Instant,
): readonly LifecycleEvent[] {
  const isPast = ({ type, effective }: LifecycleEvent) =>
    type === LifecycleEventType.PHASE && effective.at === at && at <= now;
  return eventsFrom(events, at).filter((event) => !isPast(event));
}

/** Marks the events as withdrawn by the first added event. */
export function withdrawnBy(
  added: readonly New<LifecycleEvent>[],
  events: readonly LifecycleEvent[],
): readonly Withdrawal[] {
  const [cause] = added;
  assertInvariant(cause, 'An operation that withdraws events must add one');
  return events.map((event) => ({ event, by: cause.id }));
}

export function entitlementEnded(
  { subscription, blockingStates }: Pick<RunningSubscription, 'subscription' | 'blockingStates'>,
  stored: Pick<BlockingState, 'id' | 'effective' | 'createdDate' | 'causedBy'>,
): New<BlockingState> {
  const own = blockingStates.filter((state) => state.blockedId === subscription.id);
  return {
    ...stored,
    ...cancelledEntitlement(subscription),
    sequence: own.reduce((last, { sequence }) => Math.max(last, sequence), 0) + 1,
  };
}

export interface TouchedDate {
  readonly subscriptionId: Uuid;
  readonly date: LocalDate;
}

export function markCursorDirty(cursor: StoredCursor, dates: readonly LocalDate[]): StoredCursor {
  const all = cursor.dirtyFrom === null ? dates : [cursor.dirtyFrom, ...dates];
  return all.length === 0 ? cursor : { ...cursor, dirtyFrom: all.reduce((a, b) => minDate(a, b)) };
}

export function findTouchedDate(event: New<LifecycleEvent>): TouchedDate {
  return { subscriptionId: event.subscriptionId, date: event.effective.date };
}

export function touchedDates(edit: SubscriptionEdit): readonly TouchedDate[] {
  const { subscription, blockingStates } = edit.subject;
  const own = eventsOfEdit(edit)
    .filter((event) => !isMarker(event))
    .map((event) => (isEnd(event) ? firstDayAtEnd(blockingStates, event.effective) : event.effective.date));
  return [...own, ...(edit.touched ?? [])].map((date) => ({ subscriptionId: subscription.id, date }));
}

/**
 * Returns the last added event that is due by now and starts an invoice run. Expiries (invoicing §8.1) and markers do
 * not start a run.
 */
function runEvent(added: readonly New<LifecycleEvent>[], now: Instant): New<LifecycleEvent> | undefined {
  return added.findLast(
    (event) => event.effective.at <= now && event.type !== LifecycleEventType.EXPIRED && !isMarker(event),
  );
}

/** Returns the event that starts an invoice run now. This run also bills the changes to other subscriptions. */
export function runEventOf(
  edit: Pick<SubscriptionEdit, 'addedEvents' | 'requested'>,
  now: Instant,
): New<LifecycleEvent> | undefined {
  return edit.requested === null ? undefined : runEvent(edit.addedEvents, now);
}

/** Returns the event that starts the invoice run for all subscriptions created in one call. */
export function runEventOfCreations(
  creations: readonly { readonly events: readonly New<LifecycleEvent>[] }[],
  now: Instant,
): New<LifecycleEvent> | undefined {
  const events = creations.flatMap((creation) => runEvent(creation.events, now) ?? []);
  return events.toSorted((a, b) => a.effective.at - b.effective.at).at(-1);
}
