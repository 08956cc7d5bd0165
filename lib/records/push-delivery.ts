import { f, type RecordOf } from '../values/fields/index.ts';
import { BusEventType, type ProcessingState } from './queue-entry.ts';

/** The state of a delivery: AVAILABLE, sent, failed, or REMOVED because its callback is no longer registered. */
export type DeliveryState = Exclude<ProcessingState, 'IN_PROCESSING' | 'REAPED'>;

/** The delivery of an event to a callback (platform §10.2). */
export const pushDeliveryFields = {
  recordId: f.recordId,
  /** Id of the delivery (`webhook-id`), the same in every attempt. */
  id: f.id(),
  /** The account whose events are sent in order; null for events of the tenant. */
  accountRecordId: f.orNull(f.bigint()),
  eventType: f.oneOf(BusEventType),
  /** The exact body of the push. */
  body: f.text(),
  /** The callback at the time of the event, or of the request to send the event again. */
  url: f.text(),
  state: f.code<DeliveryState>(),
  /** Due time of the next attempt on the business clock; 0 means immediately, in the order of the account's events. */
  dueOrder: f.bigint(),
  /** Number of ended attempts. */
  attempts: f.integer(),
  /** Failures in the current retry schedule. */
  failures: f.integer(),
  /** Start of the last attempt. */
  attemptedDate: f.orNull(f.instant()),
  /** HTTP status of the last attempt; null without an answer. */
  lastStatus: f.orNull(f.integer()),
  /** Error of the last attempt. */
  lastError: f.orNull(f.text()),
  /** Token of the causing call; null means unknown. */
  userToken: f.orNull(f.id()),
  /** Trace position of the cause; null if tracing is off. */
  traceParent: f.orNull(f.text()),
  createdDate: f.instant(),
  /** Time at which the delivery was sent, failed or removed. */
  endedDate: f.orNull(f.instant()),
};
export interface PushDelivery extends RecordOf<typeof pushDeliveryFields> {}
