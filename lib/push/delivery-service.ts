import { loadAccount } from '../accounts/index.ts';
import type { Ports } from '../ports/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import {
  type CallContext,
  type Page,
  ProcessingState,
  type PushDelivery,
  type WithContext,
} from '../records/index.ts';
import { authorshipOf } from '../runtime/index.ts';
import { BillingError, ErrorCode, invalidParameter } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { maskUrl } from '../values/text/index.ts';
import { instant } from '../values/time/index.ts';
import { callbackOf } from './callback-of.ts';
import type { DeliveryListRequest, DeliveryOperations, DeliveryView } from './delivery-operations.ts';
import type { ExternalEvent } from './external-event.ts';

/** Shows tenants what goes to their callbacks, and sends it again. */
export class DeliveryService implements DeliveryOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage'>;
  readonly #callbackOf = callbackOf();

  constructor(ports: Pick<Ports, 'storage'>) {
    this.#ports = ports;
  }

  async list(context: CallContext, request: DeliveryListRequest): Promise<Page<DeliveryView>> {
    const { offset, limit, ...filter } = request;
    const found = await this.#ports.storage.read(context.tenant, async (session) => {
      if (filter.accountId !== undefined) await loadAccount(session, filter.accountId);
      return session.deliveries.list(filter, { offset, limit });
    });
    return { ...found, rows: found.rows.map(viewOf) };
  }

  async get(context: CallContext, deliveryId: Uuid): Promise<DeliveryView> {
    return viewOf(await this.#ports.storage.read(context.tenant, (session) => load(session, deliveryId)));
  }

  async sendAgain(context: CallContext, deliveryId: Uuid): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      await session.keyValues.lock();
      const delivery = await load(session, deliveryId);
      const url = await this.#callbackOf(session);
      if (url === null)
        throw invalidParameter('No callback is registered to which the event could be sent', { deliveryId });
      // Not among the first attempts of its account, which come in order.
      await session.deliveries.sendAgain(delivery, { url, dueOrder: Math.max(1, context.createdDate) });
    });
  }
}

async function load(session: ReadSession, deliveryId: Uuid): Promise<PushDelivery> {
  const found = await session.deliveries.find(deliveryId);
  if (found !== null) return found;
  throw new BillingError({
    code: ErrorCode.OBJECT_NOT_FOUND,
    message: `There is no delivery ${deliveryId}`,
    facts: { deliveryId },
  });
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
