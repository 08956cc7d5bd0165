import type { Account, LifecycleEvent, Subscription } from '../../records/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  formatInstant,
  formatLocalDate,
  type Instant,
  type LocalDate,
  maxInstant,
  type RequestedDate,
} from '../../values/time/index.ts';
import { timelinesOf } from '../add-ons/base-end.ts';
import { atReferenceTime } from '../timeline/dated-instants.ts';
import {
  type PlanInForce,
  type PlanResolver,
  type Transition,
  transitionAt,
} from '../timeline/transitions.ts';

export interface PlanAtInput {
  readonly subscription: Subscription;
  /** The subscription and, for an add-on, its base. */
  readonly members: readonly Subscription[];
  /** Their active lifecycle events. */
  readonly events: readonly LifecycleEvent[];
  readonly plans: PlanResolver;
  readonly account: Pick<Account, 'timeZone' | 'referenceTime'>;
  /** An instant, or a day in the account's calendar. */
  readonly requested: RequestedDate;
}

/**
 * The plan, phase and price list of a subscription at an instant or on a day, past or future, with the prices that it has
 * there, price changes for existing subscriptions included (catalog §12 rule 5).
 * @throws BillingError SUBSCRIPTION_INVALID_REQUESTED_DATE (1001) before its billing starts and from its end on.
 */
export function planAt(input: PlanAtInput): PlanInForce {
  const { subscription, members, events, plans, account, requested } = input;
  const zone = account.timeZone;
  const subscriptionId = subscription.id;
  const eventsOfMember = Map.groupBy(events, (event) => event.subscriptionId);
  const timelines = timelinesOf(
    members.map((member) => ({ subscription: member, events: eventsOfMember.get(member.id) ?? [] })),
    { plans, zone },
  );
  const timeline = timelines.find((each) => each.subscription.id === subscriptionId);
  const transitions = timeline?.transitions ?? [];
  const transition =
    'at' in requested ? transitionAt(transitions, requested.at) : transitionOn(transitions, requested.date);
  if (!transition?.next) throw noPlan(subscriptionId, requested, transition !== undefined);
  const at = 'at' in requested ? requested.at : instantOfDay(requested.date, transition, account);
  const { next } = transition;
  const { version, plan } = plans.resolvePlan(next.plan.name, at, {
    at: next.chosenAt,
    decided: next.decided,
  });
  const phase = plan.phases.find(({ type }) => type === next.phase.type);
  assertInvariant(phase, `Plan ${plan.name} has no phase ${next.phase.type}`, { planName: plan.name });
  return { ...next, version, plan, phase };
}

/** The last change that the day has seen: a change counts from the start of its own date. */
function transitionOn(transitions: readonly Transition[], date: LocalDate): Transition | undefined {
  return transitions.findLast((transition) => transition.event.effective.date <= date);
}

/** The day's own instant (§2 rule 2), but not before the change that counts on that day. */
function instantOfDay(date: LocalDate, { event }: Transition, account: PlanAtInput['account']): Instant {
  return maxInstant(atReferenceTime(date, account).at, event.effective.at);
}

function noPlan(subscriptionId: Uuid, requested: RequestedDate, hasStarted: boolean): BillingError {
  const shown = 'at' in requested ? formatInstant(requested.at) : formatLocalDate(requested.date);
  const when = hasStarted ? 'at its end or later' : 'before its start';
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE,
    message: `Subscription ${subscriptionId} has no plan at ${shown}, which is ${when}`,
    facts: { subscriptionId, requestedDate: shown },
  });
}
