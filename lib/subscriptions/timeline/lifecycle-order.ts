import { type LifecycleEvent, LifecycleEventType } from '../../records/index.ts';

/** True for the events that put a subscription on a plan. */
export function isPlanChoice(event: Pick<LifecycleEvent, 'type'>): boolean {
  return isStart(event) || event.type === LifecycleEventType.CHANGE;
}

/** True for the event that begins the billing of a subscription. */
export function isStart(event: Pick<LifecycleEvent, 'type'>): boolean {
  return event.type === LifecycleEventType.CREATE || event.type === LifecycleEventType.TRANSFER;
}

/** True for the events that end the billing of a subscription. */
export function isEnd(event: Pick<LifecycleEvent, 'type'>): boolean {
  return event.type === LifecycleEventType.CANCEL || event.type === LifecycleEventType.EXPIRED;
}

/** True for the markers of an undo, which are never part of transitions. */
export function isMarker(event: Pick<LifecycleEvent, 'type'>): boolean {
  return event.type === LifecycleEventType.UNCANCEL || event.type === LifecycleEventType.UNDO_CHANGE;
}

/** By instant; at equal instants CREATE and TRANSFER first, then by sequence (§4.1). */
export function inTimeOrder(events: readonly LifecycleEvent[]): readonly LifecycleEvent[] {
  return events.toSorted(
    (a, b) =>
      a.effective.at - b.effective.at || Number(isStart(b)) - Number(isStart(a)) || a.sequence - b.sequence,
  );
}

/** The plans that events put their subscriptions on. */
export function planNamesOf(events: readonly Pick<LifecycleEvent, 'planName'>[]): ReadonlySet<string | null> {
  return new Set(events.map((event) => event.planName));
}
