import type { InternationalPrice, Usage } from '../../catalog/index.ts';
import {
  type Account,
  type BillingMode,
  type BlockingState,
  type Bundle,
  type EntitlementState,
  type LifecycleEvent,
  LifecycleEventType,
  type PhaseType,
  type ProductCategory,
  SourceType,
  type Subscription,
  SubscriptionEventType,
  type TierBlockPolicy,
  type UsageType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, ZERO } from '../../values/money/index.ts';
import type { BillingPeriod, DatedInstant, Instant } from '../../values/time/index.ts';
import { historiesOf, statesAsRead, timelinesOf } from '../add-ons/base-end.ts';
import {
  type BlockHistory,
  blockHistory,
  entitlementEnd,
  entitlementStart,
  subscriptionStateAt,
} from '../blocking/states-in-force.ts';
import { type BillCycleDaySources, billCycleDayOf, billCycleDaySources } from '../timeline/bill-cycle-day.ts';
import { isKnown } from '../timeline/readable-plans.ts';
import {
  type PlanInForce,
  type PlanResolver,
  planShownAt,
  type Transition,
  transitionAt,
} from '../timeline/transitions.ts';
import {
  type EventListSource,
  type SubscriptionEvent,
  subscriptionEvents,
} from './subscription-event-list.ts';

/**
 * A bundle whose rows are created on each read. Account states appear in the rows of every subscription, so there may
 * be a thousand times as many rows as stored records.
 */
export interface BundleOutline extends Omit<BundleView, 'subscriptions' | 'timeline'> {
  readonly subscriptions: readonly SubscriptionOutline[];
  timeline(): Iterable<SubscriptionEventView>;
}

export interface SubscriptionOutline extends Omit<SubscriptionView, 'events' | 'prices'> {
  events(): Iterable<SubscriptionEventView>;
  /** Returns the prices of the subscription's phases, in the account's currency. */
  prices(): readonly PhasePrices[];
}

export interface BundleOutlineInput {
  readonly account: Pick<Account, 'id' | 'currency' | 'billCycleDayLocal' | 'timeZone'>;
  /** Blocks of the account. They apply to all its bundles. */
  readonly accountBlocks: BlockHistory;
  readonly bundle: Bundle;
  readonly subscriptions: readonly Subscription[];
  readonly events: readonly LifecycleEvent[];
  readonly blockingStates: readonly BlockingState[];
  readonly plans: PlanResolver;
  readonly now: Instant;
}

export function bundleOutline(input: BundleOutlineInput): BundleOutline {
  const { bundle, account } = input;
  const ofBundle = input.blockingStates.filter(({ blockedId }) => blockedId === bundle.id);
  const inherited = [blockHistory(ofBundle), input.accountBlocks];
  const histories = historiesOf(input.subscriptions, input.events, input.blockingStates);
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

export function bundleView({ subscriptions, timeline, ...head }: BundleOutline): BundleView {
  return { ...head, subscriptions: subscriptions.map(subscriptionView), timeline: [...timeline()] };
}

export function subscriptionView({ events, prices, ...head }: SubscriptionOutline): SubscriptionView {
  return { ...head, events: [...events()], prices: prices() };
}

interface SubscriptionPart extends EventListSource {
  readonly subscription: Subscription;
}

function subscriptionOutline(
  part: SubscriptionPart,
  facts: BundleOutlineInput & { readonly sources: ReadonlyMap<Uuid, BillCycleDaySources> },
): SubscriptionOutline {
  const { subscription, transitions, blockingStates, inherited } = part;
  const { bundle, now } = facts;
  const sources = facts.sources.get(subscription.id);
  const shown = planShownAt(transitions, now);
  const known = shown !== null && isKnown(shown) ? shown : null;
  const inEffect = transitionAt(transitions, now);
  const cancel = transitions.find(({ event }) => event.type === LifecycleEventType.CANCEL);
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
    billingStart: transitions[0]?.event.effective ?? null,
    billingEnd: cancel?.event.effective ?? null,
    billCycleDayLocal:
      sources === undefined || known === null ? null : shownBillCycleDay(known, inEffect, sources),
    quantity: inEffect?.quantity ?? 1,
    events: () => viewsOf([part]),
    prices: () => pricesMet(subscriptionEvents([part]), facts.account.currency),
  };
}

function* viewsOf(parts: readonly SubscriptionPart[]): Generator<SubscriptionEventView, undefined> {
  for (const event of subscriptionEvents(parts)) yield eventView(event);
}

/** A bundle with all rows (json-models §6). */
export interface BundleView {
  readonly accountId: Uuid;
  readonly bundleId: Uuid;
  readonly externalKey: string;
  readonly subscriptions: readonly SubscriptionView[];
  /** The rows of all subscriptions of the bundle, sorted together. */
  readonly timeline: readonly SubscriptionEventView[];
}

/** A subscription at one instant. Each date consists of an instant and a local date. */
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
  /** End of service. It may be in the past or future. */
  readonly cancelled: DatedInstant | null;
  readonly chargedThrough: DatedInstant | null;
  readonly billingStart: DatedInstant | null;
  readonly billingEnd: DatedInstant | null;
  readonly billCycleDayLocal: number | null;
  readonly quantity: number;
  readonly events: readonly SubscriptionEventView[];
  /** Prices of the subscription's phases, in the account's currency. */
  readonly prices: readonly PhasePrices[];
}

/** A row of the timeline. For STOP_ rows, the plan is the one that ended (§18 rule 6). */
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

function sourceTypeOf(subscription: Pick<Subscription, 'migrated'>, transitions: readonly Transition[]) {
  if (subscription.migrated) return SourceType.MIGRATED;
  return transitions[0]?.event.type === LifecycleEventType.TRANSFER
    ? SourceType.TRANSFERRED
    : SourceType.NATIVE;
}

/**
 * Returns the bill cycle day to show. Returns null if the alignment is ACCOUNT and the account has no bill cycle day
 * yet (§4.4).
 */
function shownBillCycleDay(
  inForce: PlanInForce,
  inEffect: Transition | undefined,
  sources: BillCycleDaySources,
) {
  const { day, isProvisional } = billCycleDayOf(inForce, inEffect?.billCycleDay ?? null, sources);
  return isProvisional ? null : day;
}

/**
 * The prices of one phase in the account's currency. If the phase has no price of a kind, that price is null (§4.4).
 */
export interface PhasePrices {
  readonly planName: string;
  readonly phaseName: string;
  readonly phaseType: PhaseType;
  readonly fixedPrice: Decimal | null;
  readonly recurringPrice: Decimal | null;
  readonly usagePrices: readonly UsagePrices[];
}

export interface UsagePrices {
  readonly usageName: string;
  readonly usageType: UsageType;
  readonly billingMode: BillingMode;
  readonly tierBlockPolicy: TierBlockPolicy;
  readonly tierPrices: readonly TierPrices[];
}

export interface TierPrices {
  readonly blockPrices: readonly BlockPrice[];
  /** Recurring price of a CAPACITY tier. */
  readonly recurringPrice: Decimal | null;
}

export interface BlockPrice {
  readonly unitName: string;
  readonly size: Decimal;
  readonly price: Decimal | null;
  readonly max: Decimal;
}

/**
 * Returns one entry per phase in the rows, in order (§4.4 "prices"). A new entry starts whenever the phase name or the
 * catalog version changes.
 */
export function pricesMet(
  events: Iterable<SubscriptionEvent>,
  currency: Currency | null,
): readonly PhasePrices[] {
  const prices: PhasePrices[] = [];
  let previous: SubscriptionEvent['plan'] = null;
  for (const event of events) {
    if (event.plan === null || !isKnown(event.plan) || isStop(event)) continue;
    const { plan, phase, version } = event.plan;
    const isSame =
      previous?.phase.name === phase.name && previous.version.effectiveDate === version.effectiveDate;
    previous = event.plan;
    if (isSame) continue;
    prices.push({
      planName: plan.name,
      phaseName: phase.name,
      phaseType: phase.type,
      fixedPrice: priceIfSold(phase.fixed?.price, currency),
      recurringPrice: priceIfSold(phase.recurring?.price, currency),
      usagePrices: phase.usages.map((usage) => usagePrices(usage, currency)),
    });
  }
  return prices;
}

function isStop(event: SubscriptionEvent): boolean {
  return (
    event.type === SubscriptionEventType.STOP_BILLING || event.type === SubscriptionEventType.STOP_ENTITLEMENT
  );
}

function usagePrices(usage: Usage, currency: Currency | null): UsagePrices {
  return {
    usageName: usage.name,
    usageType: usage.usageType,
    billingMode: usage.billingMode,
    tierBlockPolicy: usage.tierBlockPolicy,
    tierPrices: usage.tiers.map((tier) => ({
      blockPrices: tier.blocks.map((block) => ({
        unitName: block.unit,
        size: block.size.value,
        price: priceIfSold(block.prices, currency),
        max: block.max.value,
      })),
      recurringPrice: priceIfSold(tier.recurringPrice, currency),
    })),
  };
}

/**
 * Returns the price, or null if there is no price in the currency. Does not throw, because reads must not fail for a
 * price that billing would reject.
 */
function priceIfSold(price: InternationalPrice | null | undefined, currency: Currency | null) {
  if (!price) return null;
  if (price.prices.length === 0) return ZERO;
  return price.prices.find((entry) => entry.currency === currency)?.amount?.value ?? null;
}
