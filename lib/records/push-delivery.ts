import { f, type RecordOf } from '../values/fields/index.ts';
import { BusEventType, type ProcessingState } from './queue-entry.ts';

/**
 * The state of a delivery. AVAILABLE means not sent yet. REMOVED means that its callback is no longer registered. The
 * other states mean sent or failed.
 */
export type DeliveryState = Exclude<ProcessingState, 'IN_PROCESSING' | 'REAPED'>;

/** The delivery of an event to a callback (platform §10.2). */
export const pushDeliveryFields = {
  recordId: f.recordId,
  /** Id of the delivery (`webhook-id`). It is the same in every attempt. */
  id: f.id(),
  /**
   * The account to which the event belongs. The events of an account are sent in order. The value is null for events of
   * the tenant itself.
   */
  accountRecordId: f.orNull(f.bigint()),
  eventType: f.oneOf(BusEventType),
  /** The exact body of the push. */
  body: f.text(),
  /** URL of the callback when the event occurred, or when the event was requested again. */
  url: f.text(),
  state: f.code<DeliveryState>(),
  /** Due time of the next attempt on the business clock. 0 means immediately, in the order of the account's events. */
  dueOrder: f.bigint(),
  /** Number of ended attempts. */
  attempts: f.integer(),
  /** Failures in the current retry schedule. */
  failures: f.integer(),
  /** Start of the last attempt. */
  attemptedDate: f.orNull(f.instant()),
  /** The HTTP status of the last attempt, or null if there was no response. */
  lastStatus: f.orNull(f.integer()),
  /** Error of the last attempt. */
  lastError: f.orNull(f.text()),
  /** The user token of the call that caused the event, or null if it is unknown. */
  userToken: f.orNull(f.id()),
  /** The trace context of the operation that caused the event, or null if tracing is disabled. */
  traceParent: f.orNull(f.text()),
  createdDate: f.instant(),
  /** Time at which the delivery was sent, failed or removed. */
  endedDate: f.orNull(f.instant()),
};
export interface PushDelivery extends RecordOf<typeof pushDeliveryFields> {}
