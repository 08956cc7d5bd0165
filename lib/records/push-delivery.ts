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

/** What becomes of a delivery: to be sent, sent, given up, or withdrawn because its callback is no longer registered. */
export type DeliveryState = Exclude<ProcessingState, 'IN_PROCESSING' | 'REAPED'>;

/** One event on its way to the callback of its tenant (platform §10.2). */
export const pushDeliveryFields = {
  recordId,
  /** `webhook-id`: the same in every attempt. */
  id: id(),
  /** Whose events come in order; null = an event of the tenant itself. */
  accountRecordId: orNull(bigint()),
  eventType: oneOf(BusEventType),
  /** The body, byte for byte as it is sent. */
  body: text(),
  /** The callback that was registered when the event happened, or when it was asked for again. */
  url: text(),
  state: code<DeliveryState>(),
  /** When the next attempt is due: 0 = at once and in the order of the account, else an instant of the business clock. */
  dueOrder: bigint(),
  /** Attempts that have ended. */
  attempts: integer(),
  /** Failures since the schedule of retries began. */
  failures: integer(),
  /** When the last attempt started; null = there was none. */
  attemptedDate: orNull(instant()),
  /** HTTP status of the last attempt; null = there was none, or it got no answer. */
  lastStatus: orNull(integer()),
  /** Why the last attempt failed; null = it did not. */
  lastError: orNull(text()),
  /** Token of the call that has caused the event; null: it is not known, since an earlier version wrote it. */
  userToken: orNull(id()),
  /** Where in a trace it was caused; null: nobody traces. */
  traceParent: orNull(text()),
  createdDate: instant(),
  /** When it was sent, given up or withdrawn. */
  endedDate: orNull(instant()),
};
export interface PushDelivery extends RecordOf<typeof pushDeliveryFields> {}
