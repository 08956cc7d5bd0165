import type { Account, BlockingState, Bundle, LifecycleEvent, Subscription } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { statesAsRead } from '../add-ons/base-end.ts';
import { timelinesOf } from '../add-ons/bundle-timelines.ts';
import { type BlockHistory, blockHistory } from '../blocking/block-history.ts';
import { entitlementEnd, entitlementStart, subscriptionStateAt } from '../blocking/subscription-state.ts';
import type { BillCycleDaySources } from '../timeline/bill-cycle-day.ts';
import { billCycleDaySources } from '../timeline/bill-cycle-sources.ts';
import type { PlanResolver } from '../timeline/plan-with-phase.ts';
import { isKnown } from '../timeline/readable-plans.ts';
import { planShownAt } from '../timeline/transitions.ts';
import {
  type BundleView,
  eventView,
  type SubscriptionEventView,
  type SubscriptionView,
} from './bundle-view.ts';
import { billingEnd, billingStart, quantityAt, shownBillCycleDay, sourceTypeOf } from './computed-fields.ts';
import { type PhasePrices, pricesMet } from './phase-prices.ts';
import { type EventListSource, subscriptionEvents } from './subscription-event-list.ts';

/**
 * A bundle without its rows, which are made each time they are read. What is set on an account appears in the rows of
 * every subscription, so that the rows together may be a thousand times what is stored.
 */
export interface BundleOutline extends Omit<BundleView, 'subscriptions' | 'timeline'> {
  readonly subscriptions: readonly SubscriptionOutline[];
  /** The rows of all its subscriptions in one order. */
  timeline(): Iterable<SubscriptionEventView>;
}

/** A subscription without its rows. */
export interface SubscriptionOutline extends Omit<SubscriptionView, 'events' | 'prices'> {
  events(): Iterable<SubscriptionEventView>;
  /** In the account's currency. */
  prices(): readonly PhasePrices[];
}

export interface BundleOutlineInput {
  readonly account: Pick<Account, 'id' | 'currency' | 'billCycleDayLocal' | 'timeZone'>;
  /** What is set on the account; its bundles share it. */
  readonly accountBlocks: BlockHistory;
  readonly bundle: Bundle;
  /** In creation order. */
  readonly subscriptions: readonly Subscription[];
  /** Active lifecycle events of these subscriptions. */
  readonly events: readonly LifecycleEvent[];
  /** Active states of the bundle and its subscriptions. */
  readonly blockingStates: readonly BlockingState[];
  readonly plans: PlanResolver;
  readonly now: Instant;
}

/** Builds the read model of one bundle at `now` (§4, §18). */
export function bundleOutline(input: BundleOutlineInput): BundleOutline {
  const { bundle, account } = input;
  const eventsBySubscription = Map.groupBy(input.events, (event) => event.subscriptionId);
  const statesOf = Map.groupBy(input.blockingStates, (state) => state.blockedId);
  const inherited = [blockHistory(statesOf.get(bundle.id) ?? []), input.accountBlocks];
  const histories = input.subscriptions.map((subscription) => ({
    subscription,
    events: eventsBySubscription.get(subscription.id) ?? [],
    blockingStates: statesOf.get(subscription.id) ?? [],
  }));
  const parts = timelinesOf(histories, input).map((timeline): SubscriptionPart => {
    const { subscription, transitions, baseEnd } = timeline;
    return { subscription, transitions, blockingStates: statesAsRead(timeline, baseEnd), inherited };
  });
  const sources = billCycleDaySources(parts, account);
  return {
    accountId: account.id,
    bundleId: bundle.id,
    externalKey: bundle.externalKey,
    subscriptions: parts.map((part) => subscriptionOutline(part, { ...input, sources })),
    timeline: () => viewsOf(parts),
  };
}

/** The bundle with all its rows at once. */
export function bundleView({ subscriptions, timeline, ...head }: BundleOutline): BundleView {
  return { ...head, subscriptions: subscriptions.map(subscriptionView), timeline: [...timeline()] };
}

/** The subscription with all its rows at once. */
export function subscriptionView({ events, prices, ...head }: SubscriptionOutline): SubscriptionView {
  return { ...head, events: [...events()], prices: prices() };
}

interface SubscriptionPart extends EventListSource {
  readonly subscription: Subscription;
}

interface BundleFacts extends BundleOutlineInput {
  readonly sources: ReadonlyMap<Uuid, BillCycleDaySources>;
}

function subscriptionOutline(part: SubscriptionPart, facts: BundleFacts): SubscriptionOutline {
  const { subscription, transitions, blockingStates, inherited } = part;
  const { bundle, now } = facts;
  const sources = facts.sources.get(subscription.id);
  const shown = planShownAt(transitions, now);
  const known = shown !== null && isKnown(shown) ? shown : null;
  const states = { subscriptionId: subscription.id, blockingStates };
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
    state: subscriptionStateAt({ ...states, transitions, inherited }, now),
    sourceType: sourceTypeOf(subscription, transitions),
    cancelled: entitlementEnd(states) ?? null,
    chargedThrough: subscription.chargedThrough,
    billingStart: billingStart(transitions),
    billingEnd: billingEnd(transitions),
    billCycleDayLocal:
      sources === undefined || known === null ? null : shownBillCycleDay(transitions, now, sources),
    quantity: quantityAt(transitions, now),
    events: () => viewsOf([part]),
    prices: () => pricesMet(subscriptionEvents([part]), facts.account.currency),
  };
}

function* viewsOf(parts: readonly SubscriptionPart[]): Generator<SubscriptionEventView, undefined> {
  for (const event of subscriptionEvents(parts)) yield eventView(event);
}
