import { assertInvariant, BillingError, ErrorCode } from '../errors/index.ts';
import { formatInstant, type Instant, type TimeZone } from '../time/index.ts';
import { timelinesOf } from './bundle-timelines.ts';
import { withDerivedPhases } from './derived-phases.ts';
import type { LifecycleEvent, Subscription } from './model.ts';
import { type PlanInForce, type PlanResolver, transitionAt } from './transitions.ts';

export interface PlanAtInput {
  readonly subscription: Subscription;
  /** It and, of an add-on, its base. */
  readonly members: readonly Subscription[];
  /** Their active lifecycle events. */
  readonly events: readonly LifecycleEvent[];
  readonly plans: PlanResolver;
  /** Zone of the account. */
  readonly zone: TimeZone;
  readonly at: Instant;
}

/**
 * The plan, phase and price list of a subscription at an instant, past or future, with the prices that it has there: a
 * price change for existing subscriptions is in them (catalog.md §12 rule 5).
 * @throws BillingError SUBSCRIPTION_INVALID_REQUESTED_DATE (1001) before its billing starts and from its end on.
 */
export function planAt({ subscription, members, events, plans, zone, at }: PlanAtInput): PlanInForce {
  const subscriptionId = subscription.id;
  const eventsOfMember = Map.groupBy(events, (event) => event.subscriptionId);
  const timelines = timelinesOf(
    members.map((member) => ({ subscription: member, events: eventsOfMember.get(member.id) ?? [] })),
    { plans, eventsOf: (own) => withDerivedPhases({ events: own, plans, zone }) },
  );
  const timeline = timelines.find((each) => each.subscription.id === subscriptionId);
  const transition = transitionAt(timeline?.transitions ?? [], at);
  if (!transition?.next) {
    const when = transition === undefined ? 'before its start' : 'at its end or later';
    throw new BillingError({
      code: ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE,
      message: `Subscription ${subscriptionId} has no plan at ${formatInstant(at)}, which is ${when}`,
      facts: { subscriptionId, requestedDate: formatInstant(at) },
    });
  }
  const { next } = transition;
  const { version, plan } = plans.resolvePlan(next.plan.name, at, {
    at: next.chosenAt,
    decided: next.decided,
  });
  const phase = plan.phases.find(({ type }) => type === next.phase.type);
  assertInvariant(phase, `Plan ${plan.name} has no phase ${next.phase.type}`, { planName: plan.name });
  return { ...next, version, plan, phase };
}
