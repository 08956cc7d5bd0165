import { type LifecycleEvent, LifecycleEventType } from '../../records/index.ts';
import type { TimeZone } from '../../values/time/index.ts';
import type { EventDraft } from './event-draft.ts';
import { followingPhaseEvent } from './following-phase.ts';
import { isPlanChoice } from './lifecycle-order.ts';
import type { PlanResolver } from './plan-with-phase.ts';
import { eventsInEffect } from './transitions.ts';

export interface DerivedPhasesInput {
  /** Active events of one subscription. */
  readonly events: readonly LifecycleEvent[];
  readonly plans: PlanResolver;
  readonly zone: TimeZone;
}

/** Above every record id, so that at one instant derived events come after the stored events of any subscription. */
const ABOVE_RECORD_IDS = 2 ** 52;

/**
 * The events in effect, stored or not. Only the next PHASE is stored (§5 rule 7), so for each plan segment the phases
 * after its last stored PHASE, and the expiry, are derived: billing ahead of a date needs them all.
 *
 * A derived event has the type, date, phase and other facts with which it is stored later. It has no id of its own: it
 * carries that of the stored PHASE that it follows, and is for computing only.
 */
export function withDerivedPhases(input: DerivedPhasesInput): readonly LifecycleEvent[] {
  const { plans, zone } = input;
  const stored = eventsInEffect(input.events);
  let events = stored;
  let sequence = stored.reduce((last, event) => Math.max(last, event.sequence), 0);
  for (const source of lastPhases(stored)) {
    let phaseEvent = source;
    while (phaseEvent.type === LifecycleEventType.PHASE) {
      const draft = followingPhaseEvent({ events, phaseEvent, plans, zone });
      if (draft === undefined) break;
      sequence += 1;
      phaseEvent = derivedEvent(draft, source, sequence);
      events = [...events, phaseEvent];
    }
  }
  return events;
}

/** The last PHASE of each plan segment that has any. */
function lastPhases(ordered: readonly LifecycleEvent[]): readonly LifecycleEvent[] {
  const relevant = ordered.filter((event) => event.type === LifecycleEventType.PHASE || isPlanChoice(event));
  return relevant.filter((event, index) => {
    const next = relevant[index + 1];
    return event.type === LifecycleEventType.PHASE && (next === undefined || isPlanChoice(next));
  });
}

function derivedEvent(draft: EventDraft, source: LifecycleEvent, sequence: number): LifecycleEvent {
  return { ...source, ...draft, recordId: derivedRecordId(source.recordId), sequence };
}

/** Record id of an event that is derived from another event; one that is already derived keeps its own. */
export function derivedRecordId(recordId: number): number {
  return recordId < ABOVE_RECORD_IDS ? ABOVE_RECORD_IDS + recordId : recordId;
}
