import type { Plan } from '../../catalog/index.ts';
import { LifecycleEventType, type PhaseType, PhaseType as PhaseTypes } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { DatedInstant, Instant, TimeZone } from '../../values/time/index.ts';
import { bareDraft, type EventDraft } from './event-draft.ts';
import { currentPhase, type PhaseStart, phaseEnd, phaseTimeline } from './phase-timeline.ts';

export interface InitialEventsInput {
  readonly plan: Plan;
  readonly priceListName: string;
  /** First billing instant. */
  readonly billing: DatedInstant;
  /** Origin of the phase timeline, from the create alignment. */
  readonly anchor: DatedInstant;
  /** The requested phase, or null. */
  readonly phaseType: PhaseType | null;
  readonly billCycleDay: number | null;
  readonly quantity: number | null;
  /** Stored with CREATE, as text; null = all alignments give the same phases at the same dates. */
  readonly reason: string | null;
  readonly now: Instant;
  readonly zone: TimeZone;
}

/**
 * The lifecycle events that a creation stores, in the order of their sequence (§6.2 rule 13): CREATE in
 * the phase in force at the billing date, the requested bill cycle day and quantity, then the phases.
 * @throws BillingError SUBSCRIPTION_CREATE_BAD_PHASE (1011).
 */
export function initialEvents(input: InitialEventsInput): readonly EventDraft[] {
  const timeline = phaseTimeline({
    plan: input.plan,
    anchor: input.anchor,
    firstPhaseType: input.phaseType,
    zone: input.zone,
  });
  const first = timeline[0];
  const current = currentPhase(timeline, input.billing.at);
  assertInvariant(first && current, `The phases of plan ${input.plan.name} begin after its billing date`, {
    planName: input.plan.name,
  });

  return [
    ...choiceDrafts(LifecycleEventType.CREATE, {
      effective: input.billing,
      planName: input.plan.name,
      phaseName: current.phase.name,
      priceListName: input.priceListName,
      phaseAnchor: input.anchor,
      phaseAnchorType: first.phase.type,
      billCycleDay: input.billCycleDay,
      quantity: input.quantity,
      reason: input.reason,
    }),
    ...phasesAfter({
      timeline,
      current,
      now: input.now,
      // At the billing date plus the duration, not at the end of the phase on the timeline (§5 rule 8).
      expiryOfCurrent: () => expiryOnCreation(current, input),
      expiryOf: (last) => expiryAfterPhase(last, input.anchor, input.zone),
    }),
  ];
}

/** The event that puts a subscription on a plan, then the bill cycle day and the quantity requested with it. */
export function choiceDrafts(
  type: EventDraft['type'],
  { billCycleDay, quantity, ...choice }: Omit<EventDraft, 'type'>,
): readonly EventDraft[] {
  const { effective } = choice;
  const drafts: EventDraft[] = [{ type, ...choice, billCycleDay: null, quantity: null }];
  if (billCycleDay !== null)
    drafts.push({ ...bareDraft(LifecycleEventType.BCD_CHANGE, effective), billCycleDay });
  if (quantity !== null)
    drafts.push({ ...bareDraft(LifecycleEventType.QUANTITY_CHANGE, effective), quantity });
  return drafts;
}

export interface PhasesAfterInput {
  readonly timeline: readonly PhaseStart[];
  /** The phase in which the choice of the plan puts the subscription; one of `timeline`. */
  readonly current: PhaseStart;
  readonly now: Instant;
  /** Where the plan ends if `current` is its last phase; undefined if it does not. */
  readonly expiryOfCurrent: () => EventDraft | undefined;
  /** The same for a last phase that begins with a PHASE. */
  readonly expiryOf: (last: PhaseStart) => EventDraft | undefined;
}

/** PHASE of every phase that has begun by now and of the next one, or EXPIRED where the plan ends (§5 rules 7, 8). */
export function phasesAfter(input: PhasesAfterInput): readonly EventDraft[] {
  const later = input.timeline.slice(input.timeline.indexOf(input.current) + 1);
  const begun = later.filter((entry) => entry.start.at <= input.now);
  const drafts = later.slice(0, begun.length + 1).map(phaseDraft);
  const last = begun.at(-1);
  if (begun.length < later.length) return drafts;
  const expiry = last === undefined ? input.expiryOfCurrent() : input.expiryOf(last);
  return expiry === undefined ? drafts : [...drafts, expiry];
}

/** PHASE at the start of `entry`. */
export function phaseDraft(entry: PhaseStart): EventDraft {
  return { ...bareDraft(LifecycleEventType.PHASE, entry.start), phaseName: entry.phase.name };
}

/** EXPIRED at the end of a final FIXEDTERM phase that a PHASE began; undefined for any other phase (§5 rule 8). */
export function expiryAfterPhase(
  last: PhaseStart,
  anchor: DatedInstant,
  zone: TimeZone,
): EventDraft | undefined {
  if (last.phase.type !== PhaseTypes.FIXEDTERM) return undefined;
  const end = phaseEnd(last, anchor, zone);
  return end === undefined ? undefined : bareDraft(LifecycleEventType.EXPIRED, end);
}

function expiryOnCreation(current: PhaseStart, input: InitialEventsInput): EventDraft | undefined {
  if (current.phase.type !== PhaseTypes.FIXEDTERM) return undefined;
  const end = phaseEnd({ phase: current.phase, start: input.billing }, input.billing, input.zone);
  return end === undefined ? undefined : bareDraft(LifecycleEventType.EXPIRED, end);
}
