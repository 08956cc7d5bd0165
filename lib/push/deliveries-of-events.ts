import type { IdGenerator } from '../ports/index.ts';
import type { DeliveriesOf, ReadSession } from '../ports/storage/index.ts';
import { type New, ProcessingState, type PushDelivery } from '../records/index.ts';
import { ActiveValueCache } from '../tenants/index.ts';
import { externalEvent, pushBody } from './external-event.ts';

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

/**
 * What goes to the callback of a tenant of the events of one transaction (platform §10.2 rule 1), written with it: an event
 * is pushed if and only if what it tells of is stored. Without a callback nothing is.
 */
export function deliveriesOf({
  ids,
  callbackOf: registered,
  traceParentOf,
}: {
  readonly ids: IdGenerator;
  readonly callbackOf: CallbackOf;
  /** Where in a trace what is done now on an account stands. */
  readonly traceParentOf: (accountRecordId: number | null) => string | null;
}): DeliveriesOf {
  return async (session, events) => {
    const url = await registered(session);
    if (url === null) return [];
    const { authorship } = session;
    const { createdDate } = authorship;
    return events.flatMap((event): readonly New<PushDelivery>[] => {
      const told = externalEvent(event);
      if (told === null) return [];
      return [
        {
          id: ids.next(),
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
          createdDate,
          endedDate: null,
        },
      ];
    });
  };
}
