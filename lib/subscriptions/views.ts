import type { Account } from '../accounts/model.ts';
import type { PhaseType, ProductCategory } from '../catalog/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { BillingPeriod, DatedInstant, Instant } from '../time/index.ts';
import { statesAsRead } from './base-end.ts';
import type { BillCycleDaySources } from './bill-cycle-day.ts';
import { billCycleDaySources } from './bill-cycle-sources.ts';
import { timelinesOf } from './bundle-timelines.ts';
import { billingEnd, billingStart, quantityAt, shownBillCycleDay, sourceTypeOf } from './computed-fields.ts';
import type {
  BlockingState,
  Bundle,
  EntitlementState,
  LifecycleEvent,
  SourceType,
  Subscription,
  SubscriptionEventType,
} from './model.ts';
import { type PhasePrices, pricesMet } from './phase-prices.ts';
import { isKnown } from './readable-plans.ts';
import { type SubscriptionEvent, subscriptionEvents } from './subscription-event-list.ts';
import { entitlementEnd, entitlementStart, subscriptionStateAt } from './subscription-state.ts';
import { type PlanResolver, planShownAt, type Transition } from './transitions.ts';

/** A bundle as callers read it (json-models.md §6). */
export interface BundleView {
  readonly accountId: Uuid;
  readonly bundleId: Uuid;
  readonly externalKey: string;
  readonly subscriptions: readonly SubscriptionView[];
  /** The rows of all its subscriptions in one order. */
  readonly timeline: readonly SubscriptionEventView[];
}

/** A subscription as callers read it at one instant; dates carry the instant and the local date. */
export interface SubscriptionView {
  readonly accountId: Uuid;
  readonly bundleId: Uuid;
  readonly bundleExternalKey: string;
  readonly subscriptionId: Uuid;
  readonly externalKey: string;
  /** Start of the service. */
  readonly start: DatedInstant | null;
  readonly productName: string | null;
  readonly productCategory: ProductCategory;
  readonly billingPeriod: BillingPeriod | null;
  readonly phaseType: PhaseType | null;
  readonly priceList: string | null;
  readonly planName: string | null;
  readonly state: EntitlementState;
  readonly sourceType: SourceType;
  /** End of the service, also a future one. */
  readonly cancelled: DatedInstant | null;
  readonly chargedThrough: DatedInstant | null;
  readonly billingStart: DatedInstant | null;
  readonly billingEnd: DatedInstant | null;
  readonly billCycleDayLocal: number | null;
  readonly quantity: number;
  readonly events: readonly SubscriptionEventView[];
  /** In the account's currency. */
  readonly prices: readonly PhasePrices[];
}

/** A row of the timeline. STOP_ rows name the plan that ended (subscriptions.md §18 rule 6). */
export interface SubscriptionEventView {
  readonly eventId: Uuid;
  readonly subscriptionId: Uuid;
  readonly eventType: SubscriptionEventType;
  readonly effective: DatedInstant;
  readonly catalogEffectiveDate: Instant | null;
  readonly plan: string | null;
  readonly product: string | null;
  readonly phase: string | null;
  readonly priceList: string | null;
  readonly billingPeriod: BillingPeriod | null;
  readonly isBlockedBilling: boolean;
  readonly isBlockedEntitlement: boolean;
  readonly serviceName: string;
  readonly serviceStateName: string;
}

export interface BundleViewInput {
  readonly account: Pick<Account, 'id' | 'currency' | 'billCycleDayLocal' | 'timeZone'>;
  readonly bundle: Bundle;
  /** In creation order. */
  readonly subscriptions: readonly Subscription[];
  /** Active lifecycle events of these subscriptions. */
  readonly events: readonly LifecycleEvent[];
  /** Active states of the account, the bundle and its subscriptions. */
  readonly blockingStates: readonly BlockingState[];
  readonly plans: PlanResolver;
  readonly now: Instant;
}

/** Builds the read model of one bundle at `now` (subscriptions.md §4, §18). */
export function bundleView(input: BundleViewInput): BundleView {
  const { bundle, account } = input;
  const eventsBySubscription = Map.groupBy(input.events, (event) => event.subscriptionId);
  const statesOf = Map.groupBy(input.blockingStates, (state) => state.blockedId);
  const histories = input.subscriptions.map((subscription) => ({
    subscription,
    events: eventsBySubscription.get(subscription.id) ?? [],
    blockingStates: [subscription.id, bundle.id, account.id].flatMap((id) => statesOf.get(id) ?? []),
  }));
  const parts = timelinesOf(histories, input).map((timeline): SubscriptionPart => {
    const { subscription, transitions } = timeline;
    return { subscription, transitions, blockingStates: statesAsRead(timeline, timeline.baseEnd) };
  });
  const sources = billCycleDaySources(parts, account);
  return {
    accountId: account.id,
    bundleId: bundle.id,
    externalKey: bundle.externalKey,
    subscriptions: parts.map((part) => subscriptionView(part, { ...input, sources })),
    timeline: subscriptionEvents(parts).map(eventView),
  };
}

interface SubscriptionPart {
  readonly subscription: Subscription;
  readonly transitions: readonly Transition[];
  /** Active ones of the subscription, the bundle and the account, with the end that the base brings. */
  readonly blockingStates: readonly BlockingState[];
}

interface BundleFacts extends BundleViewInput {
  readonly sources: ReadonlyMap<Uuid, BillCycleDaySources>;
}

function subscriptionView(part: SubscriptionPart, facts: BundleFacts): SubscriptionView {
  const { subscription, transitions } = part;
  const { bundle, now } = facts;
  const sources = facts.sources.get(subscription.id);
  const shown = planShownAt(transitions, now);
  const known = shown !== null && isKnown(shown) ? shown : null;
  const states = { subscriptionId: subscription.id, blockingStates: part.blockingStates };
  const events = subscriptionEvents([part]);
  return {
    accountId: subscription.accountId,
    bundleId: bundle.id,
    bundleExternalKey: bundle.externalKey,
    subscriptionId: subscription.id,
    externalKey: subscription.externalKey,
    start: entitlementStart(states) ?? null,
    productName: known?.plan.product ?? null,
    productCategory: subscription.category,
    billingPeriod: known?.plan.billingPeriod ?? null,
    phaseType: shown?.phase.type ?? null,
    priceList: shown?.priceListName ?? null,
    planName: shown?.plan.name ?? null,
    state: subscriptionStateAt({ ...states, transitions }, now),
    sourceType: sourceTypeOf(subscription, transitions),
    cancelled: entitlementEnd(states) ?? null,
    chargedThrough: subscription.chargedThrough,
    billingStart: billingStart(transitions),
    billingEnd: billingEnd(transitions),
    billCycleDayLocal:
      sources === undefined || known === null ? null : shownBillCycleDay(transitions, now, sources),
    quantity: quantityAt(transitions, now),
    events: events.map(eventView),
    prices: pricesMet(events, facts.account.currency),
  };
}

function eventView(event: SubscriptionEvent): SubscriptionEventView {
  const known = event.plan !== null && isKnown(event.plan) ? event.plan : null;
  return {
    eventId: event.eventId,
    subscriptionId: event.subscriptionId,
    eventType: event.type,
    effective: event.effective,
    catalogEffectiveDate: known?.version.effectiveDate ?? null,
    plan: event.plan?.plan.name ?? null,
    product: known?.plan.product ?? null,
    phase: event.plan?.phase.name ?? null,
    priceList: event.plan?.priceListName ?? null,
    billingPeriod: known?.plan.billingPeriod ?? null,
    isBlockedBilling: event.isBlockedBilling,
    isBlockedEntitlement: event.isBlockedEntitlement,
    serviceName: event.serviceName,
    serviceStateName: event.serviceStateName,
  };
}
