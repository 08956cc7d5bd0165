import type { DeliveryFilter } from '../ports/storage/index.ts';
import type { DeliveryState, Leading, Page, PageRequest } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { ExternalEvent } from './external-event.ts';

/** Which deliveries are listed; a negative `limit` lists the newest first. */
export interface DeliveryListRequest extends DeliveryFilter, PageRequest {}

/** An event on its way to the tenant's callback, and how that went. */
export interface DeliveryView extends ExternalEvent {
  /** `webhook-id` of every attempt. */
  readonly id: Uuid;
  /** With the values of its query masked, which may be tokens. */
  readonly url: string;
  /** AVAILABLE = to be sent, PROCESSED = taken, FAILED = given up, REMOVED = its callback is no longer registered. */
  readonly status: DeliveryState;
  /** Attempts that have ended. */
  readonly attempts: number;
  readonly lastAttemptDate: Instant | null;
  /** HTTP status of the last attempt; null = there was none, or it got no answer. */
  readonly lastStatus: number | null;
  /** Why the last attempt failed. */
  readonly lastError: string | null;
  /** Null = there is no further one. */
  readonly nextAttemptDate: Instant | null;
  readonly createdDate: Instant;
}

/** What is and was sent to the tenant's callback (platform §10.5). */
export interface DeliveryOperations<C extends Leading = []> {
  /**
   * Deliveries in the order of their events; those that have ended are kept as long as queue history.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  list(...given: [...C, request: DeliveryListRequest]): Promise<Page<DeliveryView>>;

  /** One delivery, by the id that every attempt carries. @throws BillingError OBJECT_NOT_FOUND (60007). */
  get(...given: [...C, deliveryId: Uuid]): Promise<DeliveryView>;

  /**
   * Sends the event again, whatever became of it: at once, to the callback that is registered now, with the schedule of
   * retries from its start, and under the same id.
   * @throws BillingError OBJECT_NOT_FOUND (60007), INVALID_PARAMETER (60002) when no callback is registered.
   */
  sendAgain(...given: [...C, deliveryId: Uuid]): Promise<void>;
}
