import type { IdGenerator } from '../ports/index.ts';
import type { EventIdOf } from '../ports/storage/index.ts';
import { type New, ProcessingState, type PublishedBusEvent, type PushDelivery } from '../records/index.ts';
import { externalEvent, isOutward, pushBody } from './external-event.ts';

/** An event that the outside is told of has an id there, the same whichever way it goes. */
export function eventIdOf({ ids }: { readonly ids: IdGenerator }): EventIdOf {
  return ({ type }) => (isOutward(type) ? ids.next() : null);
}

/** A delivery of an event, to a URL or to a sink; of an event that the outside is not told of none. */
export function newDelivery(event: PublishedBusEvent, url: string): readonly New<PushDelivery>[] {
  const told = externalEvent(event);
  if (told === null) return [];
  const { createdDate, userToken, traceParent } = event;
  return [
    {
      id: event.eventId,
      accountRecordId: event.accountRecordId,
      eventType: event.type,
      body: pushBody(told),
      url,
      state: ProcessingState.AVAILABLE,
      dueOrder: 0,
      attempts: 0,
      failures: 0,
      attemptedDate: null,
      lastStatus: null,
      lastError: null,
      userToken,
      traceParent,
      createdDate,
      endedDate: null,
    },
  ];
}
