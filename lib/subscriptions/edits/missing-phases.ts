import { type LifecycleEvent, LifecycleEventType } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { EventDraft } from '../timeline/event-draft.ts';
import { followingPhaseEvent } from '../timeline/following-phase.ts';
import { inTimeOrder, isPlanChoice } from '../timeline/lifecycle-order.ts';
import type { RunningSubscription } from './running-subscription.ts';

/**
 * The PHASE or EXPIRED that would have been stored at the beginning of the phase in force if an end or change, which is
 * undone now, had not stood before it (§5 rule 7).
 * @param events the active events without that end or change.
 */
export function missingPhases(
  { catalog, account }: RunningSubscription,
  events: readonly LifecycleEvent[],
  now: Instant,
): readonly EventDraft[] {
  const begun = inTimeOrder(events).filter(({ effective }) => effective.at <= now);
  const last = begun.findLast((event) => isPlanChoice(event) || event.type === LifecycleEventType.PHASE);
  if (last?.type !== LifecycleEventType.PHASE) return [];
  const following = followingPhaseEvent({
    events,
    phaseEvent: last,
    plans: catalog,
    zone: account.timeZone,
  });
  // A phase that has begun already comes with the queue entry of the phase before it, which is not processed yet.
  return following === undefined || following.effective.at <= now ? [] : [following];
}
