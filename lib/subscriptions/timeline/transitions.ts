import type {
  Catalog,
  CatalogVersion,
  CatalogWithOverrides,
  LastPlanChange,
  Plan,
  PlanEnd,
  PlanPhase,
  PlanStep,
  PlanTimeline,
  ResolvedPlan,
} from '../../catalog/index.ts';
import { EntitlementState, type LifecycleEvent, LifecycleEventType } from '../../records/index.ts';
import { assertInvariant, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';
import {
  beginsPhase,
  findPlanChoiceTime,
  inTimeOrder,
  isEnd,
  isMarker,
  isPlanChoice,
  isStart,
} from './lifecycle-events.ts';

export interface PlanInForce {
  readonly version: CatalogVersion;
  readonly plan: Plan;
  readonly phase: PlanPhase;
  readonly priceListName: string;
  /** Date of the last CREATE, TRANSFER or CHANGE. */
  readonly chosenAt: Instant;
  /** The time at which the choice of plan was recorded, regardless of its effective date. */
  readonly decided: Instant;
}

type BillingState = Extract<EntitlementState, 'ACTIVE' | 'CANCELLED' | 'EXPIRED'>;

/** A lifecycle event with the terms that apply before and after it (§4.2). */
export interface Transition {
  readonly event: LifecycleEvent;
  readonly previous: PlanInForce | null;
  readonly next: PlanInForce | null;
  /** Bill cycle day of the latest BCD_CHANGE up to this instant, even if that change is sorted after the event. */
  readonly billCycleDay: number | null;
  /** Quantity of the latest QUANTITY_CHANGE up to this instant, even if that change is sorted after the event. */
  readonly quantity: number | null;
  readonly state: BillingState;
}

/**
 * Returns the events that take effect, in time order. Excludes markers and everything after the end (§4.1, §4.2 rule
 * 1). A PHASE at the instant of the end is included, because it takes effect first. Returns an empty list if the first
 * event is neither CREATE nor TRANSFER.
 */
export function eventsInEffect(events: readonly LifecycleEvent[]): readonly LifecycleEvent[] {
  const ordered = upToEnd(inTimeOrder(events.filter((event) => !isMarker(event))));
  const first = ordered[0];
  return first === undefined || !isStart(first) ? [] : ordered;
}

/**
 * Returns the transitions of one subscription in time order (§4.1, §4.2). Their plans are resolved according to §13
 * rule 2.
 */
export function transitionsOf(events: readonly LifecycleEvent[], plans: PlanResolver): readonly Transition[] {
  const ordered = eventsInEffect(events);
  let previous: PlanInForce | null = null;
  let billCycleDay: number | null = null;
  let quantity: number | null = null;
  let seen = 0;
  return ordered.map((event): Transition => {
    // All events at the same instant apply, regardless of their sequence (§4.2 rule 3).
    for (; isUpTo(ordered[seen], event.effective.at); seen += 1) {
      billCycleDay = ordered[seen]?.billCycleDay ?? billCycleDay;
      quantity = ordered[seen]?.quantity ?? quantity;
    }
    const before = previous;
    const next = nextOf(event, before, plans);
    previous = next;
    return { event, previous: before, next, billCycleDay, quantity, state: stateAfter(event) };
  });
}

/** Returns the transition in effect at `at`, or undefined if billing has not started. */
export function transitionAt(transitions: readonly Transition[], at: Instant): Transition | undefined {
  return transitions.findLast((transition) => transition.event.effective.at <= at);
}

/**
 * Returns the plan to show. Before billing starts this is the first plan, and after billing has ended it is the last
 * plan (§4.4, §18 rule 6).
 */
export function planShownAt(transitions: readonly Transition[], at: Instant): PlanInForce | null {
  const transition = transitionAt(transitions, at) ?? transitions[0];
  return transition?.next ?? transition?.previous ?? null;
}

/** Returns the billing state at `at` (§4.3). */
export function billingStateAt(
  transitions: readonly Transition[],
  at: Instant,
): BillingState | typeof EntitlementState.PENDING {
  return transitionAt(transitions, at)?.state ?? EntitlementState.PENDING;
}

function isUpTo(event: LifecycleEvent | undefined, at: Instant): boolean {
  return event !== undefined && event.effective.at <= at;
}

function upToEnd(ordered: readonly LifecycleEvent[]): readonly LifecycleEvent[] {
  const end = ordered.find(isEnd);
  if (end === undefined) return ordered;
  return ordered.filter(
    (event) =>
      event === end || isStart(event) || event.effective.at < end.effective.at || isPhaseAt(event, end),
  );
}

function isPhaseAt(event: LifecycleEvent, end: LifecycleEvent): boolean {
  return (
    event.type === LifecycleEventType.PHASE &&
    event.effective.at === end.effective.at &&
    event.sequence < end.sequence
  );
}

/** Returns the transitions without a PHASE at the instant of the end, because such a PHASE bills nothing. */
export function billedTransitions(transitions: readonly Transition[]): readonly Transition[] {
  const end = transitions.find(({ event }) => isEnd(event))?.event;
  return end === undefined ? transitions : transitions.filter(({ event }) => !isPhaseAt(event, end));
}

function nextOf(event: LifecycleEvent, previous: PlanInForce | null, plans: PlanResolver) {
  if (isEnd(event)) return null;
  const at = event.effective.at;
  const planName = isPlanChoice(event) ? event.planName : previous?.plan.name;
  const phaseName = event.phaseName ?? previous?.phase.name;
  const priceListName = isPlanChoice(event) ? event.priceListName : previous?.priceListName;
  const chosenAt = isPlanChoice(event) ? at : previous?.chosenAt;
  const decided = isPlanChoice(event) ? findPlanChoiceTime(event) : previous?.decided;
  assertInvariant(
    planName && phaseName && priceListName && chosenAt !== undefined && decided !== undefined,
    `${event.type} event ${event.id} of subscription ${event.subscriptionId} has no plan, phase or price list`,
    { eventId: event.id, subscriptionId: event.subscriptionId },
  );

  const chosen = { at: chosenAt, decided };
  const { version, plan, phase } = planWithPhase(plans, { planName, phaseName, at, chosen });
  return { version, plan, phase, priceListName, chosenAt, decided };
}

function stateAfter(event: LifecycleEvent): BillingState {
  if (event.type === LifecycleEventType.CANCEL) return EntitlementState.CANCELLED;
  if (event.type === LifecycleEventType.EXPIRED) return EntitlementState.EXPIRED;
  return EntitlementState.ACTIVE;
}

/** Resolves the plans of running subscriptions from the catalog (catalog §6.2). */
export interface PlanResolver extends Pick<CatalogWithOverrides, 'resolvePlan' | 'versionAt'> {
  /**
   * Returns a placeholder for a plan that lacks the phase of the event. If this function is absent, a plan without the
   * phase causes an error.
   */
  readonly unknownPlan?: (planName: string) => ResolvedPlan;
}

interface NamedPhase {
  readonly planName: string;
  readonly phaseName: string | null;
  readonly at: Instant;
  readonly chosen: LastPlanChange;
}

/**
 * Returns the plan of a subscription with the phase of its event (catalog §6.2). Another catalog of the host may lack
 * the phase (§5 rule 3).
 * @throws BillingError CATALOG_PLAN_NOT_FOUND (2020) for a missing phase, and the errors of `resolvePlan` (2020, 2050).
 */
export function planWithPhase(
  plans: PlanResolver,
  { planName, phaseName, at, chosen }: NamedPhase,
): ResolvedPlan & { readonly phase: PlanPhase } {
  const resolved = plans.resolvePlan(planName, at, chosen);
  const found = withPhase(resolved, phaseName) ?? withPhase(plans.unknownPlan?.(planName), phaseName);
  if (found !== undefined) return found;
  throw billingError(
    ErrorCode.CATALOG_PLAN_NOT_FOUND,
    `Plan "${planName}" of ${resolved.version.title} has no phase "${phaseName ?? ''}", which the subscription is in`,
    { planName, phaseName, at },
  );
}

function withPhase(resolved: ResolvedPlan | undefined, phaseName: string | null) {
  const phase = resolved?.plan.phases.find(({ name }) => name === phaseName);
  return resolved && phase && { ...resolved, phase };
}

export type PriceChangeSource = Pick<Catalog, 'priceChangeEvents'>;

export function priceSteps(transitions: readonly Transition[]): PlanTimeline['steps'] {
  return transitions.flatMap(stepOf);
}

function stepOf({ event, next }: Transition): readonly (PlanStep | PlanEnd)[] {
  const { effective } = event;
  if (isEnd(event) || next === null) return [{ kind: 'END', effective }];
  if (!beginsPhase(event)) return [];
  const kind = isPlanChoice(event) ? 'PLAN' : 'PHASE';
  return [{ kind, effective, planName: next.plan.name, decided: next.decided, phase: next.phase }];
}
