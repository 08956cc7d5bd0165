import { assertInvariant, BillingError, ErrorCode } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import { formatInstant, type Instant, type TimeZone } from '../time/index.ts';
import { withDerivedPhases } from './derived-phases.ts';
import type { LifecycleEvent } from './model.ts';
import { type PlanInForce, type PlanResolver, transitionAt, transitionsOf } from './transitions.ts';

export interface PlanAtInput {
  readonly subscriptionId: Uuid;
  /** Its active lifecycle events. */
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
export function planAt({ subscriptionId, events, plans, zone, at }: PlanAtInput): PlanInForce {
  const transition = transitionAt(transitionsOf(withDerivedPhases({ events, plans, zone }), plans), at);
  if (!transition?.next) {
    const when = transition === undefined ? 'before its start' : 'at its end or later';
    throw new BillingError({
      code: ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE,
      message: `Subscription ${subscriptionId} has no plan at ${formatInstant(at)}, which is ${when}`,
      facts: { subscriptionId, requestedDate: formatInstant(at) },
    });
  }
  const { next } = transition;
  const { version, plan } = plans.resolvePlan(next.plan.name, at, next.chosenAt);
  const phase = plan.phases.find(({ type }) => type === next.phase.type);
  assertInvariant(phase, `Plan ${plan.name} has no phase ${next.phase.type}`, { planName: plan.name });
  return { ...next, version, plan, phase };
}
