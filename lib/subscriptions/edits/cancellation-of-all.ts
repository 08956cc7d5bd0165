import {
  BillingActionPolicy,
  EntitlementState,
  LifecycleEventType,
  ProductCategory,
} from '../../records/index.ts';
import type { DatedInstant, Instant, RequestedDate } from '../../values/time/index.ts';
import { entitlementEnds } from '../add-ons/base-end.ts';
import { datedInstant, raisedTo } from '../timeline/dated-instants.ts';
import type { EditTools } from '../timeline/edit-tools.ts';
import { DatedBy, datedBy } from '../timeline/event-reason.ts';
import { isEnd } from '../timeline/lifecycle-order.ts';
import { transitionAt } from '../timeline/transitions.ts';
import { cancellationEdit } from './cancellation-edit.ts';
import { entitlementStartOf, type RunningSubscription, stateOf } from './running-subscription.ts';
import type { SubscriptionEdit } from './subscription-edit.ts';

/** How all subscriptions of an account end (§9 rule 9). */
export interface EndOfAll {
  /** When the service ends, past or future: a local date is that date at reference time; null = now. */
  readonly requested: RequestedDate | null;
  /** When billing ends: with the service, or at the end of what is invoiced beyond it. */
  readonly billingPolicy: typeof BillingActionPolicy.IMMEDIATE | typeof BillingActionPolicy.END_OF_TERM;
  /** What becomes of a subscription whose end of billing is planned already. */
  readonly planned: 'KEPT' | 'MOVED_FORWARD';
}

/**
 * Ends one of the subscriptions of an account; null if nothing has to be stored: for an add-on, which follows its base,
 * one that has ended, and one that ends by then already. Nobody is asked for another date, so it never refuses: what
 * cannot end as early as it should ends as early as it can.
 */
export function cancellationOfAll(
  running: RunningSubscription,
  { requested, billingPolicy, planned }: EndOfAll,
  tools: EditTools,
): SubscriptionEdit | null {
  const { subscription, account, transitions } = running;
  if (subscription.category === ProductCategory.ADD_ON) return null;
  const isPlanned = transitions.some(({ event }) => event.type === LifecycleEventType.CANCEL);
  if (planned === 'KEPT' && isPlanned) return null;
  const state = stateOf(running, tools.now);
  if (state === EntitlementState.CANCELLED || state === EntitlementState.EXPIRED) return null;

  const asked = datedInstant(requested, tools.now, account);
  const entitlement = earlierService(running, raisedTo(asked, entitlementStartOf(running)));
  const billed = billingPolicy === BillingActionPolicy.IMMEDIATE ? asked : endOfInvoiced(running, asked);
  const billing = earlierBilling(running, billed, tools.now);
  if (entitlement === null && billing === null) return null;
  const reason = { ...datedBy(DatedBy.REQUESTED_POLICY), policy: billingPolicy };
  return cancellationEdit(running, { entitlement, billing, reason }, tools);
}

/** The end of service to store; null if the one that is planned comes no later. */
function earlierService(running: RunningSubscription, end: DatedInstant): DatedInstant | null {
  const [planned] = entitlementEnds(running);
  return planned !== undefined && planned.effective.at <= end.at ? null : end;
}

/**
 * The end of billing to store, not before what has taken effect of it; null if the one that is planned comes no later, or
 * if billing has ended. An expiry that comes before is cancelled as well, where it is.
 */
function earlierBilling(
  { transitions }: RunningSubscription,
  end: DatedInstant,
  now: Instant,
): DatedInstant | null {
  const last = transitionAt(transitions, now) ?? transitions[0];
  if (last !== undefined && isEnd(last.event)) return null;
  const possible = last === undefined ? end : raisedTo(end, last.event.effective);
  const planned = transitions.find(({ event }) => isEnd(event))?.event;
  if (planned === undefined || planned.effective.at > possible.at) return possible;
  return planned.type === LifecycleEventType.EXPIRED ? planned.effective : null;
}

/** The date up to which the subscription is invoiced, if that is later than its end; else its end. */
function endOfInvoiced({ subscription: { chargedThrough } }: RunningSubscription, end: DatedInstant) {
  return chargedThrough !== null && chargedThrough.at > end.at ? chargedThrough : end;
}
