import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

/** BUS = due now, NOTIFICATION = due at an instant; one mechanism for both (platform §9). */
export const QueueKind = { BUS: 'BUS', NOTIFICATION: 'NOTIFICATION' } as const;
export type QueueKind = (typeof QueueKind)[keyof typeof QueueKind];

export const ProcessingState = {
  AVAILABLE: 'AVAILABLE',
  IN_PROCESSING: 'IN_PROCESSING',
  PROCESSED: 'PROCESSED',
  REMOVED: 'REMOVED',
  FAILED: 'FAILED',
  REAPED: 'REAPED',
} as const;
export type ProcessingState = (typeof ProcessingState)[keyof typeof ProcessingState];

/** Names of the notification queues, `<service>:<queue>` (platform §9.1). */
export const QueueName = {
  SUBSCRIPTION_EVENTS: 'subscription-service:subscription-events',
  ENTITLEMENT_EVENTS: 'entitlement-service:entitlement-events',
  NEXT_BILLING_DATE: 'invoice-service:next-billing-date-queue',
  INVOICE_NOTIFICATIONS: 'invoice-service:invoice-notification-queue',
  PARENT_INVOICE_COMMIT: 'invoice-service:parent-invoice-commitment-queue',
  PAYMENT_RETRY: 'payment-service:retry',
  PAYMENT_JANITOR: 'payment-service:janitor',
  OVERDUE_CHECK: 'overdue-service:overdue-check-queue',
  OVERDUE_REFRESH: 'overdue-service:overdue-async-bus-queue',
  USAGE_THRESHOLDS: 'usage-service:threshold-queue',
  PUSH_NOTIFICATIONS: 'server-service:push-notification-queue',
} as const;
export type QueueName = (typeof QueueName)[keyof typeof QueueName];

/** JSON object; Decimal amounts are written as exact numbers. */
export type EventPayload = Readonly<Record<string, unknown>>;

/** A bus event before it is stored. `accountRecordId` null = a tenant event. */
export interface NewBusEvent {
  readonly type: BusEventType;
  readonly accountRecordId: number | null;
  readonly payload: EventPayload;
}

/** A bus event that the outside is told of. */
export interface ToldBusEvent extends NewBusEvent {
  /** By which it is known outside, whichever way it goes. */
  readonly eventId: Uuid;
}

/** A bus event as it was told to the outside. */
export interface PublishedBusEvent extends ToldBusEvent {
  /** Rises in the order in which the events of an account happened. */
  readonly recordId: number;
  /** 0 = of the system itself. */
  readonly tenantRecordId: number;
  /** Its numbers are Decimal. */
  readonly payload: EventPayload;
  readonly createdDate: Instant;
  /** Of the call that has caused it. */
  readonly userToken: Uuid;
  /** Where in a trace it has happened; null = in none. */
  readonly traceParent: string | null;
}

/** A notification before it is stored. */
export interface NewNotification {
  readonly queueName: QueueName;
  readonly accountRecordId: number;
  readonly effectiveDate: Instant;
  readonly payload: EventPayload;
  /** At most one live entry has a given key; a second insert with it is a no-op. */
  readonly uniqueKey: string | null;
}

/** A claimed or listed entry of either kind (platform §9.1). */
export interface QueueEntry {
  readonly recordId: number;
  readonly kind: QueueKind;
  /** Event type of a bus entry, queue name of a notification: what a handler subscribes to. */
  readonly topic: string;
  readonly payload: EventPayload;
  readonly accountRecordId: number | null;
  readonly tenantRecordId: number;
  readonly userToken: Uuid;
  /** Where in a trace it was caused, as W3C Trace Context writes it; null: nobody traces. */
  readonly traceParent: string | null;
  readonly createdDate: Instant;
  /** When it is due; for a bus entry, its creation. */
  readonly effectiveDate: Instant;
  readonly errorCount: number;
  readonly processingState: ProcessingState;
  readonly processingOwner: string | null;
  /** Names of handlers that have finished with it (platform §9.3 rule 4). */
  readonly doneHandlers: readonly string[];
}

/** Types of bus events: the names that pushes carry (platform §10.4), and the internal ones. */
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
  PAYMENT_SUCCESS: 'PAYMENT_SUCCESS',
  PAYMENT_FAILED: 'PAYMENT_FAILED',
  TAG_CREATION: 'TAG_CREATION',
  TAG_DELETION: 'TAG_DELETION',
  CUSTOM_FIELD_CREATION: 'CUSTOM_FIELD_CREATION',
  CUSTOM_FIELD_DELETION: 'CUSTOM_FIELD_DELETION',
  USAGE_THRESHOLD: 'USAGE_THRESHOLD',
  /** Of the system, not of a tenant. */
  BROADCAST_SERVICE: 'BROADCAST_SERVICE',
  /** Internal: recovery of a transaction has run out of checks (payments §7.2). */
  PAYMENT_UNRESOLVED: 'PAYMENT_UNRESOLVED',
  /** Internal: an invoice that the parent of its account pays is new or has changed (invoicing §12). */
  CHILD_INVOICE_CHANGE: 'CHILD_INVOICE_CHANGE',
  /** Internal: an invoice run found nothing to invoice. */
  NULL_INVOICE: 'NULL_INVOICE',
} as const;
export type BusEventType = (typeof BusEventType)[keyof typeof BusEventType];
