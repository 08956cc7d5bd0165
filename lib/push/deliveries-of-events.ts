import type { IdGenerator } from '../ports/index.ts';
import type { DeliveriesOf, EventIdOf, ReadSession, WriteSession } from '../ports/storage/index.ts';
import { type New, ProcessingState, type PushDelivery, type ToldBusEvent } from '../records/index.ts';
import { ActiveValueCache } from '../tenants/index.ts';
import { externalEvent, isOutward, pushBody } from './external-event.ts';

/** Gives the callback that the tenant of a session has registered, or null. */
export type CallbackOf = (session: ReadSession) => Promise<string | null>;

/** The tenant's row names the row of its callback, and rows never change, so a callback is read once. */
export function callbackOf(): CallbackOf {
  const known = new ActiveValueCache<string>();
  return async (session) => {
    const { callback } = await session.revisions();
    if (callback === null) return null;
    const found = known.find(callback);
    if (found !== undefined) return found;
    const url = await session.keyValues.valueOf(callback.recordId);
    known.keep(session, callback, url);
    return url;
  };
}

/** An event that the outside is told of has an id there, the same whichever way it goes. */
export function eventIdOf({ ids }: { readonly ids: IdGenerator }): EventIdOf {
  return ({ type }) => (isOutward(type) ? ids.next() : null);
}

/**
 * What goes to the callback of a tenant of the events of one transaction (platform §10.2 rule 1), written with it: an event
 * is pushed if and only if what it tells of is stored. Without a callback nothing is.
 */
/** Where in a trace what is done now on an account stands. */
type TraceParentOf = (accountRecordId: number | null) => string | null;

export function deliveriesToCallback(registered: CallbackOf, traceParentOf: TraceParentOf): DeliveriesOf {
  return async (session, events) => {
    const url = await registered(session);
    if (url === null) return [];
    return events.flatMap((event) => newDelivery(event, url, { session, traceParentOf }));
  };
}

/** What goes to the event sinks of the host (platform §10.6), written like that: every event to each of them. */
export function deliveriesToSinks(sinks: readonly string[], traceParentOf: TraceParentOf): DeliveriesOf {
  return async (session, events) =>
    sinks.flatMap((sink) => events.flatMap((event) => newDelivery(event, sink, { session, traceParentOf })));
}

function newDelivery(
  event: ToldBusEvent,
  url: string,
  {
    session: { authorship },
    traceParentOf,
  }: { readonly session: Pick<WriteSession, 'authorship'>; readonly traceParentOf: TraceParentOf },
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
      userToken: authorship.userTokenOf(event.accountRecordId),
      traceParent: traceParentOf(event.accountRecordId),
      createdDate: authorship.createdDate,
      endedDate: null,
    },
  ];
}
