import { loadAccount } from '../accounts/index.ts';
import type { Ports } from '../ports/index.ts';
import type { DeliveryFilter, ReadSession } from '../ports/storage/index.ts';
import {
  type DeliveryState,
  type Leading,
  type Page,
  type PageRequest,
  ProcessingState,
  type PushDelivery,
  type WithContext,
} from '../records/index.ts';
import { authorshipOf } from '../runtime/index.ts';
import { billingError, ErrorCode, invalidParameter } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { maskUrl } from '../values/text/index.ts';
import { type Instant, instant } from '../values/time/index.ts';
import type { ExternalEvent } from './external-event.ts';
import { callbackReader } from './send-delivery.ts';

/** Operations that list and repeat deliveries to the tenant's callback (platform §10.5). */
export function deliveryOperations(ports: Pick<Ports, 'storage'>): DeliveryOperations<WithContext> {
  const callbackOf = callbackReader();

  return {
    async list(context, request: DeliveryListRequest) {
      const { offset, limit, ...filter } = request;
      const found = await ports.storage.read(context.tenant, async (session) => {
        if (filter.accountId !== undefined) await loadAccount(session, filter.accountId);
        return session.deliveries.list(filter, { offset, limit });
      });
      return { ...found, rows: found.rows.map(viewOf) };
    },

    async get(context, deliveryId: Uuid) {
      return viewOf(await ports.storage.read(context.tenant, (session) => load(session, deliveryId)));
    },

    async sendAgain(context, deliveryId: Uuid) {
      await ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
        await session.keyValues.lock();
        const delivery = await load(session, deliveryId);
        const url = await callbackOf(session);
        if (url === null)
          throw invalidParameter('No callback that receives the event is registered', {
            deliveryId,
          });
        // This is not a first attempt, so its order within the account does not matter.
        await session.deliveries.sendAgain(delivery, { url, dueOrder: Math.max(1, context.createdDate) });
      });
    },
  };
}

async function load(session: ReadSession, deliveryId: Uuid): Promise<PushDelivery> {
  const found = await session.deliveries.find(deliveryId);
  if (found !== null) return found;
  throw billingError(ErrorCode.OBJECT_NOT_FOUND, `Delivery ${deliveryId} does not exist`, { deliveryId });
}

function viewOf(delivery: PushDelivery): DeliveryView {
  const { id, body, url, state, dueOrder, attempts, attemptedDate, lastStatus, lastError, createdDate } =
    delivery;
  return {
    id,
    ...(JSON.parse(body) as ExternalEvent),
    url: maskUrl(url),
    status: state,
    attempts,
    lastAttemptDate: attemptedDate,
    lastStatus,
    lastError,
    nextAttemptDate: state === ProcessingState.AVAILABLE ? instant(dueOrder || createdDate) : null,
    createdDate,
  };
}

/** A request for a page of deliveries. A negative `limit` lists the newest deliveries first. */
export interface DeliveryListRequest extends DeliveryFilter, PageRequest {}

/** An event for the tenant's callback, with the state of its delivery. */
export interface DeliveryView extends ExternalEvent {
  /** `webhook-id` of every attempt. */
  readonly id: Uuid;
  /** The callback URL. Its query values are masked, because they may be tokens. */
  readonly url: string;
  /**
   * State of the delivery. AVAILABLE means not sent yet, PROCESSED means accepted, and FAILED means that there will be
   * no further attempt. REMOVED means that the callback is no longer registered.
   */
  readonly status: DeliveryState;
  /** Number of finished attempts. */
  readonly attempts: number;
  readonly lastAttemptDate: Instant | null;
  /** The HTTP status of the last attempt, or null if there was no attempt or no response. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly nextAttemptDate: Instant | null;
  readonly createdDate: Instant;
}

/** Operations on deliveries to the tenant's callback (platform §10.5). */
export interface DeliveryOperations<C extends Leading = []> {
  /**
   * Returns deliveries in the order of their events. Finished deliveries are kept as long as the queue history.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  list(...given: [...C, request: DeliveryListRequest]): Promise<Page<DeliveryView>>;

  /** Returns the delivery with this `webhook-id`. @throws BillingError OBJECT_NOT_FOUND (60007). */
  get(...given: [...C, deliveryId: Uuid]): Promise<DeliveryView>;

  /**
   * Sends the event again immediately, regardless of its state. The event goes to the current callback, with the same
   * id and a new retry schedule.
   * @throws BillingError OBJECT_NOT_FOUND (60007), INVALID_PARAMETER (60002) if no callback is registered.
   */
  sendAgain(...given: [...C, deliveryId: Uuid]): Promise<void>;
}
