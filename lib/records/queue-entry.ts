import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { BusEventType } from './bus-event-type.ts';

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
  PARENT_INVOICE_COMMIT: 'invoice-service:parent-invoice-commitment-queue',
  PAYMENT_RETRY: 'payment-service:retry',
  PAYMENT_JANITOR: 'payment-service:janitor',
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
  readonly createdDate: Instant;
  /** When it is due; of a bus entry its creation. */
  readonly effectiveDate: Instant;
  readonly errorCount: number;
  readonly processingState: ProcessingState;
  readonly processingOwner: string | null;
  /** Names of handlers that are done with it (platform §9.3 rule 4). */
  readonly doneHandlers: readonly string[];
}
