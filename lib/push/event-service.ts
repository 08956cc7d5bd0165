import type { Ports } from '../ports/index.ts';
import type { EventsRequest } from '../ports/storage/index.ts';
import type { CallContext, TenantRef } from '../records/index.ts';
import { invalidParameter } from '../values/errors/index.ts';
import { DEFAULT_EVENTS, MAX_EVENT_WAIT_MS, MAX_EVENTS } from '../values/limits.ts';
import {
  cursorOf,
  type EventFeed,
  type EventListRequest,
  feedEvent,
  LATEST,
  OLDEST,
  readCursor,
} from './event-operations.ts';
import { EventWatch, eventSubscriptions, type SubscribeInput } from './event-subscriptions.ts';
import { isKnown, knownEvents } from './external-event.ts';

type EventPorts = Pick<Ports, 'storage' | 'systemClock' | 'logger'>;

/** Creates the operations that read the events stored on the bus. */
export function eventService(ports: EventPorts, tenantsOf: SubscribeInput['tenantsOf']) {
  const watch = new EventWatch(ports);
  const subscriptions = eventSubscriptions(ports, { tenantsOf, watch });

  return {
    subscriptions,

    async list({ tenant }: CallContext, request: EventListRequest): Promise<EventFeed> {
      if (tenant.within !== undefined)
        throw invalidParameter(
          'Events cannot be read inside a host transaction, because its events exist only after its commit',
          {},
        );
      const { after = OLDEST, before, types } = request;
      const limit = checkInRange('limit', request.limit ?? DEFAULT_EVENTS, [1, MAX_EVENTS]);
      const waitMs = checkInRange('waitMs', request.waitMs ?? 0, [0, MAX_EVENT_WAIT_MS]);
      const { storage, systemClock } = ports;
      if (after === LATEST)
        return { events: [], next: cursorOf(await storage.events.horizon(tenant.recordId)) };
      if (before !== undefined)
        return listBefore(ports, tenant, { after: readCursor(after), before, limit, types });
      const endsAtMs = systemClock.nowMs() + waitMs;
      let read = readCursor(after);
      for (;;) {
        const seen = watch.seen;
        const upTo = await storage.events.horizon(tenant.recordId);
        const found = await readAfter(ports, tenant, { after: read, upTo, limit, types });
        const { events } = found;
        read = found.read;
        const next = cursorOf(read);
        const leftMs = endsAtMs - systemClock.nowMs();
        if (events.length > 0 || leftMs <= 0 || watch.isOver) return { events, next };
        await watch.wait(seen, leftMs);
      }
    },

    /** Ends waiting reads and subscriptions. */
    async close(): Promise<void> {
      watch.end();
      await subscriptions.close();
    },
  };
}

export type EventService = ReturnType<typeof eventService>;

/** Returns the newest events before a cursor. */
async function listBefore(
  { storage }: EventPorts,
  tenant: TenantRef,
  { before, ...request }: Omit<EventsRequest, 'upTo'> & { readonly before: string },
): Promise<EventFeed> {
  const end = before === LATEST ? Number.POSITIVE_INFINITY : readCursor(before) - 1;
  const upTo = Math.min(await storage.events.horizon(tenant.recordId), end);
  const found = await storage.read(tenant, (session) =>
    session.events.list({ ...request, upTo, isNewestFirst: true }),
  );
  const events = found.flatMap((event) => (isKnown(event) ? (feedEvent(event, tenant.id) ?? []) : []));
  return { events, next: cursorOf(found.at(-1)?.recordId ?? 0) };
}

/** Returns the next events, and the position up to which events were read. */
async function readAfter({ storage }: EventPorts, tenant: TenantRef, request: EventsRequest) {
  const { after, upTo, limit } = request;
  const found = upTo <= after ? [] : await storage.read(tenant, (session) => session.events.list(request));
  const known = knownEvents(found);
  const isAll = known.length === found.length && found.length < limit;
  return {
    events: known.flatMap((event) => feedEvent(event, tenant.id) ?? []),
    read: isAll ? Math.max(after, upTo) : (known.at(-1)?.recordId ?? after),
  };
}

function checkInRange(name: string, given: number, [least, most]: readonly [number, number]): number {
  if (Number.isSafeInteger(given) && given >= least && given <= most) return given;
  throw invalidParameter(`${name} must be a whole number from ${least} to ${most}`, { [name]: given });
}
