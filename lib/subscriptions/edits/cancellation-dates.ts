import { cancelPolicyOf } from '../../catalog/index.ts';
import { type CancelSubscriptionOptions, EntitlementActionPolicy } from '../../ports/index.ts';
import { BillingActionPolicy, type RuleDecision } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import {
  type DatedInstant,
  formatInstant,
  formatLocalDate,
  type Instant,
  type RequestedDate,
} from '../../values/time/index.ts';
import { timedPolicy } from '../requests/timed-policy.ts';
import { atReferenceTime, datedInstant, raisedTo } from '../timeline/dated-instants.ts';
import { DatedBy, datedBy, type EventReason } from '../timeline/event-reason.ts';
import { endOfTerm, policyDate } from './policy-date.ts';
import {
  entitlementStartOf,
  firstTransitionOf,
  planOf,
  type RunningSubscription,
} from './running-subscription.ts';

/** The ends of service and billing, in either order: billing may end before or after the service. */
export interface CancellationDates {
  readonly entitlement: DatedInstant;
  readonly billing: DatedInstant;
  /** Reason for the end of billing. */
  readonly reason: EventReason;
}

/**
 * When service and billing end (§9, the table).
 * @throws BillingError SUBSCRIPTION_INVALID_REQUESTED_DATE (1001), INVALID_PARAMETER (60002).
 */
export function cancellationDates(
  running: RunningSubscription,
  options: CancelSubscriptionOptions,
  now: Instant,
): CancellationDates {
  const { entitlementPolicy, useRequestedDateForBilling = false } = options;
  const billingPolicy = timedPolicy(options.billingPolicy);
  const requested = entitlementPolicy ? null : (options.requestedDate ?? null);
  if (requested !== null && 'at' in requested && billingPolicy === null) {
    const end = requestedInstant(running, requested, now);
    return { entitlement: end, billing: end, reason: datedBy(DatedBy.REQUESTED_DATE) };
  }
  const asked = requestedDay(running, requested, now);
  const entitlement = entitlementPolicy ? entitlementDate(entitlementPolicy, running, now) : asked;
  const ends = { entitlement: raisedTo(entitlement, entitlementStartOf(running)) };
  if (useRequestedDateForBilling && !entitlementPolicy && billingPolicy === null) {
    const billing = raisedTo(asked, firstTransitionOf(running).event.effective);
    return { ...ends, billing, reason: datedBy(DatedBy.REQUESTED_DATE) };
  }
  if (billingPolicy !== null) {
    const reason = { ...datedBy(DatedBy.REQUESTED_POLICY), policy: billingPolicy };
    return { ...ends, billing: policyDate(billingPolicy, running, now), reason };
  }
  const { result, conditions } = catalogPolicy(running, now);
  const policy = timedPolicy(result) ?? BillingActionPolicy.END_OF_TERM;
  const reason = { ...datedBy(DatedBy.CATALOG_RULE), policy, policyConditions: conditions };
  return { ...ends, billing: policyDate(policy, running, now), reason };
}

/** A requested instant ends both, whatever else the request says, and must lie in the life of both. */
function requestedInstant(
  running: RunningSubscription,
  requested: RequestedDate,
  now: Instant,
): DatedInstant {
  const end = datedInstant(requested, now, running.account);
  const starts = [entitlementStartOf(running), firstTransitionOf(running).event.effective];
  for (const start of starts) {
    if (end.at < start.at) throw beforeStart(running, formatInstant(end.at), formatInstant(start.at));
  }
  return end;
}

/** The requested date, or the date of the requested instant; now if neither is given. */
function requestedDay(
  running: RunningSubscription,
  requested: RequestedDate | null,
  now: Instant,
): DatedInstant {
  const dated = datedInstant(requested, now, running.account);
  if (requested === null) return dated;
  const start = entitlementStartOf(running);
  if (dated.date < start.date)
    throw beforeStart(running, formatLocalDate(dated.date), formatLocalDate(start.date));
  return atReferenceTime(dated.date, running.account);
}

function entitlementDate(
  policy: EntitlementActionPolicy,
  running: RunningSubscription,
  now: Instant,
): DatedInstant {
  return policy === EntitlementActionPolicy.IMMEDIATE
    ? datedInstant(null, now, running.account)
    : endOfTerm(running, now);
}

/** The policy by the rule for the current plan and phase, from the version that supplies the plan (§9 rule 3). */
function catalogPolicy(running: RunningSubscription, now: Instant): RuleDecision<BillingActionPolicy> {
  const { plan, phase, priceListName, chosenAt, decided } = planOf(running, now);
  const ruled = {
    planName: plan.name,
    phaseType: phase.type,
    priceListName,
    lastPlanChange: chosenAt,
    decided,
  };
  return cancelPolicyOf(running.catalog, ruled, now);
}

function beforeStart({ subscription }: RunningSubscription, end: string, start: string): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE,
    message: `Subscription ${subscription.id} cannot end on ${end}, before its start on ${start}`,
    facts: { subscriptionId: subscription.id, requestedDate: end },
  });
}
