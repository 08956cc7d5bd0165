import { type LifecycleEvent, LifecycleEventType } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { TimeZone } from '../../values/time/index.ts';
import type { EventDraft } from './event-draft.ts';
import { decidedOf } from './event-reason.ts';
import { expiryAfterPhase, phaseDraft } from './initial-events.ts';
import { inTimeOrder, isEnd, isPlanChoice } from './lifecycle-order.ts';
import { phaseEnd } from './phase-timeline.ts';
import { type PlanResolver, planWithPhase } from './plan-with-phase.ts';

export interface NextPhaseInput {
  /** Active events of one subscription; stored, or derived by this very rule. */
  readonly events: readonly LifecycleEvent[];
  /** The PHASE that is, or will be, in effect; one of `events`. */
  readonly phaseEvent: LifecycleEvent;
  readonly plans: PlanResolver;
  readonly zone: TimeZone;
}

/**
 * What follows a PHASE: the PHASE after it, or EXPIRED where a final FIXEDTERM ends (§5 rules 7, 8). Undefined if nothing
 * follows, if it is among the events already, or if the plan is changed or ended first. The answer depends on the input
 * alone, so what is derived ahead of time is what is stored once the PHASE takes effect.
 *
 * The catalog is asked at the event's own date, its logical time (§21): a jump of the clock asks the same question as a
 * walk. The next phase is counted from the start of this one (§5 rule 1), so a later catalog version that changes the
 * length of an earlier phase moves nothing that has begun.
 */
export function followingPhaseEvent(input: NextPhaseInput): EventDraft | undefined {
  const { events, phaseEvent, plans, zone } = input;
  const ordered = inTimeOrder(events);
  const position = ordered.indexOf(phaseEvent);
  const choice = ordered.slice(0, position + 1).findLast(isPlanChoice);
  assertInvariant(
    choice?.planName && choice.phaseAnchor,
    `PHASE event ${phaseEvent.id} follows no event that carries a plan and a phase anchor`,
    { eventId: phaseEvent.id, subscriptionId: phaseEvent.subscriptionId },
  );
  const { planName, phaseAnchor: anchor } = choice;
  const chosen = { at: choice.effective.at, decided: decidedOf(choice) };
  const { phaseName, effective } = phaseEvent;
  const { plan, phase } = planWithPhase(plans, { planName, phaseName, at: effective.at, chosen });

  const begun = { phase, start: phaseEvent.effective };
  const next = plan.phases[plan.phases.indexOf(phase) + 1];
  const end = next && phaseEnd(begun, anchor, zone);
  const following =
    next && end ? phaseDraft({ phase: next, start: end }) : expiryAfterPhase(begun, anchor, zone);
  if (following === undefined || isSettled(ordered.slice(position + 1), following)) return undefined;
  return following;
}

/** True if the segment of the plan already has its next PHASE or its expiry, or ends before `following` would begin. */
function isSettled(later: readonly LifecycleEvent[], following: EventDraft): boolean {
  for (const event of later) {
    const isBefore = event.effective.at <= following.effective.at;
    if (isPlanChoice(event)) return isBefore;
    if (event.type === LifecycleEventType.PHASE || event.type === following.type) return true;
    if (isEnd(event) && isBefore) return true;
  }
  return false;
}
