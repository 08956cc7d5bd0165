import { enumeration } from '../values/fields/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

/** Kinds of queue entries. A BUS entry is due immediately; a NOTIFICATION entry is due at an instant (platform §9). */
export const QueueKind = enumeration('BUS', 'NOTIFICATION');
export type QueueKind = keyof typeof QueueKind;

export const ProcessingState = enumeration(
  'AVAILABLE',
  'IN_PROCESSING',
  'PROCESSED',
  'REMOVED',
  'FAILED',
  'REAPED',
);
export type ProcessingState = keyof typeof ProcessingState;

/** Names of the notification queues, `<service>:<queue>` (platform §9.1). */
export const QueueName = {
  SUBSCRIPTION_EVENTS: 'subscription-service:subscription-events',
  ENTITLEMENT_EVENTS: 'entitlement-service:entitlement-events',
  TRIAL_NOTICES: 'subscription-service:trial-notice-queue',
  NEXT_BILLING_DATE: 'invoice-service:next-billing-date-queue',
  INVOICE_NOTIFICATIONS: 'invoice-service:invoice-notification-queue',
  PARENT_INVOICE_COMMIT: 'invoice-service:parent-invoice-commitment-queue',
  E_INVOICES: 'invoice-service:e-invoice-queue',
  PAYMENT_RETRY: 'payment-service:retry',
  PAYMENT_JANITOR: 'payment-service:janitor',
  OVERDUE_CHECK: 'overdue-service:overdue-check-queue',
  OVERDUE_REFRESH: 'overdue-service:overdue-async-bus-queue',
  USAGE_THRESHOLDS: 'usage-service:threshold-queue',
  COUPON_ENDS: 'coupon-service:end-queue',
  FEATURE_CHANGES: 'feature-service:change-queue',
  PUSH_NOTIFICATIONS: 'server-service:push-notification-queue',
} as const;
export type QueueName = (typeof QueueName)[keyof typeof QueueName];

/** Payload as a JSON object. Decimal amounts are written as exact numbers. */
export type EventPayload = Readonly<Record<string, unknown>>;

/** A bus event before it is stored. `accountRecordId` is null for an event of the tenant itself. */
export interface NewBusEvent {
  readonly type: BusEventType;
  readonly accountRecordId: number | null;
  readonly payload: EventPayload;
}

/** A bus event with its public id. */
export interface IdentifiedBusEvent extends NewBusEvent {
  /** Id of the event. It is the same in the feed, in sinks and in pushes. */
  readonly eventId: Uuid;
}

/** A published bus event. Numbers in the payload are Decimal. */
export interface PublishedBusEvent extends IdentifiedBusEvent {
  /** Record id. It increases in the order of an account's events. */
  readonly recordId: number;
  /** Record id of the tenant. 0 means the system. */
  readonly tenantRecordId: number;
  readonly createdDate: Instant;
  /** Token of the causing call. */
  readonly userToken: Uuid;
  /** The trace context of the operation that created the entry, or null if tracing is disabled. */
  readonly traceParent: string | null;
}

/** A notification before storage. */
export interface NewNotification {
  readonly queueName: QueueName;
  readonly accountRecordId: number;
  readonly effectiveDate: Instant;
  readonly payload: EventPayload;
  /** Key that is unique among live entries. If a live entry has the key, a second entry is not inserted. */
  readonly uniqueKey: string | null;
}

/** A queue entry (platform §9.1). */
export interface QueueEntry {
  readonly recordId: number;
  readonly kind: QueueKind;
  /** Event type of a bus entry, or queue name of a notification. It determines the handlers. */
  readonly topic: string;
  readonly payload: EventPayload;
  readonly accountRecordId: number | null;
  readonly tenantRecordId: number;
  readonly userToken: Uuid;
  /** W3C Trace Context of the operation that created the entry, or null if tracing is disabled. */
  readonly traceParent: string | null;
  readonly createdDate: Instant;
  /** Due time. A bus entry is due when it is created. */
  readonly effectiveDate: Instant;
  readonly errorCount: number;
  readonly processingState: ProcessingState;
  readonly processingOwner: string | null;
  /** Names of finished handlers (platform §9.3 rule 4). */
  readonly doneHandlers: readonly string[];
}

/** Types of bus events. Some are published (platform §10.4); others are internal. */
export const BusEventType = {
  ACCOUNT_CREATION: 'ACCOUNT_CREATION',
  ACCOUNT_CHANGE: 'ACCOUNT_CHANGE',
  TENANT_CONFIG_CHANGE: 'TENANT_CONFIG_CHANGE',
  TENANT_CONFIG_DELETION: 'TENANT_CONFIG_DELETION',
  SUBSCRIPTION_CREATION: 'SUBSCRIPTION_CREATION',
  SUBSCRIPTION_CHANGE: 'SUBSCRIPTION_CHANGE',
  SUBSCRIPTION_PHASE: 'SUBSCRIPTION_PHASE',
  SUBSCRIPTION_CANCEL: 'SUBSCRIPTION_CANCEL',
  SUBSCRIPTION_UNCANCEL: 'SUBSCRIPTION_UNCANCEL',
  SUBSCRIPTION_EXPIRED: 'SUBSCRIPTION_EXPIRED',
  SUBSCRIPTION_BCD_CHANGE: 'SUBSCRIPTION_BCD_CHANGE',
  SUBSCRIPTION_QUANTITY: 'SUBSCRIPTION_QUANTITY',
  ENTITLEMENT_CREATION: 'ENTITLEMENT_CREATION',
  ENTITLEMENT_CANCEL: 'ENTITLEMENT_CANCEL',
  BUNDLE_PAUSE: 'BUNDLE_PAUSE',
  BUNDLE_RESUME: 'BUNDLE_RESUME',
  BLOCKING_STATE: 'BLOCKING_STATE',
  OVERDUE_CHANGE: 'OVERDUE_CHANGE',
  INVOICE_CREATION: 'INVOICE_CREATION',
  INVOICE_ADJUSTMENT: 'INVOICE_ADJUSTMENT',
  INVOICE_NOTIFICATION: 'INVOICE_NOTIFICATION',
  INVOICE_PAYMENT_SUCCESS: 'INVOICE_PAYMENT_SUCCESS',
  INVOICE_PAYMENT_FAILED: 'INVOICE_PAYMENT_FAILED',
  E_INVOICE_FAILED: 'E_INVOICE_FAILED',
  PAYMENT_SUCCESS: 'PAYMENT_SUCCESS',
  PAYMENT_FAILED: 'PAYMENT_FAILED',
  TAG_CREATION: 'TAG_CREATION',
  TAG_DELETION: 'TAG_DELETION',
  CUSTOM_FIELD_CREATION: 'CUSTOM_FIELD_CREATION',
  CUSTOM_FIELD_DELETION: 'CUSTOM_FIELD_DELETION',
  USAGE_THRESHOLD: 'USAGE_THRESHOLD',
  TRIAL_ENDING: 'TRIAL_ENDING',
  COUPON_REDEEMED: 'COUPON_REDEEMED',
  COUPON_ENDED: 'COUPON_ENDED',
  FEATURE_CHANGE: 'FEATURE_CHANGE',
  QUOTA_THRESHOLD: 'QUOTA_THRESHOLD',
  /** An event of the system. */
  BROADCAST_SERVICE: 'BROADCAST_SERVICE',
  /** Internal: recovery gave up on a transaction (payments §7.2). */
  PAYMENT_UNRESOLVED: 'PAYMENT_UNRESOLVED',
  /** Internal: an invoice that a parent pays was created or changed (invoicing §12). */
  CHILD_INVOICE_CHANGE: 'CHILD_INVOICE_CHANGE',
  /** Internal: an invoice run found nothing to invoice. */
  NULL_INVOICE: 'NULL_INVOICE',
} as const;
export type BusEventType = keyof typeof BusEventType;
