import type { IdGenerator, SystemClock } from '../ports/index.ts';
import type { EventIdOf, PushLease, PushStore, ReadSession, Storage } from '../ports/storage/index.ts';
import {
  type New,
  ProcessingState,
  type PublishedBusEvent,
  type PushDelivery,
  type TenantRef,
} from '../records/index.ts';
import { PUSH_LEASE_MS, PUSH_LOAD_SIZE } from '../values/limits.ts';
import { externalEvent, isOutward, knownEvents, pushBody } from './external-event.ts';

interface TakeUpPorts {
  readonly storage: Pick<Storage<never>, 'events' | 'read'>;
  readonly systemClock: SystemClock;
}

interface Destination {
  /** The record id of the last event that has a delivery. */
  readonly after: number;
  /** URL of a callback, or the name of an event sink. */
  readonly url: string;
}

/**
 * Creates deliveries for the next events (platform §10.2 rule 1). Returns MORE if there may be more events, LOST if the
 * lease was lost, and NONE otherwise. `destinationOf` returns null if the destination was removed.
 */
export async function claimEvents(
  { storage, systemClock }: TakeUpPorts,
  of: {
    readonly store: Pick<PushStore, 'takeUp'>;
    readonly lease: PushLease;
    readonly tenant: TenantRef;
    readonly destinationOf: (session: ReadSession) => Promise<Destination | null>;
  },
): Promise<'MORE' | 'NONE' | 'LOST'> {
  const { store, lease, tenant, destinationOf } = of;
  const upTo = await storage.events.horizon(tenant.recordId);
  const next = await storage.read(tenant, async (session) => {
    const destination = await destinationOf(session);
    if (destination === null) return null;
    const { after } = destination;
    return { ...destination, events: await session.events.list({ after, upTo, limit: PUSH_LOAD_SIZE }) };
  });
  if (next === null) return 'NONE';
  const { after, url } = next;
  const events = knownEvents(next.events);
  const last = events.at(-1);
  if (last === undefined) return 'NONE';
  const deliveries = events.flatMap((event) => newDelivery(event, url));
  const taken = { after, upTo: last.recordId, deliveries };
  const result = await store.takeUp(lease, taken, systemClock.nowMs() + PUSH_LEASE_MS);
  return result === 'LOST' ? 'LOST' : 'MORE';
}

/** Returns the public id of an event. It is the same for all delivery methods. */
export function eventIdOf({ ids }: { readonly ids: IdGenerator }): EventIdOf {
  return ({ type }) => (isOutward(type) ? ids.next() : null);
}

/** Returns one delivery for a public event, and none for an internal event. */
function newDelivery(event: PublishedBusEvent, url: string): readonly New<PushDelivery>[] {
  const form = externalEvent(event);
  if (form === null) return [];
  const { createdDate, userToken, traceParent } = event;
  return [
    {
      id: event.eventId,
      accountRecordId: event.accountRecordId,
      eventType: event.type,
      body: pushBody(form),
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
