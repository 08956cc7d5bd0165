import type { CatalogWithOverrides } from '../../catalog/index.ts';
import {
  type Account,
  type BlockingState,
  EntitlementState,
  type LifecycleEvent,
  LifecycleEventType,
  type Subscription,
} from '../../records/index.ts';
import { type Instant, type LocalDate, minDate } from '../../values/time/index.ts';
import { historiesOf, statesAsRead, timelinesOf } from '../add-ons/base-end.ts';
import {
  type BlockHistory,
  blockHistory,
  entitlementEnd,
  entitlementStart,
  isEntitlementBound,
  nextStateAfter,
  subscriptionStateAt,
} from '../blocking/states-in-force.ts';
import { billCycleDayOf, billCycleDaySources } from '../timeline/bill-cycle-day.ts';
import { beginsPhase } from '../timeline/lifecycle-events.ts';
import { readablePlans } from '../timeline/readable-plans.ts';
import { type PlanInForce, planShownAt, type Transition, transitionAt } from '../timeline/transitions.ts';

/** A bill cycle of a subscription that applies from a date on. */
export interface ServiceCycle {
  readonly from: LocalDate;
  /** Bill cycle day, 1 to 31. */
  readonly day: number;
  readonly inForce: PlanInForce;
  /**
   * True if a new plan, phase or bill cycle day takes effect and therefore starts a new billing period (invoicing §5.2
   * rule 5).
   */
  readonly beginsCycle: boolean;
}

/** The service of one subscription over time, including scheduled changes (§4.3, §14.2). */
export interface ServiceStream {
  readonly subscription: Subscription;
  /** The first day of billing or of service, whichever is earlier. */
  readonly start: LocalDate;
  readonly cycles: readonly ServiceCycle[];
  readonly transitions: readonly Transition[];
  /** Start and end of the service. */
  readonly bounds: readonly BlockingState[];
  readonly blocks: readonly BlockHistory[];
}

export interface ServiceInput {
  readonly account: Pick<Account, 'id' | 'billCycleDayLocal' | 'timeZone'>;
  /** All subscriptions of the account. */
  readonly subscriptions: readonly Subscription[];
  readonly events: readonly LifecycleEvent[];
  /** Active states of the account, its bundles and its subscriptions. */
  readonly blockingStates: readonly BlockingState[];
  readonly plans: CatalogWithOverrides;
}

/** Returns the services of an account's subscriptions. Omits subscriptions without events. */
export function serviceStreams(input: ServiceInput): readonly ServiceStream[] {
  const { account, subscriptions, events, blockingStates } = input;
  const plans = readablePlans(input.plans);
  const histories = historiesOf(subscriptions, events, blockingStates);
  const timelines = timelinesOf(histories, { plans, zone: account.timeZone });
  const sources = billCycleDaySources(timelines, account);
  const statesOf = Map.groupBy(blockingStates, ({ blockedId }) => blockedId);
  const blocksOf = new Map([...statesOf].map(([id, states]) => [id, blockHistory(states)]));
  return timelines.flatMap((timeline): readonly ServiceStream[] => {
    const { subscription, transitions, baseEnd } = timeline;
    const own = sources.get(subscription.id);
    const first = transitions[0];
    if (own === undefined || first === undefined) return [];
    const bounds = statesAsRead(timeline, baseEnd).filter(isEntitlementBound);
    const serviceStart = entitlementStart({ subscriptionId: subscription.id, blockingStates: bounds });
    const billingStart = first.event.effective.date;
    const start = minDate(billingStart, serviceStart?.date ?? billingStart);
    const cycles = transitions.flatMap(({ event, next, billCycleDay }): readonly ServiceCycle[] => {
      if (next === null) return [];
      const { day } = billCycleDayOf(next, billCycleDay, own);
      const beginsCycle = beginsPhase(event) || event.type === LifecycleEventType.BCD_CHANGE;
      return [{ from: event.effective.date, day, inForce: next, beginsCycle }];
    });
    const blocks = [subscription.id, subscription.bundleId, account.id].flatMap(
      (id) => blocksOf.get(id) ?? [],
    );
    return [{ subscription, start, cycles, transitions, bounds, blocks }];
  });
}

/** The terms of a service that is on. */
export interface ServiceTerms {
  readonly inForce: PlanInForce;
  readonly quantity: number;
}

/**
 * Returns the plan and the quantity of the service at an instant. Returns null if the service is off, which is the case
 * before its start, from its end on, and while a blocking state blocks the entitlement. The plan comes from the version
 * in force (catalog §6.2).
 */
export function serviceAt(
  stream: ServiceStream,
  plans: CatalogWithOverrides,
  at: Instant,
): ServiceTerms | null {
  const { subscription, transitions, bounds, blocks } = stream;
  const state = subscriptionStateAt(
    { subscriptionId: subscription.id, transitions, blockingStates: bounds, inherited: blocks },
    at,
  );
  const shown = planShownAt(transitions, at);
  if (state !== EntitlementState.ACTIVE || shown === null) return null;
  const quantity = (transitionAt(transitions, at) ?? transitions[0])?.quantity ?? 1;
  const chosen = { at: shown.chosenAt, decided: shown.decided };
  const { version, plan } = readablePlans(plans).resolvePlan(shown.plan.name, at, chosen);
  const phase = plan.phases.find(({ type }) => type === shown.phase.type);
  return { inForce: phase === undefined ? shown : { ...shown, version, plan, phase }, quantity };
}

/**
 * Returns the first instant after `at` at which the terms of the service can change, or null if they can no longer
 * change.
 */
export function nextServiceChange(
  { subscription, transitions, bounds, blocks }: ServiceStream,
  plans: CatalogWithOverrides,
  at: Instant,
): Instant | null {
  const states = { subscriptionId: subscription.id, blockingStates: bounds };
  const shown = planShownAt(transitions, at);
  const changes = [
    entitlementStart(states)?.at,
    entitlementEnd(states)?.at,
    transitions.find(({ event }) => event.effective.at > at)?.event.effective.at,
    ...blocks.map((history) => nextStateAfter(history, at)),
    shown === null ? undefined : plans.nextVersionChange(shown, at),
  ];
  return earliestAfter(at, changes);
}

/** Returns the earliest of the instants after `at`, or null if no instant is after `at`. */
export function earliestAfter(
  at: Instant,
  instants: readonly (Instant | null | undefined)[],
): Instant | null {
  let earliest: Instant | null = null;
  for (const each of instants) {
    if (each != null && each > at && (earliest === null || each < earliest)) earliest = each;
  }
  return earliest;
}
