import type {
  EntitlementState,
  PhaseType,
  ProductCategory,
  SourceType,
  SubscriptionEventType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { BillingPeriod, DatedInstant, Instant } from '../../values/time/index.ts';
import { isKnown } from '../timeline/readable-plans.ts';
import type { PhasePrices } from './phase-prices.ts';
import type { SubscriptionEvent } from './subscription-event-list.ts';

/** A bundle as callers read it (json-models §6). */
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

/** A row of the timeline. STOP_ rows name the plan that ended (§18 rule 6). */
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

export function eventView(event: SubscriptionEvent): SubscriptionEventView {
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
