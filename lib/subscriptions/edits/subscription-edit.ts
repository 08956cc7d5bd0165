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
import type { EventSubject, ToldEvent } from './bus-events.ts';
import type { RunningSubscription } from './running-subscription.ts';

/** An event that another one withdraws. */
interface Withdrawal {
  readonly event: LifecycleEvent;
  /** The event whose insertion withdraws it. */
  readonly by: Uuid;
}

/** What one operation changes of the facts stored about one subscription. */
export interface SubscriptionEdit {
  readonly subject: EventSubject & Pick<RunningSubscription, 'blockingStates'>;
  /** Type and date of the REQUESTED event; null for other subscriptions that the operation changes. */
  readonly requested: ToldEvent | null;
  readonly addedEvents: readonly New<LifecycleEvent>[];
  readonly withdrawn: readonly Withdrawal[];
  /** Events that were withdrawn and count again. */
  readonly restored: readonly LifecycleEvent[];
  readonly addedStates: readonly New<BlockingState>[];
  readonly withdrawnStates: readonly BlockingState[];
  /** Days from which it may be billed differently although none of its own facts changes. */
  readonly touched?: readonly LocalDate[];
}

/** The edit of a subscription that changes only what is given. */
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

/** Every event that an edit adds, withdraws or brings back. */
export function eventsOfEdit(edit: SubscriptionEdit): readonly New<LifecycleEvent>[] {
  return [...edit.addedEvents, ...edit.withdrawn.map(({ event }) => event), ...edit.restored];
}

/** The active events from `at` on, which an operation dated there withdraws; the start of the subscription stays. */
export function eventsFrom(events: readonly LifecycleEvent[], at: Instant): readonly LifecycleEvent[] {
  return events.filter((event) => event.effective.at >= at && !isStart(event) && !isMarker(event));
}

/** The active events that an end at `at` withdraws (§9 rule 6): not a PHASE of that instant that has taken effect. */
export function eventsFromEnd(
  events: readonly LifecycleEvent[],
  at: Instant,
  now: Instant,
): readonly LifecycleEvent[] {
  const isPast = ({ type, effective }: LifecycleEvent) =>
    type === LifecycleEventType.PHASE && effective.at === at && at <= now;
  return eventsFrom(events, at).filter((event) => !isPast(event));
}

/** These events, withdrawn by the first of those that an operation adds: the one that it is about. */
export function withdrawnBy(
  added: readonly New<LifecycleEvent>[],
  events: readonly LifecycleEvent[],
): readonly Withdrawal[] {
  const [cause] = added;
  assertInvariant(cause, 'An operation that withdraws events adds one');
  return events.map((event) => ({ event, by: cause.id }));
}

/** ENT_CANCELLED of the subscription (§3, reserved states). */
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

/** A day from which a subscription may be billed differently than before. */
export interface TouchedDate {
  readonly subscriptionId: Uuid;
  readonly date: LocalDate;
}

/** The cursor of a subscription once these days are marked to be looked at again. */
export function dirtiedFrom(cursor: StoredCursor, dates: readonly LocalDate[]): StoredCursor {
  const all = cursor.dirtyFrom === null ? dates : [cursor.dirtyFrom, ...dates];
  return all.length === 0 ? cursor : { ...cursor, dirtyFrom: all.reduce((a, b) => minDate(a, b)) };
}

/** The day of an event, as one that billing has to look at again. */
export function touchedBy(event: New<LifecycleEvent>): TouchedDate {
  return { subscriptionId: event.subscriptionId, date: event.effective.date };
}

/** The days that billing has to look at again after an operation. */
export function touchedDates(edit: SubscriptionEdit): readonly TouchedDate[] {
  const subscriptionId = edit.subject.subscription.id;
  const besides = (edit.touched ?? []).map((date) => ({ subscriptionId, date }));
  const own = eventsOfEdit(edit).filter((event) => !isMarker(event));
  return [...own.map((event) => touchedOf(event, edit)), ...besides];
}

function touchedOf(event: New<LifecycleEvent>, { subject }: SubscriptionEdit): TouchedDate {
  const touched = touchedBy(event);
  return isEnd(event)
    ? { ...touched, date: firstDayAtEnd(subject.blockingStates, event.effective) }
    : touched;
}

/**
 * The last added event due by now asks for an invoice run; an expiry does not (invoicing §8.1), and markers are no
 * transitions.
 */
function runEvent(added: readonly New<LifecycleEvent>[], now: Instant): New<LifecycleEvent> | undefined {
  return added.findLast(
    (event) => event.effective.at <= now && event.type !== LifecycleEventType.EXPIRED && !isMarker(event),
  );
}

/** The event that asks for an invoice run at once; consequences for other subscriptions are invoiced with it. */
export function runEventOf(
  edit: Pick<SubscriptionEdit, 'addedEvents' | 'requested'>,
  now: Instant,
): New<LifecycleEvent> | undefined {
  return edit.requested === null ? undefined : runEvent(edit.addedEvents, now);
}

/** The event, among those of all creations of one call, that asks for an invoice run at once. */
export function runEventOfCreations(
  creations: readonly { readonly events: readonly New<LifecycleEvent>[] }[],
  now: Instant,
): New<LifecycleEvent> | undefined {
  const events = creations.flatMap((creation) => runEvent(creation.events, now) ?? []);
  return events.toSorted((a, b) => a.effective.at - b.effective.at).at(-1);
}
