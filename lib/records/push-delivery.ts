import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { BusEventType, ProcessingState } from './queue-entry.ts';

/** What becomes of a delivery: to be sent, sent, given up, or withdrawn because its callback is no longer registered. */
export type DeliveryState = Exclude<ProcessingState, 'IN_PROCESSING' | 'REAPED'>;

/** One event on its way to the callback of its tenant (platform §10.2). */
export interface PushDelivery {
  readonly recordId: number;
  /** `webhook-id`: the same in every attempt. */
  readonly id: Uuid;
  /** Whose events come in order; null = an event of the tenant itself. */
  readonly accountRecordId: number | null;
  readonly eventType: BusEventType;
  /** The body, byte for byte as it is sent. */
  readonly body: string;
  /** The callback that was registered when the event happened, or when it was asked for again. */
  readonly url: string;
  readonly state: DeliveryState;
  /** When the next attempt is due: 0 = at once and in the order of the account, else an instant of the business clock. */
  readonly dueOrder: number;
  /** Attempts that have ended. */
  readonly attempts: number;
  /** Failures since the schedule of retries began. */
  readonly failures: number;
  /** When the last attempt started; null = there was none. */
  readonly attemptedDate: Instant | null;
  /** HTTP status of the last attempt; null = there was none, or it got no answer. */
  readonly lastStatus: number | null;
  /** Why the last attempt failed; null = it did not. */
  readonly lastError: string | null;
  /** Token of the call that has caused the event; null: it is not known, since an earlier version wrote it. */
  readonly userToken: Uuid | null;
  /** Where in a trace it was caused; null: nobody traces. */
  readonly traceParent: string | null;
  readonly createdDate: Instant;
  /** When it was sent, given up or withdrawn. */
  readonly endedDate: Instant | null;
}
