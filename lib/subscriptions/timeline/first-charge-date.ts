import { isFreeFinitePhase } from '../../catalog/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { type LocalDate, maxDate, type TimeZone } from '../../values/time/index.ts';
import { currentPhase, phaseTimeline } from './phase-timeline.ts';
import type { Transition } from './transitions.ts';

/**
 * The local date of a subscription's first charge (§15.1). On the phase timeline of its first plan, from the phase in
 * force at the billing start on, it is the start of the first phase that has no end or a recurring price above zero, but
 * not before the billing start. A plan without recurring charges counts from its billing start.
 */
export function firstChargeDate(transitions: readonly Transition[], zone: TimeZone): LocalDate {
  const first = transitions[0];
  assertInvariant(
    first?.next && first.event.phaseAnchor,
    'A subscription begins with an event that anchors its phases',
    {
      eventId: first?.event.id,
    },
  );
  const timeline = phaseTimeline({
    plan: first.next.plan,
    anchor: first.event.phaseAnchor,
    firstPhaseType: first.event.phaseAnchorType,
    zone,
  });
  const start = first.event.effective;
  const current = currentPhase(timeline, start.at);
  const remaining = current === undefined ? timeline : timeline.slice(timeline.indexOf(current));
  const charging = remaining.find((entry) => !isFreeFinitePhase(entry.phase));
  return charging === undefined ? start.date : maxDate(charging.start.date, start.date);
}
