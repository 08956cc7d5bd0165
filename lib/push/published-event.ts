import type { FeedEvent, PublishedBusEvent, PublishedEvent, PushDelivery } from '../records/index.ts';
import { readableBy } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { parseExactJson } from '../values/money/index.ts';
import { cursorOf } from './event-cursor.ts';
import { type ExternalEvent, outwardForm } from './external-event.ts';

/** A bus event as readers of the feed get it; null: the outside is not told of its type. */
export function feedEvent(event: PublishedBusEvent, tenantId: Uuid | null): FeedEvent | null {
  const form = outwardForm(event);
  if (form === null) return null;
  const { eventId, createdDate, recordId } = event;
  return asEvent({ id: eventId, tenantId, ...form, createdDate, cursor: cursorOf(recordId) });
}

/** What a delivery carries, as a sink gets it. */
export function deliveredEvent(delivery: PushDelivery, tenantId: Uuid | null): PublishedEvent {
  const { id, body, createdDate } = delivery;
  const { metaData, ...told } = JSON.parse(body) as ExternalEvent;
  return asEvent({
    id,
    tenantId,
    ...told,
    metaData: metaData === null ? null : parseExactJson(metaData),
    createdDate,
  });
}

const makeReadable = readableBy({ createdDate: 'instant' });

/** The table of forms makes `metaData` what the type of the event says. */
function asEvent<E extends PublishedEvent>(event: object): E {
  makeReadable(event);
  return Object.freeze(event) as E;
}
