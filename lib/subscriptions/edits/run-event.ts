import type { New } from '../../records/index.ts';
import { type LifecycleEvent, LifecycleEventType } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { isMarker } from '../timeline/lifecycle-order.ts';
import type { SubscriptionEdit } from './subscription-edit.ts';

/**
 * The event, among those that an operation adds, that asks for an invoice run: the last one due by now. An expiry asks
 * for none (invoicing §8.1), and a marker is no transition.
 */
function runEvent(added: readonly New<LifecycleEvent>[], now: Instant): New<LifecycleEvent> | undefined {
  return added.findLast(
    (event) => event.effective.at <= now && event.type !== LifecycleEventType.EXPIRED && !isMarker(event),
  );
}

/**
 * The event that asks for an invoice run at once. What follows from an event of another subscription is invoiced with
 * that event.
 */
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
