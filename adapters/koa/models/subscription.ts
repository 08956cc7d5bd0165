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
import {
  alike,
  derivedField,
  field,
  maybe,
  model,
  modelWith,
  partial,
  replaceRequestFields,
} from '../wire/model.ts';
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
import { CouponRedemption } from './coupon.ts';
import { EventTexts } from './event-texts.ts';

/**
 * A date. In dialect D, it is a day in the account's time zone; in dialect K, it is an instant (http-api §4 line 1).
 */
const dayOrInstant = byDialect<LocalDate | Instant>({ D: date, K: timestamp });

const SubscriptionEvent = model('SubscriptionEvent', {
  eventId: uuid,
  billingPeriod: maybe(enumeration(BillingPeriod)),
  effectiveDate: derivedField(timestamp, ({ effective }: SubscriptionEventView) => effective.at),
  catalogEffectiveDate: maybe(timestamp),
  ...alike(maybe(text()), 'plan', 'product', 'priceList', 'phase'),
  eventType: enumeration(SubscriptionEventType),
  ...alike(bool, 'isBlockedBilling', 'isBlockedEntitlement'),
  ...alike(text(), 'serviceName', 'serviceStateName'),
  auditLogs: auditLogsOf('eventId'),
});

const BlockPrice = modelWith('C', 'BlockPrice', {
  unitName: text(),
  size: decimalNumber,
  price: field(decimalNumber, 'C', { nullable: true }),
  max: decimalNumber,
});

const TierPrice = model('TierPrice', {
  blockPrices: field(listOf(BlockPrice), 'C'),
  recurringPrice: field(decimalNumber, 'C', { nullable: true, onlyD: true }),
});

const UsagePrice = modelWith('C', 'UsagePrice', {
  usageName: text(),
  usageType: enumeration(UsageType),
  billingMode: enumeration(BillingMode),
  tierBlockPolicy: field(enumeration(TierBlockPolicy), 'C', { nullable: true }),
  tierPrices: listOf(TierPrice),
});

export const PhasePrice = model('PhasePrice', {
  ...alike(field(text(), 'C', { nullable: true }), 'planName', 'phaseName', 'phaseType'),
  ...alike(field(decimalNumber, 'C', { nullable: true }), 'fixedPrice', 'recurringPrice'),
  usagePrices: field(listOf(UsagePrice), 'C'),
});

/**
 * A subscription. The library checks the other required fields, because they depend on each other and their error
 * messages are fixed (http-api §12).
 */
export const Subscription = model('Subscription', {
  accountId: field(uuid, 'C', { required: true }),
  bundleId: field(uuid, 'C'),
  subscriptionId: uuid,
  ...alike(field(externalKey, 'C', { nullable: true }), 'externalKey', 'bundleExternalKey'),
  startDate: maybe(dayOrInstant, dateByDialect('start')),
  productName: field(text(), 'W', { nullable: true }),
  productCategory: field(enumeration(ProductCategory), 'C'),
  billingPeriod: field(enumeration(BillingPeriod), 'W', { nullable: true }),
  phaseType: field(enumeration(PhaseType), 'W', { nullable: true }),
  ...alike(field(text(), 'W', { nullable: true }), 'priceList', 'planName'),
  state: enumeration(EntitlementState),
  sourceType: enumeration(SourceType),
  cancelledDate: maybe(dayOrInstant, dateByDialect('cancelled')),
  chargedThroughDate: maybe(date, ({ chargedThrough }: SubscriptionOutline) => chargedThrough?.date ?? null),
  billingStartDate: maybe(dayOrInstant, dateByDialect('billingStart')),
  billingEndDate: maybe(dayOrInstant, dateByDialect('billingEnd')),
  billCycleDayLocal: field(int(), 'W', { nullable: true }),
  events: derivedField(
    listOf(SubscriptionEvent),
    (view: SubscriptionOutline, rendering) => new LazyList(() => eventTexts(view.events(), rendering)),
  ),
  prices: derivedField(listOf(PhasePrice), (view: SubscriptionOutline) => view.prices()),
  priceOverrides: field(listOf(PhasePrice), 'I'),
  coupons: field(listOf(text()), 'I', { onlyD: true, absentable: true }),
  redemptions: field(listOf(CouponRedemption), 'R', { onlyD: true, absentable: true }),
  quantity: field(int({ minimum: 1 }), 'W'),
  auditLogs: auditLogsOf('subscriptionId'),
});

export const BulkSubscriptionsBundle = model('BulkSubscriptionsBundle', {
  baseEntitlementAndAddOns: field(listOf(partial(Subscription)), 'I', { required: true }),
});

const BundleTimeline = model('BundleTimeline', {
  accountId: uuid,
  bundleId: uuid,
  externalKey: text(),
  events: derivedField(
    listOf(SubscriptionEvent),
    (view: BundleOutline, rendering) => new LazyList(() => eventTexts(view.timeline(), rendering)),
  ),
  auditLogs: auditLogsOf('bundleId'),
});

export const Bundle = model('Bundle', {
  accountId: field(uuid, 'W'),
  bundleId: uuid,
  externalKey: field(externalKey, 'W'),
  subscriptions: derivedField(listOf(Subscription), ({ subscriptions }: BundleOutline, rendering) =>
    lazyList(subscriptions, (each) => Subscription.write(each, rendering)),
  ),
  timeline: derivedField(BundleTimeline, (view: BundleOutline) => view),
  auditLogs: auditLogsOf('bundleId'),
});

const newKey = replaceRequestFields(Subscription, {
  subscriptionId: field(uuid, 'W'),
  externalKey: field(externalKey, 'W'),
});
/** The target account, and keys for the new subscriptions (subscriptions §17.4). */
export const BundleTransfer = replaceRequestFields(Bundle, {
  accountId: field(uuid, 'W', { required: true }),
  subscriptions: field(listOf(newKey), 'W'),
});

export const BundleKey = replaceRequestFields(Bundle, {
  externalKey: field(externalKey, 'W', { required: true }),
});

export function auditedIdsOfSubscription(view: SubscriptionOutline): readonly Uuid[] {
  return [...new Set([view.subscriptionId, ...Iterator.from(view.events()).map(({ eventId }) => eventId)])];
}

/** The texts of events, shared by all subscriptions of a response. */
const textsByRendering = new WeakMap<Rendering, EventTexts>();

/** Returns the texts of events. The events of a state on the account have the same text in every subscription. */
function eventTexts(events: Iterable<SubscriptionEventView>, rendering: Rendering): LazyList<JsonText> {
  const write = (event: SubscriptionEventView) =>
    new JsonText(stringifyExactJson(SubscriptionEvent.write(event, rendering)));
  const texts = textsByRendering.get(rendering) ?? new EventTexts(write);
  textsByRendering.set(rendering, texts);
  return lazyList(events, (event) => texts.of(event));
}

function dateByDialect(name: 'start' | 'cancelled' | 'billingStart' | 'billingEnd') {
  return (view: SubscriptionOutline, { dialect }: Rendering): LocalDate | Instant | null => {
    const dated = view[name];
    return dated && (dialect === Dialect.D ? dated.date : dated.at);
  };
}
