import type { Uuid } from '../values/ids/index.ts';
import type { Currency, Decimal } from '../values/money/index.ts';
import type { ObjectType } from './object-type.ts';

/** Data of subscription events. */
export interface SubscriptionEventData {
  /** REQUESTED if the change was requested, and EFFECTIVE if it took effect. */
  readonly actionType: 'REQUESTED' | 'EFFECTIVE';
  readonly bundleExternalKey: string;
  /** True if the change undoes another change. */
  readonly subscriptionChangeUndo: boolean;
}

/** The upcoming end of a trial (subscriptions §21.1). */
export interface TrialEndingData {
  readonly bundleExternalKey: string;
  readonly planName: string;
  /** The trial phase. */
  readonly phaseName: string;
  readonly nextPhaseName: string;
  /** End of the trial as a UTC date-time. */
  readonly trialEndDate: string;
}

/** A usage threshold that was reached (usage §12.1). Days have the form `yyyy-MM-dd`, and the end is exclusive. */
export interface UsageThresholdData {
  readonly usageName: string;
  /** The unit of the threshold, or null for a threshold in money. */
  readonly unitType: string | null;
  /** The currency of the threshold, or null for a threshold in units. */
  readonly currency: Currency | null;
  readonly threshold: Decimal;
  readonly reached: Decimal;
  readonly startDate: string;
  readonly endDate: string;
}

/** A coupon that was redeemed, or the end of its discount (coupons §6). */
export interface RedemptionData {
  readonly redemptionId: Uuid;
  readonly code: string;
  readonly name: string;
}

/** A feature whose value has changed (features §5). */
export interface FeatureChangeData {
  readonly feature: string;
  /**
   * The value before the change: `true`, an amount, `UNLIMITED` or a text. Null means that the feature had no value.
   */
  readonly from: string | null;
  readonly to: string | null;
}

/** A counter of a quota that has reached a threshold (features §5). */
export interface QuotaThresholdData {
  readonly feature: string;
  /** Null for an override on the account. */
  readonly subscriptionId: Uuid | null;
  /** The threshold in percent. */
  readonly threshold: number;
  readonly used: string;
  readonly amount: string;
  /** First day of the period as `yyyy-MM-dd`. */
  readonly periodStart: string;
  /** The end of the period as a UTC date-time, or null if the period has no end. */
  readonly resetsAt: string | null;
}

/**
 * A blocking state that took effect. Each of the four changes has two fields in the payload, one with the prefix `is`
 * and one without it.
 */
export interface BlockingStateData {
  readonly blockableId: Uuid;
  readonly service: string;
  readonly stateName: string;
  readonly blockingType: string;
  /** Start of the state as a UTC date-time. */
  readonly effectiveDate: string;
  readonly transitionedToBlockedBilling: boolean;
  readonly transitionedToUnblockedBilling: boolean;
  readonly transitionedToBlockedEntitlement: boolean;
  readonly transitionedToUnblockedEntitlement: boolean;
  readonly isTransitionedToBlockedBilling: boolean;
  readonly isTransitionedToUnblockedBilling: boolean;
  readonly isTransitionedToBlockedEntitlement: boolean;
  readonly isTransitionedToUnblockedEntitlement: boolean;
}

/** A change of the overdue state. */
export interface OverdueChangeData {
  readonly previousState: string;
  readonly nextState: string;
  readonly isBlockedBilling: boolean;
  readonly isUnblockedBilling: boolean;
}

/** An upcoming invoice. */
export interface InvoiceNoticeData {
  /** Target date of the invoice as a UTC date-time. */
  readonly targetDate: string;
  readonly amountOwed: Decimal;
  readonly currency: Currency;
}

/** A payment, refund or chargeback on an invoice. */
export interface InvoicePaymentData {
  /** The id of the payment, or null if no payment could start. */
  readonly paymentId: Uuid | null;
  readonly paymentAttemptId: Uuid | null;
  readonly invoicePaymentType: string;
  /** Date of the payment as a UTC date-time. */
  readonly paymentDate: string;
  readonly amount: Decimal;
  readonly currency: Currency;
  readonly linkedInvoicePaymentId: Uuid | null;
  readonly paymentCookieId: string | null;
  readonly processedCurrency: Currency | null;
}

/** An e-invoice that could not be sent (invoicing §22). */
export interface EInvoiceFailureData {
  readonly deliveryId: Uuid;
  /** The id of the credit note, or null for an invoice. */
  readonly creditNoteId: Uuid | null;
  readonly attempts: number;
  readonly error: string;
}

/** An ended payment transaction. */
export interface PaymentData {
  readonly paymentTransactionId: Uuid;
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  readonly status: string;
  readonly transactionType: string;
  /** Date of the transaction as a UTC date-time. */
  readonly effectiveDate: string;
}

/** A tag that was set or removed. */
export interface TagData {
  readonly tagDefinitionName: string;
}

/** A system key of the tenant that was written or deleted. */
export interface TenantConfigData {
  readonly key: string;
}

/** A command to all nodes. */
export interface BroadcastData {
  readonly service: string;
  readonly commandType: string;
  readonly eventJson: string;
}

/**
 * The data that each event type contains in addition to its object (platform §10.4), or null for types without such
 * data.
 */
export interface EventData {
  readonly ACCOUNT_CREATION: null;
  readonly ACCOUNT_CHANGE: null;
  readonly TENANT_CONFIG_CHANGE: TenantConfigData;
  readonly TENANT_CONFIG_DELETION: TenantConfigData;
  readonly SUBSCRIPTION_CREATION: SubscriptionEventData;
  readonly SUBSCRIPTION_CHANGE: SubscriptionEventData;
  readonly SUBSCRIPTION_PHASE: SubscriptionEventData;
  readonly SUBSCRIPTION_CANCEL: SubscriptionEventData;
  readonly SUBSCRIPTION_UNCANCEL: SubscriptionEventData;
  readonly SUBSCRIPTION_EXPIRED: SubscriptionEventData;
  readonly SUBSCRIPTION_BCD_CHANGE: SubscriptionEventData;
  readonly SUBSCRIPTION_QUANTITY: SubscriptionEventData;
  readonly USAGE_THRESHOLD: UsageThresholdData;
  readonly TRIAL_ENDING: TrialEndingData;
  readonly COUPON_REDEEMED: RedemptionData;
  readonly COUPON_ENDED: RedemptionData;
  readonly FEATURE_CHANGE: FeatureChangeData;
  readonly QUOTA_THRESHOLD: QuotaThresholdData;
  readonly ENTITLEMENT_CREATION: null;
  readonly ENTITLEMENT_CANCEL: null;
  readonly BUNDLE_PAUSE: null;
  readonly BUNDLE_RESUME: null;
  readonly BLOCKING_STATE: BlockingStateData;
  readonly OVERDUE_CHANGE: OverdueChangeData;
  readonly INVOICE_CREATION: null;
  readonly INVOICE_ADJUSTMENT: null;
  readonly INVOICE_NOTIFICATION: InvoiceNoticeData;
  readonly INVOICE_PAYMENT_SUCCESS: InvoicePaymentData;
  readonly INVOICE_PAYMENT_FAILED: InvoicePaymentData;
  readonly E_INVOICE_FAILED: EInvoiceFailureData;
  readonly PAYMENT_SUCCESS: PaymentData;
  readonly PAYMENT_FAILED: PaymentData;
  readonly TAG_CREATION: TagData;
  readonly TAG_DELETION: TagData;
  readonly CUSTOM_FIELD_CREATION: null;
  readonly CUSTOM_FIELD_DELETION: null;
  readonly BROADCAST_SERVICE: BroadcastData;
}

/** The types of published events. */
export type OutwardEventType = keyof EventData;

/** A published event of one type. */
export interface EventOfType<T extends OutwardEventType> {
  /** Id of the event. It is the same in the feed, in sinks and in every push (`webhook-id`). */
  readonly id: Uuid;
  /** The id of the tenant, or null for an event of the system. */
  readonly tenantId: Uuid | null;
  readonly eventType: T;
  readonly accountId: Uuid | null;
  readonly objectType: ObjectType;
  readonly objectId: Uuid | null;
  /**
   * Data of the event. Amounts are Decimal, and dates and date-times are ISO text. Pushes contain this data as JSON
   * text.
   */
  readonly metaData: EventData[T];
  /** Business time of the event. */
  readonly createdDate: Date;
}

/** A published event of one of these types. `eventType` distinguishes them. */
export type PublishedEvent<T extends OutwardEventType = OutwardEventType> = {
  readonly [E in T]: EventOfType<E>;
}[T];

/** An event of the feed. */
export type FeedEvent<T extends OutwardEventType = OutwardEventType> = PublishedEvent<T> & {
  /** Cursor of the event. After you process the event, continue from this cursor. */
  readonly cursor: string;
};
