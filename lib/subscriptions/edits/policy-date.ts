import { BillingActionPolicy, LifecycleEventType } from '../../records/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import { shortened } from '../../values/text/index.ts';
import {
  addPeriod,
  BillingPeriod,
  type DatedInstant,
  type Instant,
  isMonthBased,
  withDayOfMonth,
} from '../../values/time/index.ts';
import type { TimedPolicy } from '../requests/change-request.ts';
import { billCycleDayOf } from '../timeline/bill-cycle-day.ts';
import { atReferenceTime, datedInstant, raisedTo } from '../timeline/dated-instants.ts';
import { isPlanChoice } from '../timeline/lifecycle-events.ts';
import { type Transition, transitionAt } from '../timeline/transitions.ts';
import { firstTransitionOf, planOf, type RunningSubscription } from './running-subscription.ts';

/**
 * When a change or cancellation takes effect by a billing policy (§8): never before the start of the current phase, nor
 * before a billing start that is still to come.
 */
export function policyDate(policy: TimedPolicy, running: RunningSubscription, now: Instant): DatedInstant {
  return raisedTo(candidate(policy, running, now), phaseStart(running, now));
}

/** The date up to which the subscription is invoiced, if that is later than now; else now. */
export function endOfTerm(running: RunningSubscription, now: Instant): DatedInstant {
  const { chargedThrough } = running.subscription;
  if (chargedThrough !== null && chargedThrough.at > now) return chargedThrough;
  return datedInstant(null, now, running.account);
}

function candidate(policy: TimedPolicy, running: RunningSubscription, now: Instant): DatedInstant {
  switch (policy) {
    case BillingActionPolicy.IMMEDIATE:
      return datedInstant(null, now, running.account);
    case BillingActionPolicy.END_OF_TERM:
      return endOfTerm(running, now);
    case BillingActionPolicy.START_OF_TERM:
      return startOfTerm(running, now);
    default:
      return neverPolicy(policy);
  }
}

function startOfTerm(running: RunningSubscription, now: Instant): DatedInstant {
  const { account, subscription, transitions } = running;
  const { chargedThrough } = subscription;
  if (chargedThrough === null) return firstTransitionOf(running).event.effective;
  if (chargedThrough.at <= now) return chargedThrough;
  const inForce = planOf(running, now);
  const period = inForce.plan.billingPeriod;
  if (period === BillingPeriod.NO_BILLING_PERIOD) return datedInstant(null, now, account);
  let start = chargedThrough;
  for (let periods = -1; start.at > now; periods -= 1) {
    start = atReferenceTime(addPeriod(chargedThrough.date, period, periods), account);
  }
  if (!isMonthBased(period)) return start;
  const requested = transitionAt(transitions, now)?.billCycleDay ?? null;
  const { day } = billCycleDayOf(inForce, requested, running.billCycleDays);
  return atReferenceTime(withDayOfMonth(start.date, day), account);
}

function phaseStart(running: RunningSubscription, now: Instant): DatedInstant {
  const begun = running.transitions.findLast((each) => bringsPhase(each) && each.event.effective.at <= now);
  return (begun ?? firstTransitionOf(running)).event.effective;
}

function bringsPhase({ event }: Transition): boolean {
  return isPlanChoice(event) || event.type === LifecycleEventType.PHASE;
}

/** Callers whose code no compiler checks may name any. */
function neverPolicy(policy: never): never {
  throw invalidParameter(
    `billingPolicy ${shortened(String(policy))} is none of IMMEDIATE, END_OF_TERM and START_OF_TERM`,
  );
}
