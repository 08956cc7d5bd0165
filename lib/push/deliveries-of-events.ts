import type { IdGenerator } from '../ports/index.ts';
import type { DeliveriesOf, EventIdOf } from '../ports/storage/index.ts';
import {
  type New,
  ProcessingState,
  type PublishedBusEvent,
  type PushDelivery,
  type ToldBusEvent,
} from '../records/index.ts';
import { externalEvent, isOutward, pushBody } from './external-event.ts';

/** An event that the outside is told of has an id there, the same whichever way it goes. */
export function eventIdOf({ ids }: { readonly ids: IdGenerator }): EventIdOf {
  return ({ type }) => (isOutward(type) ? ids.next() : null);
}

/** Where in a trace what is done now on an account stands. */
type TraceParentOf = (accountRecordId: number | null) => string | null;

/** What goes to the event sinks of the host (platform §10.6), written with them: every event to each of them. */
export function deliveriesToSinks(sinks: readonly string[], traceParentOf: TraceParentOf): DeliveriesOf {
  return async ({ authorship }, events) =>
    sinks.flatMap((sink) =>
      events.flatMap((event) =>
        newDelivery(event, sink, {
          createdDate: authorship.createdDate,
          userToken: authorship.userTokenOf(event.accountRecordId),
          traceParent: traceParentOf(event.accountRecordId),
        }),
      ),
    );
}

/** What a delivery keeps of where its event has come from. */
type Origin = Pick<PublishedBusEvent, 'createdDate' | 'userToken' | 'traceParent'>;

/** A delivery of an event, to a URL or to a sink; of an event that the outside is not told of none. */
export function newDelivery(
  event: ToldBusEvent,
  url: string,
  { createdDate, userToken, traceParent }: Origin,
): readonly New<PushDelivery>[] {
  const told = externalEvent(event);
  if (told === null) return [];
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
