import type { AuditEntry } from '../../../lib/records/index.ts';
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
  PhasePrices,
  SubscriptionEventView,
  SubscriptionOutline,
  UsagePrices,
} from '../../../lib/subscriptions/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { stringifyExactJson } from '../../../lib/values/money/index.ts';
import {
  BillingPeriod,
  type DatedInstant,
  formatInstant,
  formatLocalDate,
  type Instant,
  type LocalDate,
} from '../../../lib/values/time/index.ts';
import { Dialect } from '../dialect.ts';
import { JsonText, LazyList, lazyList } from '../response/json-pieces.ts';
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
import { byDialect, listOf } from '../wire/wire-type.ts';
import { auditLogs, auditLogsJson } from './audit-log.ts';
import { EventTexts } from './event-texts.ts';

/** A day in the account's zone in dialect D, an instant in K (http-api §4 line 1). */
const dayOrInstant = byDialect<LocalDate | Instant>({ D: date, K: timestamp });

const SubscriptionEvent = model('SubscriptionEvent', {
  eventId: field(uuid, 'R'),
  billingPeriod: field(enumeration(BillingPeriod), 'R', { nullable: true }),
  effectiveDate: field(timestamp, 'R'),
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
  auditLogs,
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
 * Which fields a creation needs depends on the others (http-api §12, fixed messages): the library checks it, so no
 * field is marked as required here but the account.
 */
export const Subscription = model('Subscription', {
  accountId: field(uuid, 'C', { required: true }),
  bundleId: field(uuid, 'C'),
  subscriptionId: field(uuid, 'R'),
  externalKey: field(externalKey, 'C', { nullable: true }),
  bundleExternalKey: field(externalKey, 'C', { nullable: true }),
  startDate: field(dayOrInstant, 'R', { nullable: true }),
  productName: field(text(), 'W', { nullable: true }),
  productCategory: field(enumeration(ProductCategory), 'C'),
  billingPeriod: field(enumeration(BillingPeriod), 'W', { nullable: true }),
  phaseType: field(enumeration(PhaseType), 'W', { nullable: true }),
  priceList: field(text(), 'W', { nullable: true }),
  planName: field(text(), 'W', { nullable: true }),
  state: field(enumeration(EntitlementState), 'R'),
  sourceType: field(enumeration(SourceType), 'R'),
  cancelledDate: field(dayOrInstant, 'R', { nullable: true }),
  chargedThroughDate: field(date, 'R', { nullable: true }),
  billingStartDate: field(dayOrInstant, 'R', { nullable: true }),
  billingEndDate: field(dayOrInstant, 'R', { nullable: true }),
  billCycleDayLocal: field(int(), 'W', { nullable: true }),
  events: field(listOf(SubscriptionEvent), 'R'),
  prices: field(listOf(PhasePrice), 'R'),
  priceOverrides: field(listOf(PhasePrice), 'I'),
  quantity: field(int({ minimum: 1 }), 'W'),
  auditLogs,
});

/** A base with its add-ons, to be created together. */
export const BulkSubscriptionsBundle = model('BulkSubscriptionsBundle', {
  baseEntitlementAndAddOns: field(listOf(partial(Subscription)), 'I', { required: true }),
});

const BundleTimeline = model('BundleTimeline', {
  accountId: field(uuid, 'R'),
  bundleId: field(uuid, 'R'),
  externalKey: field(text(), 'R'),
  events: field(listOf(SubscriptionEvent), 'R'),
  auditLogs,
});

export const Bundle = model('Bundle', {
  accountId: field(uuid, 'W'),
  bundleId: field(uuid, 'R'),
  externalKey: field(externalKey, 'W'),
  subscriptions: field(listOf(Subscription), 'R'),
  timeline: field(BundleTimeline, 'R'),
  auditLogs,
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

/** Audit rows by record; empty at `audit=NONE`. */
export type AuditByRecord = ReadonlyMap<Uuid, readonly AuditEntry[]>;

/** How an answer is to be written. */
export interface Rendering {
  readonly dialect: Dialect;
  readonly audit: AuditByRecord;
}

/** Ids of every record of a subscription whose audit an answer shows. */
export function auditedIdsOfSubscription(view: SubscriptionOutline): readonly Uuid[] {
  const ids = new Set<Uuid>([view.subscriptionId]);
  for (const { eventId } of view.events()) ids.add(eventId);
  return [...ids];
}

export function bundleJson(view: BundleOutline, rendering: Rendering) {
  const { accountId, bundleId, externalKey: key } = view;
  return {
    accountId,
    bundleId,
    externalKey: key,
    subscriptions: lazyList(view.subscriptions, (each) => subscriptionJson(each, rendering)),
    timeline: {
      accountId,
      bundleId,
      externalKey: key,
      events: new LazyList(() => eventTexts(view.timeline(), rendering)),
      auditLogs: auditLogsJson(rendering.audit.get(bundleId)),
    },
    auditLogs: auditLogsJson(rendering.audit.get(bundleId)),
  };
}

export function subscriptionJson(view: SubscriptionOutline, rendering: Rendering) {
  const { dialect } = rendering;
  return {
    accountId: view.accountId,
    bundleId: view.bundleId,
    subscriptionId: view.subscriptionId,
    externalKey: view.externalKey,
    bundleExternalKey: view.bundleExternalKey,
    startDate: dayOrInstantJson(view.start, dialect),
    productName: view.productName,
    productCategory: view.productCategory,
    billingPeriod: view.billingPeriod,
    phaseType: view.phaseType,
    priceList: view.priceList,
    planName: view.planName,
    state: view.state,
    sourceType: view.sourceType,
    cancelledDate: dayOrInstantJson(view.cancelled, dialect),
    chargedThroughDate: view.chargedThrough === null ? null : formatLocalDate(view.chargedThrough.date),
    billingStartDate: dayOrInstantJson(view.billingStart, dialect),
    billingEndDate: dayOrInstantJson(view.billingEnd, dialect),
    billCycleDayLocal: view.billCycleDayLocal,
    events: new LazyList(() => eventTexts(view.events(), rendering)),
    prices: view.prices().map((each) => phasePriceJson(each, dialect)),
    priceOverrides: null,
    quantity: view.quantity,
    auditLogs: auditLogsJson(rendering.audit.get(view.subscriptionId)),
  };
}

/** The rows as JSON; what an account's states bring is the same text in every subscription. */
function* eventTexts(
  events: Iterable<SubscriptionEventView>,
  rendering: Rendering,
): Generator<JsonText, undefined> {
  const texts = textsOf(rendering);
  for (const event of events) yield texts.of(event);
}

/** Those of one answer. */
function textsOf(rendering: Rendering): EventTexts {
  const known = textsByRendering.get(rendering);
  if (known !== undefined) return known;
  const made = new EventTexts((event) => new JsonText(stringifyExactJson(eventJson(event, rendering))));
  textsByRendering.set(rendering, made);
  return made;
}

const textsByRendering = new WeakMap<Rendering, EventTexts>();

export function eventJson(event: SubscriptionEventView, rendering: Rendering) {
  return {
    eventId: event.eventId,
    billingPeriod: event.billingPeriod,
    effectiveDate: formatInstant(event.effective.at),
    catalogEffectiveDate:
      event.catalogEffectiveDate === null ? null : formatInstant(event.catalogEffectiveDate),
    plan: event.plan,
    product: event.product,
    priceList: event.priceList,
    phase: event.phase,
    eventType: event.eventType,
    isBlockedBilling: event.isBlockedBilling,
    isBlockedEntitlement: event.isBlockedEntitlement,
    serviceName: event.serviceName,
    serviceStateName: event.serviceStateName,
    auditLogs: auditLogsJson(rendering.audit.get(event.eventId)),
  };
}

function phasePriceJson(prices: PhasePrices, dialect: Dialect) {
  return {
    planName: prices.planName,
    phaseName: prices.phaseName,
    phaseType: prices.phaseType,
    fixedPrice: prices.fixedPrice,
    recurringPrice: prices.recurringPrice,
    usagePrices: prices.usagePrices.map((usage) => usagePriceJson(usage, dialect)),
  };
}

function usagePriceJson(usage: UsagePrices, dialect: Dialect) {
  return {
    usageName: usage.usageName,
    usageType: usage.usageType,
    billingMode: usage.billingMode,
    tierBlockPolicy: usage.tierBlockPolicy,
    tierPrices: usage.tierPrices.map((tier) => ({
      blockPrices: tier.blockPrices,
      ...(dialect === Dialect.D ? { recurringPrice: tier.recurringPrice } : {}),
    })),
  };
}

function dayOrInstantJson(dated: DatedInstant | null, dialect: Dialect): string | null {
  if (dated === null) return null;
  return dialect === Dialect.D ? formatLocalDate(dated.date) : formatInstant(dated.at);
}
