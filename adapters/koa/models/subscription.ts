import {
  BillingMode,
  EntitlementState,
  PhaseType,
  ProductCategory,
  SourceType,
  SubscriptionEventType,
  TierBlockPolicy,
  UsageType,
} from '../../../lib/records/index.ts';
import type {
  BundleOutline,
  SubscriptionEventView,
  SubscriptionOutline,
} from '../../../lib/subscriptions/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { stringifyExactJson } from '../../../lib/values/money/index.ts';
import { BillingPeriod, type Instant, type LocalDate } from '../../../lib/values/time/index.ts';
import { Dialect } from '../dialect.ts';
import { JsonText, LazyList, lazyList } from '../wire/json-pieces.ts';
import { field, model, partial, reading } from '../wire/model.ts';
import {
  bool,
  date,
  decimalNumber,
  enumeration,
  externalKey,
  int,
  text,
  timestamp,
  uuid,
} from '../wire/scalars.ts';
import { byDialect, listOf, type Rendering } from '../wire/wire-type.ts';
import { auditLogsOf } from './audit-log.ts';
import { EventTexts } from './event-texts.ts';

/** A day in the account's zone in dialect D, an instant in K (http-api §4 line 1). */
const dayOrInstant = byDialect<LocalDate | Instant>({ D: date, K: timestamp });

const SubscriptionEvent = model('SubscriptionEvent', {
  eventId: field(uuid, 'R'),
  billingPeriod: field(enumeration(BillingPeriod), 'R', { nullable: true }),
  effectiveDate: field(timestamp, 'R', { from: ({ effective }: SubscriptionEventView) => effective.at }),
  catalogEffectiveDate: field(timestamp, 'R', { nullable: true }),
  plan: field(text(), 'R', { nullable: true }),
  product: field(text(), 'R', { nullable: true }),
  priceList: field(text(), 'R', { nullable: true }),
  phase: field(text(), 'R', { nullable: true }),
  eventType: field(enumeration(SubscriptionEventType), 'R'),
  isBlockedBilling: field(bool, 'R'),
  isBlockedEntitlement: field(bool, 'R'),
  serviceName: field(text(), 'R'),
  serviceStateName: field(text(), 'R'),
  auditLogs: auditLogsOf('eventId'),
});

const BlockPrice = model('BlockPrice', {
  unitName: field(text(), 'C'),
  size: field(decimalNumber, 'C'),
  price: field(decimalNumber, 'C', { nullable: true }),
  max: field(decimalNumber, 'C'),
});

const TierPrice = model('TierPrice', {
  blockPrices: field(listOf(BlockPrice), 'C'),
  recurringPrice: field(decimalNumber, 'C', { nullable: true, onlyD: true }),
});

const UsagePrice = model('UsagePrice', {
  usageName: field(text(), 'C'),
  usageType: field(enumeration(UsageType), 'C'),
  billingMode: field(enumeration(BillingMode), 'C'),
  tierBlockPolicy: field(enumeration(TierBlockPolicy), 'C', { nullable: true }),
  tierPrices: field(listOf(TierPrice), 'C'),
});

export const PhasePrice = model('PhasePrice', {
  planName: field(text(), 'C', { nullable: true }),
  phaseName: field(text(), 'C', { nullable: true }),
  phaseType: field(text(), 'C', { nullable: true }),
  fixedPrice: field(decimalNumber, 'C', { nullable: true }),
  recurringPrice: field(decimalNumber, 'C', { nullable: true }),
  usagePrices: field(listOf(UsagePrice), 'C'),
});

/**
 * Which fields a creation needs depends on the others (http-api §12, fixed messages). The library checks that, so only
 * the account is marked as required here.
 */
export const Subscription = model('Subscription', {
  accountId: field(uuid, 'C', { required: true }),
  bundleId: field(uuid, 'C'),
  subscriptionId: field(uuid, 'R'),
  externalKey: field(externalKey, 'C', { nullable: true }),
  bundleExternalKey: field(externalKey, 'C', { nullable: true }),
  startDate: field(dayOrInstant, 'R', { nullable: true, from: datedIn('start') }),
  productName: field(text(), 'W', { nullable: true }),
  productCategory: field(enumeration(ProductCategory), 'C'),
  billingPeriod: field(enumeration(BillingPeriod), 'W', { nullable: true }),
  phaseType: field(enumeration(PhaseType), 'W', { nullable: true }),
  priceList: field(text(), 'W', { nullable: true }),
  planName: field(text(), 'W', { nullable: true }),
  state: field(enumeration(EntitlementState), 'R'),
  sourceType: field(enumeration(SourceType), 'R'),
  cancelledDate: field(dayOrInstant, 'R', { nullable: true, from: datedIn('cancelled') }),
  chargedThroughDate: field(date, 'R', {
    nullable: true,
    from: ({ chargedThrough }: SubscriptionOutline) => chargedThrough?.date ?? null,
  }),
  billingStartDate: field(dayOrInstant, 'R', { nullable: true, from: datedIn('billingStart') }),
  billingEndDate: field(dayOrInstant, 'R', { nullable: true, from: datedIn('billingEnd') }),
  billCycleDayLocal: field(int(), 'W', { nullable: true }),
  events: field(listOf(SubscriptionEvent), 'R', {
    from: (view: SubscriptionOutline, rendering) => new LazyList(() => eventTexts(view.events(), rendering)),
  }),
  prices: field(listOf(PhasePrice), 'R', { from: (view: SubscriptionOutline) => view.prices() }),
  priceOverrides: field(listOf(PhasePrice), 'I'),
  quantity: field(int({ minimum: 1 }), 'W'),
  auditLogs: auditLogsOf('subscriptionId'),
});

/** A base with its add-ons, to be created together. */
export const BulkSubscriptionsBundle = model('BulkSubscriptionsBundle', {
  baseEntitlementAndAddOns: field(listOf(partial(Subscription)), 'I', { required: true }),
});

const BundleTimeline = model('BundleTimeline', {
  accountId: field(uuid, 'R'),
  bundleId: field(uuid, 'R'),
  externalKey: field(text(), 'R'),
  events: field(listOf(SubscriptionEvent), 'R', {
    from: (view: BundleOutline, rendering) => new LazyList(() => eventTexts(view.timeline(), rendering)),
  }),
  auditLogs: auditLogsOf('bundleId'),
});

export const Bundle = model('Bundle', {
  accountId: field(uuid, 'W'),
  bundleId: field(uuid, 'R'),
  externalKey: field(externalKey, 'W'),
  subscriptions: field(listOf(Subscription), 'R', {
    from: ({ subscriptions }: BundleOutline, rendering) =>
      lazyList(subscriptions, (each) => Subscription.write(each, rendering)),
  }),
  timeline: field(BundleTimeline, 'R', { from: (view: BundleOutline) => view }),
  auditLogs: auditLogsOf('bundleId'),
});

/** As it is sent for a transfer: the account that it goes to, and keys for the new subscriptions (subscriptions §17.4). */
export const BundleTransfer = reading(Bundle, {
  accountId: field(uuid, 'W', { required: true }),
  subscriptions: field(
    listOf(reading(Subscription, { subscriptionId: field(uuid, 'W'), externalKey: field(externalKey, 'W') })),
    'W',
  ),
});

/** As it is sent for another key. */
export const BundleKey = reading(Bundle, { externalKey: field(externalKey, 'W', { required: true }) });

/** Ids of every record of a subscription whose audit an answer shows. */
export function auditedIdsOfSubscription(view: SubscriptionOutline): readonly Uuid[] {
  const ids = new Set<Uuid>([view.subscriptionId]);
  for (const { eventId } of view.events()) ids.add(eventId);
  return [...ids];
}

/** The rows as JSON; rows from an account's states have the same text in every subscription. */
function* eventTexts(
  events: Iterable<SubscriptionEventView>,
  rendering: Rendering,
): Generator<JsonText, undefined> {
  const texts = textsOf(rendering);
  for (const event of events) yield texts.of(event);
}

/** The shared texts of one answer. */
function textsOf(rendering: Rendering): EventTexts {
  const known = textsByRendering.get(rendering);
  if (known !== undefined) return known;
  const made = new EventTexts(
    (event) => new JsonText(stringifyExactJson(SubscriptionEvent.write(event, rendering))),
  );
  textsByRendering.set(rendering, made);
  return made;
}

const textsByRendering = new WeakMap<Rendering, EventTexts>();

/** A date of the subscription, as the dialect shows it. */
function datedIn(name: 'start' | 'cancelled' | 'billingStart' | 'billingEnd') {
  return (view: SubscriptionOutline, { dialect }: Rendering): LocalDate | Instant | null => {
    const dated = view[name];
    return dated && (dialect === Dialect.D ? dated.date : dated.at);
  };
}
