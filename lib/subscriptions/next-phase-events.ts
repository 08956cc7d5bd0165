import type { Plan } from '../catalog/index.ts';
import { assertInvariant } from '../errors/index.ts';
import type { TimeZone } from '../time/index.ts';
import type { EventDraft } from './event-draft.ts';
import { expiryAfterPhase, phaseDraft } from './initial-events.ts';
import { inTimeOrder, isEnd, isPlanChoice } from './lifecycle-order.ts';
import { type LifecycleEvent, LifecycleEventType } from './model.ts';
import { phaseEnd } from './phase-timeline.ts';

/** The event that put the subscription on the plan in force at `event`: the last CREATE, TRANSFER or CHANGE up to it. */
export function planChoiceOf(
  events: readonly LifecycleEvent[],
  event: LifecycleEvent,
): LifecycleEvent | undefined {
  const ordered = inTimeOrder(events);
  const index = ordered.findIndex((candidate) => candidate.id === event.id);
  return ordered.slice(0, index + 1).findLast(isPlanChoice);
}

export interface NextPhaseInput {
  /** Active events of one subscription. */
  readonly events: readonly LifecycleEvent[];
  /** The PHASE that has become effective; one of `events`. */
  readonly phaseEvent: LifecycleEvent;
  /** The plan in force. */
  readonly plan: Plan;
  readonly zone: TimeZone;
}

/**
 * What follows a PHASE that has become effective: the PHASE after it, or EXPIRED where a final FIXEDTERM ends
 * (subscriptions.md §5 rules 7, 8). Undefined if nothing follows, if it is stored already, or if the plan is changed or
 * ended first.
 *
 * The next phase is reckoned from the stored start of this one (§5 rule 1), so a later catalog version that changes the
 * length of an earlier phase moves nothing that has begun.
 */
export function followingPhaseEvent(input: NextPhaseInput): EventDraft | undefined {
  const { events, phaseEvent, plan, zone } = input;
  const anchor = planChoiceOf(events, phaseEvent)?.phaseAnchor;
  assertInvariant(anchor, `PHASE event ${phaseEvent.id} follows no event that carries a phase anchor`, {
    eventId: phaseEvent.id,
    subscriptionId: phaseEvent.subscriptionId,
  });
  const index = plan.phases.findIndex((phase) => phase.name === phaseEvent.phaseName);
  const phase = plan.phases[index];
  assertInvariant(phase, `Plan ${plan.name} has no phase ${phaseEvent.phaseName}`, {
    eventId: phaseEvent.id,
  });

  const begun = { phase, start: phaseEvent.effective };
  const next = plan.phases[index + 1];
  const end = next && phaseEnd(begun, anchor, zone);
  const following =
    next && end ? phaseDraft({ phase: next, start: end }) : expiryAfterPhase(begun, anchor, zone);
  return following === undefined || isSettled(events, phaseEvent, following) ? undefined : following;
}

/** True if the segment of the plan already has its next PHASE or its expiry, or is over when `following` would begin. */
function isSettled(
  events: readonly LifecycleEvent[],
  phaseEvent: LifecycleEvent,
  following: EventDraft,
): boolean {
  for (const event of inTimeOrder(events)) {
    if (event.effective.at <= phaseEvent.effective.at) continue;
    const isBefore = event.effective.at <= following.effective.at;
    if (isPlanChoice(event)) return isBefore;
    if (event.type === LifecycleEventType.PHASE || event.type === following.type) return true;
    if (isEnd(event) && isBefore) return true;
  }
  return false;
}
