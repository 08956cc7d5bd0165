import type { Ports } from '../ports/index.ts';
import type { CallContext, WithContext } from '../records/index.ts';
import { invalidParameter } from '../values/errors/index.ts';
import { DEFAULT_EVENTS, MAX_EVENT_WAIT_MS, MAX_EVENTS } from '../values/limits.ts';
import {
  cursorOf,
  type EventFeed,
  type EventListRequest,
  type EventOperations,
  feedEvent,
  LATEST,
  OLDEST,
  readCursor,
} from './event-operations.ts';
import { EventSubscriptions, EventWatch, type SubscribeInput } from './event-subscriptions.ts';
import { knownEvents } from './external-event.ts';

type EventPorts = Pick<Ports, 'storage' | 'systemClock' | 'logger'>;

/** Reads events from the bus, where they are stored anyway. */
export class EventService implements EventOperations<WithContext> {
  readonly #ports: EventPorts;
  readonly #watch: EventWatch;
  readonly #subscriptions: EventSubscriptions;

  constructor(ports: EventPorts, tenantsOf: SubscribeInput['tenantsOf']) {
    this.#ports = ports;
    this.#watch = new EventWatch(ports);
    this.#subscriptions = new EventSubscriptions(ports, { tenantsOf, watch: this.#watch });
  }

  get subscriptions(): EventSubscriptions {
    return this.#subscriptions;
  }

  async list({ tenant }: CallContext, request: EventListRequest): Promise<EventFeed> {
    if (tenant.within !== undefined)
      throw invalidParameter(
        'Events are read outside the transaction of the host: what it does has not happened before its commit',
        {},
      );
    const { after = OLDEST, types } = request;
    const limit = bounded('limit', request.limit ?? DEFAULT_EVENTS, { least: 1, most: MAX_EVENTS });
    const waitMs = bounded('waitMs', request.waitMs ?? 0, { least: 0, most: MAX_EVENT_WAIT_MS });
    const { storage, systemClock } = this.#ports;
    if (after === LATEST)
      return { events: [], next: cursorOf(await storage.events.horizon(tenant.recordId)) };
    const endsAtMs = systemClock.nowMs() + waitMs;
    let read = readCursor(after);
    for (;;) {
      const seen = this.#watch.seen;
      const upTo = await storage.events.horizon(tenant.recordId);
      const found =
        upTo <= read
          ? []
          : await storage.read(tenant, (session) => session.events.list({ after: read, upTo, limit, types }));
      const known = knownEvents(found);
      const events = known.flatMap((event) => feedEvent(event, tenant.id) ?? []);
      const isAll = known.length === found.length && found.length < limit;
      read = isAll ? Math.max(read, upTo) : (known.at(-1)?.recordId ?? read);
      const next = cursorOf(read);
      const leftMs = endsAtMs - systemClock.nowMs();
      if (events.length > 0 || leftMs <= 0 || this.#watch.isOver) return { events, next };
      await this.#watch.wait(seen, leftMs);
    }
  }

  /** Ends waiting reads and subscriptions. */
  async close(): Promise<void> {
    this.#watch.end();
    await this.#subscriptions.close();
  }
}

function bounded(
  name: string,
  given: number,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  if (Number.isSafeInteger(given) && given >= least && given <= most) return given;
  throw invalidParameter(`${name} has to be a whole number from ${least} to ${most}`, { [name]: given });
}
