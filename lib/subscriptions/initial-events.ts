import { type PhaseType, PhaseType as PhaseTypes, type Plan } from '../catalog/index.ts';
import { assertInvariant } from '../errors/index.ts';
import {
  addDuration,
  type DatedInstant,
  type Instant,
  instantAt,
  localTimeOf,
  type TimeZone,
} from '../time/index.ts';
import { bareDraft, type EventDraft } from './event-draft.ts';
import { LifecycleEventType } from './model.ts';
import { currentPhase, type PhaseStart, phaseEnd, phaseTimeline } from './phase-timeline.ts';

export interface InitialEventsInput {
  readonly plan: Plan;
  readonly priceListName: string;
  /** First billing instant. */
  readonly billing: DatedInstant;
  /** Origin of the phase timeline, from the create alignment. */
  readonly anchor: DatedInstant;
  /** Phase that was asked for, or null. */
  readonly phaseType: PhaseType | null;
  readonly billCycleDay: number | null;
  readonly quantity: number | null;
  readonly now: Instant;
  readonly zone: TimeZone;
}

/**
 * The lifecycle events that a creation stores, in the order of their sequence (subscriptions.md §6.2 rule 13): CREATE in
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

  const drafts: EventDraft[] = [
    {
      ...bareDraft(LifecycleEventType.CREATE, input.billing),
      planName: input.plan.name,
      phaseName: current.phase.name,
      priceListName: input.priceListName,
      phaseAnchor: input.anchor,
      phaseAnchorType: first.phase.type,
    },
  ];
  if (input.billCycleDay !== null) {
    drafts.push({
      ...bareDraft(LifecycleEventType.BCD_CHANGE, input.billing),
      billCycleDay: input.billCycleDay,
    });
  }
  if (input.quantity !== null) {
    drafts.push({
      ...bareDraft(LifecycleEventType.QUANTITY_CHANGE, input.billing),
      quantity: input.quantity,
    });
  }
  return [...drafts, ...phasesAfterCreation(input, timeline, current)];
}

/** PHASE of every phase that has begun by now and of the next one, or EXPIRED where the plan ends (§5 rules 7, 8). */
function phasesAfterCreation(
  input: InitialEventsInput,
  timeline: readonly PhaseStart[],
  current: PhaseStart,
): readonly EventDraft[] {
  const later = timeline.slice(timeline.indexOf(current) + 1);
  const begun = later.filter((entry) => entry.start.at <= input.now);
  const stored = later.slice(0, begun.length + 1);
  const drafts = stored.map((entry) => phaseDraft(entry));

  if (later.length === 0) {
    // At the billing date plus the duration, not at the end of the phase on the timeline (§5 rule 8).
    if (current.phase.type === PhaseTypes.FIXEDTERM) drafts.push(expiryOnCreation(current, input));
    return drafts;
  }
  const last = begun.at(-1);
  if (last !== undefined && begun.length === later.length) {
    const expiry = expiryAfterPhase(last, input.anchor, input.zone);
    if (expiry !== undefined) drafts.push(expiry);
  }
  return drafts;
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

function expiryOnCreation(current: PhaseStart, input: InitialEventsInput): EventDraft {
  const date = addDuration(input.billing.date, current.phase.duration);
  const at = instantAt(date, localTimeOf(input.billing.at, input.zone), input.zone);
  return bareDraft(LifecycleEventType.EXPIRED, { date, at });
}
