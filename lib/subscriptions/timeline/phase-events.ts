import {
  billedPrices,
  type InternationalPrice,
  type Plan,
  type PlanPhase,
  priceOf,
} from '../../catalog/index.ts';
import {
  type Account,
  type LifecycleEvent,
  LifecycleEventType,
  type PhaseType,
  PhaseType as PhaseTypes,
} from '../../records/index.ts';
import { assertInvariant, BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { DatedInstant, Instant, TimeZone } from '../../values/time/index.ts';
import {
  bareDraft,
  beginsPhase,
  type EventDraft,
  findPlanChoiceTime,
  inTimeOrder,
  isEnd,
  isPlanChoice,
} from './lifecycle-events.ts';
import { currentPhase, type PhaseStart, phaseEnd, phaseTimeline } from './phase-timeline.ts';
import {
  eventsInEffect,
  type PlanResolver,
  type PriceChangeSource,
  planWithPhase,
  priceSteps,
  transitionsOf,
} from './transitions.ts';

interface InitialEventsInput {
  readonly plan: Plan;
  readonly priceListName: string;
  readonly billing: DatedInstant;
  /** Instant from which the phases are measured. The create alignment determines it. */
  readonly anchor: DatedInstant;
  readonly phaseType: PhaseType | null;
  readonly billCycleDay: number | null;
  readonly quantity: number | null;
  /** The reason that is stored as text with CREATE, or null if all alignments give the same date. */
  readonly reason: string | null;
  readonly now: Instant;
  readonly zone: TimeZone;
}

/**
 * Returns the events that a creation stores, in order (§6.2 rule 13): CREATE in the phase of the billing date, the
 * requested bill cycle day and quantity, then the phases.
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
      // The expiry is the billing date plus the duration, not the end of the phase on the timeline (§5 rule 8).
      expiryOfCurrent: () => expiryOnCreation(current, input),
      expiryOf: (last) => expiryAfterPhase(last, input.anchor, input.zone),
    }),
  ];
}

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

interface PhasesAfterInput {
  readonly timeline: readonly PhaseStart[];
  /** The phase in which the plan begins. It must be an element of `timeline`. */
  readonly current: PhaseStart;
  readonly now: Instant;
  /** Returns the expiry if `current` is the last phase, or undefined if that phase does not end. */
  readonly expiryOfCurrent: () => EventDraft | undefined;
  /** Returns the expiry for a last phase that begins after `current`. */
  readonly expiryOf: (last: PhaseStart) => EventDraft | undefined;
}

/**
 * Returns a PHASE event for every phase that has begun by now and for the next phase. If there is no next phase,
 * returns the EXPIRED event of the plan instead (§5 rules 7, 8).
 */
export function phasesAfter(input: PhasesAfterInput): readonly EventDraft[] {
  const later = input.timeline.slice(input.timeline.indexOf(input.current) + 1);
  const begun = later.filter((entry) => entry.start.at <= input.now);
  const drafts = later.slice(0, begun.length + 1).map(phaseDraft);
  const last = begun.at(-1);
  if (begun.length < later.length) return drafts;
  const expiry = last === undefined ? input.expiryOfCurrent() : input.expiryOf(last);
  return expiry === undefined ? drafts : [...drafts, expiry];
}

function phaseDraft(entry: PhaseStart): EventDraft {
  return { ...bareDraft(LifecycleEventType.PHASE, entry.start), phaseName: entry.phase.name };
}

/**
 * Returns an EXPIRED event at the end of a final FIXEDTERM phase that began with a PHASE event. Otherwise returns
 * undefined (§5 rule 8).
 */
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

interface NextPhaseInput {
  /** Active events of one subscription. They may be stored or derived. */
  readonly events: readonly LifecycleEvent[];
  /** A PHASE event, which is one of `events`. */
  readonly phaseEvent: LifecycleEvent;
  readonly plans: PlanResolver;
  readonly zone: TimeZone;
}

/**
 * Returns the PHASE after a PHASE, or the EXPIRED of a final FIXEDTERM phase (§5 rules 7, 8). Undefined if the plan
 * ends or changes first, or if the event exists. The result depends on the input only, so derived events and events
 * stored later are equal. Uses the catalog of the event's own date (§21) and measures from the start of this phase
 * (§5 rule 1), so later versions do not move phases that have begun.
 */
export function followingPhaseEvent(input: NextPhaseInput): EventDraft | undefined {
  const { events, phaseEvent, plans, zone } = input;
  const ordered = inTimeOrder(events);
  const position = ordered.indexOf(phaseEvent);
  const choice = ordered.slice(0, position + 1).findLast(isPlanChoice);
  assertInvariant(
    choice?.planName && choice.phaseAnchor,
    `PHASE event ${phaseEvent.id} has no earlier event with a plan and a phase anchor`,
    { eventId: phaseEvent.id, subscriptionId: phaseEvent.subscriptionId },
  );
  const { planName, phaseAnchor: anchor } = choice;
  const chosen = { at: choice.effective.at, decided: findPlanChoiceTime(choice) };
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

/** Returns true if the next PHASE event or expiry already exists, or if the plan ends before `following`. */
function isSettled(later: readonly LifecycleEvent[], following: EventDraft): boolean {
  for (const event of later) {
    const isBefore = event.effective.at <= following.effective.at;
    if (isPlanChoice(event)) return isBefore;
    if (event.type === LifecycleEventType.PHASE || event.type === following.type) return true;
    if (isEnd(event) && isBefore) return true;
  }
  return false;
}

/** A number above every stored record id. It sorts derived events after stored events of the same instant. */
const ABOVE_RECORD_IDS = 2 ** 52;

/**
 * Adds the events that are not stored yet. The storage contains only the next PHASE (§5 rule 7), but billing ahead
 * needs all phases and the expiry. A derived event has the id of the stored PHASE before it, for computation only.
 */
export function withDerivedPhases(
  active: readonly LifecycleEvent[],
  plans: PlanResolver,
  zone: TimeZone,
): readonly LifecycleEvent[] {
  const stored = eventsInEffect(active);
  let events = stored;
  let sequence = stored.reduce((last, event) => Math.max(last, event.sequence), 0);
  for (const source of lastPhases(stored)) {
    let phaseEvent = source;
    while (phaseEvent.type === LifecycleEventType.PHASE) {
      const draft = followingPhaseEvent({ events, phaseEvent, plans, zone });
      if (draft === undefined) break;
      sequence += 1;
      phaseEvent = { ...source, ...draft, recordId: derivedRecordId(source.recordId), sequence };
      events = [...events, phaseEvent];
    }
  }
  return events;
}

function lastPhases(ordered: readonly LifecycleEvent[]): readonly LifecycleEvent[] {
  const relevant = ordered.filter(beginsPhase);
  return relevant.filter((event, index) => {
    const next = relevant[index + 1];
    return event.type === LifecycleEventType.PHASE && (next === undefined || isPlanChoice(next));
  });
}

export function derivedRecordId(recordId: number): number {
  return recordId < ABOVE_RECORD_IDS ? ABOVE_RECORD_IDS + recordId : recordId;
}

interface BillableTermsInput {
  readonly account: Pick<Account, 'id' | 'currency' | 'timeZone'>;
  readonly events: readonly LifecycleEvent[];
  readonly plans: PlanResolver & PriceChangeSource;
  /**
   * Phases before this instant are not checked, because they were accepted earlier. By default, all phases are checked.
   */
  readonly from?: Instant;
}

/**
 * Checks that every future phase has a price in the account's currency, in every known catalog version. Otherwise
 * invoicing would fail later (ruling R37).
 * @throws BillingError CATALOG_NO_PRICE_FOR_CURRENCY (2010), CATALOG_PRICE_VALUE_NULL_FOR_CURRENCY (2011),
 * CURRENCY_INVALID (3) for an account without currency.
 */
export function checkBillable({ account, events, plans, from }: BillableTermsInput): void {
  const zone = account.timeZone;
  const transitions = transitionsOf(withDerivedPhases(events, plans, zone), plans);
  const changes = plans.priceChangeEvents({ steps: priceSteps(transitions), zone });
  const coming = [
    ...transitions.flatMap(({ event, next }) =>
      next === null ? [] : { effective: event.effective, phase: next.phase },
    ),
    ...changes,
  ];
  const checked = new Set<PlanPhase>();
  for (const { effective, phase } of coming) {
    if (checked.has(phase) || (from !== undefined && effective.at < from)) continue;
    checked.add(phase);
    checkPhase(phase, account);
  }
}

function checkPhase(phase: PlanPhase, { id: accountId, currency }: BillableTermsInput['account']): void {
  if (currency === null) throw needsCurrency(phase, accountId);
  for (const price of billedPrices(phase)) checkPrice(price, phase, currency);
}

/**
 * Returns true if the phase needs a currency. Even a free phase needs one, because it creates an invoice item and every
 * invoice has a currency.
 */
function needsCurrency({ name: phaseName }: PlanPhase, accountId: Account['id']): BillingError {
  return billingError(
    ErrorCode.CURRENCY_INVALID,
    `Account ${accountId} has no currency, which phase ${phaseName} needs to be invoiced; create the account with a currency`,
    { accountId, phaseName },
  );
}

function checkPrice(
  price: InternationalPrice,
  { name: phaseName }: PlanPhase,
  currency: NonNullable<Account['currency']>,
): void {
  try {
    priceOf(price, currency);
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    throw billingError(error.code, `Phase ${phaseName} is not sold in ${currency}: ${error.message}`, {
      ...error.facts,
      phaseName,
    });
  }
}
