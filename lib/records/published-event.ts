import type { Uuid } from '../values/ids/index.ts';
import type { Currency, Decimal } from '../values/money/index.ts';
import type { ObjectType } from './object-type.ts';

/** What events of subscriptions tell: whether it was asked for or takes effect, and of which bundle it is. */
export interface SubscriptionEventData {
  readonly actionType: 'REQUESTED' | 'EFFECTIVE';
  readonly bundleExternalKey: string;
  /** True: the change is one that undoes another. */
  readonly subscriptionChangeUndo: boolean;
}

/** A threshold of usage that was reached (usage §12.1); days as `yyyy-MM-dd`, the end exclusive. */
export interface UsageThresholdData {
  readonly usageName: string;
  /** Null: the threshold is an amount of money. */
  readonly unitType: string | null;
  /** Null: the threshold is a quantity. */
  readonly currency: Currency | null;
  readonly threshold: Decimal;
  readonly reached: Decimal;
  readonly startDate: string;
  readonly endDate: string;
}

/** A blocking state that has taken effect; each of the four transitions is there under two names. */
export interface BlockingStateData {
  readonly blockableId: Uuid;
  readonly service: string;
  readonly stateName: string;
  readonly blockingType: string;
  /** UTC date-time. */
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

/** From which overdue state an account came to which. */
export interface OverdueChangeData {
  readonly previousState: string;
  readonly nextState: string;
  readonly isBlockedBilling: boolean;
  readonly isUnblockedBilling: boolean;
}

/** An invoice that will come, as it is foreseen. */
export interface InvoiceNoticeData {
  /** UTC date-time. */
  readonly targetDate: string;
  readonly amountOwed: Decimal;
  readonly currency: Currency;
}

/** A payment, refund or chargeback on an invoice. */
export interface InvoicePaymentData {
  /** Null: no payment could start. */
  readonly paymentId: Uuid | null;
  readonly paymentAttemptId: Uuid | null;
  readonly invoicePaymentType: string;
  /** UTC date-time. */
  readonly paymentDate: string;
  readonly amount: Decimal;
  readonly currency: Currency;
  readonly linkedInvoicePaymentId: Uuid | null;
  readonly paymentCookieId: string | null;
  readonly processedCurrency: Currency | null;
}

/** A transaction of a payment, as it ended. */
export interface PaymentData {
  readonly paymentTransactionId: Uuid;
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  readonly status: string;
  readonly transactionType: string;
  /** UTC date-time. */
  readonly effectiveDate: string;
}

/** Which tag was set or removed. */
export interface TagData {
  readonly tagDefinitionName: string;
}

/** Which of the tenant's system keys was written or deleted. */
export interface TenantConfigData {
  readonly key: string;
}

/** A command to all nodes. */
export interface BroadcastData {
  readonly service: string;
  readonly commandType: string;
  readonly eventJson: string;
}

/** What each type of event tells beside its object (platform §10.4); null: nothing. */
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
  readonly PAYMENT_SUCCESS: PaymentData;
  readonly PAYMENT_FAILED: PaymentData;
  readonly TAG_CREATION: TagData;
  readonly TAG_DELETION: TagData;
  readonly CUSTOM_FIELD_CREATION: null;
  readonly CUSTOM_FIELD_DELETION: null;
  readonly BROADCAST_SERVICE: BroadcastData;
}

/** The types of events that the outside is told of. */
export type OutwardEventType = keyof EventData;

/** An event of one type, as a host gets it in process. */
export interface EventOfType<T extends OutwardEventType> {
  /** The same whichever way the event comes, and each time: `webhook-id` of a push. */
  readonly id: Uuid;
  /** Null: the event is of the system itself. */
  readonly tenantId: Uuid | null;
  readonly eventType: T;
  readonly accountId: Uuid | null;
  readonly objectType: ObjectType;
  readonly objectId: Uuid | null;
  /** What a push has as JSON text; amounts are Decimal, dates and date-times ISO text. */
  readonly metaData: EventData[T];
  /** When it happened, by the business clock. */
  readonly createdDate: Date;
}

/** An event of any of these types, told apart by `eventType`. */
export type PublishedEvent<T extends OutwardEventType = OutwardEventType> = {
  readonly [E in T]: EventOfType<E>;
}[T];

/** An event with its place in the feed. */
export type FeedEvent<T extends OutwardEventType = OutwardEventType> = PublishedEvent<T> & {
  /** What to read on after, once the event is dealt with. */
  readonly cursor: string;
};
