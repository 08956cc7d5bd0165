import {
  bigint,
  code,
  id,
  instant,
  integer,
  oneOf,
  orNull,
  type RecordOf,
  recordId,
  text,
} from '../values/fields/index.ts';
import { BusEventType, type ProcessingState } from './queue-entry.ts';

/** The state of a delivery: AVAILABLE, sent, failed, or REMOVED because its callback is no longer registered. */
export type DeliveryState = Exclude<ProcessingState, 'IN_PROCESSING' | 'REAPED'>;

/** The delivery of an event to a callback (platform §10.2). */
export const pushDeliveryFields = {
  recordId,
  /** `webhook-id`: the same in every attempt. */
  id: id(),
  /** The account whose events are sent in order; null for events of the tenant. */
  accountRecordId: orNull(bigint()),
  eventType: oneOf(BusEventType),
  /** The exact body. */
  body: text(),
  /** The callback at the time of the event or of the repeated request. */
  url: text(),
  state: code<DeliveryState>(),
  /** Due time of the next attempt on the business clock; 0 = at once, in the order of the account. */
  dueOrder: bigint(),
  /** Number of ended attempts. */
  attempts: integer(),
  /** Failures in the current retry schedule. */
  failures: integer(),
  /** Start of the last attempt. */
  attemptedDate: orNull(instant()),
  /** HTTP status of the last attempt; null without an answer. */
  lastStatus: orNull(integer()),
  /** Error of the last attempt. */
  lastError: orNull(text()),
  /** Token of the causing call; null = unknown. */
  userToken: orNull(id()),
  /** Trace position of the cause; null without tracing. */
  traceParent: orNull(text()),
  createdDate: instant(),
  /** When it was sent, failed or removed. */
  endedDate: orNull(instant()),
};
export interface PushDelivery extends RecordOf<typeof pushDeliveryFields> {}
