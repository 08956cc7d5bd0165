import type { New } from '../../records/index.ts';
import { type BlockingState, type LifecycleEvent, LifecycleEventType } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import { cancelledEntitlement } from '../blocking/cancelled-entitlement.ts';
import type { EventSubject, ToldEvent } from '../telling/subscription-bus-events.ts';
import { isMarker, isStart } from '../timeline/lifecycle-order.ts';
import type { RunningSubscription } from './running-subscription.ts';

/** An event that another one withdraws. */
export interface Withdrawal {
  readonly event: LifecycleEvent;
  /** The event whose insertion withdraws it. */
  readonly by: Uuid;
}

/** What one operation changes of the facts stored about one subscription. */
export interface SubscriptionEdit {
  readonly subject: EventSubject & Pick<RunningSubscription, 'blockingStates'>;
  /**
   * What the operation is about: its REQUESTED event carries this type and date. Null for further subscriptions that it
   * changes.
   */
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

/** Every event that an edit adds, withdraws or brings back. */
export function eventsOfEdit(edit: SubscriptionEdit): readonly New<LifecycleEvent>[] {
  return [...edit.addedEvents, ...edit.withdrawn.map(({ event }) => event), ...edit.restored];
}

/** The active events from `at` on, which an operation dated there withdraws; the start of the subscription stays. */
export function eventsFrom(events: readonly LifecycleEvent[], at: Instant): readonly LifecycleEvent[] {
  return events.filter((event) => event.effective.at >= at && !isStart(event) && !isMarker(event));
}

/**
 * The active events that an end of billing at `at` withdraws (§9 rule 6): those from there on, but not a PHASE at that
 * instant that has already taken effect.
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
