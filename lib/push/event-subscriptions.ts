import { type Ports, retryLaterOf, type SystemClock } from '../ports/index.ts';
import type { EventStore } from '../ports/storage/index.ts';
import {
  type FeedEvent,
  type OutwardEventType,
  type PublishedBusEvent,
  SYSTEM_TENANT,
  type TenantRef,
} from '../records/index.ts';
import { hostAnswer, Signal } from '../runtime/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { DEFAULT_EVENTS, EVENT_POLL_MS, QUEUE_RETRY_PAUSES_MS } from '../values/limits.ts';
import {
  cursorOf,
  type EventSubscription,
  feedEvent,
  LATEST,
  readCursor,
  type SubscribeRequest,
} from './event-operations.ts';
import { knownEvents } from './external-event.ts';

type SubscriptionPorts = Pick<Ports, 'storage' | 'systemClock' | 'logger'>;

export interface SubscribeInput {
  readonly tenantsOf: (recordIds: readonly number[]) => Promise<ReadonlyMap<number, Uuid>>;
  readonly watch: EventWatch;
}

interface Handled {
  readonly types: readonly OutwardEventType[] | undefined;
  readonly onEvent: (event: never) => Promise<void> | void;
  /** The tenant. Null means all tenants and the system. */
  readonly tenant: TenantRef | null;
  readonly after: number;
}

/** Returns the event handlers of this process (platform §10.6). */
export function eventSubscriptions(ports: SubscriptionPorts, input: SubscribeInput) {
  const open = new Set<Subscription>();

  async function placeOf(tenant: TenantRef | null, after: string = LATEST): Promise<number> {
    return after === LATEST ? ports.storage.events.horizon(tenant?.recordId ?? null) : readCursor(after);
  }

  return {
    async subscribe<T extends OutwardEventType>(
      request: Omit<SubscribeRequest<T>, 'tenant'> & { readonly tenant: TenantRef | null },
    ): Promise<EventSubscription> {
      const { tenant, types, onEvent, after } = request;
      const handled = { tenant, types, onEvent, after: await placeOf(tenant, after) };
      const subscription = new Subscription(ports, input, handled);
      open.add(subscription);
      void subscription.ended.then(() => open.delete(subscription));
      return subscription;
    },

    async close(): Promise<void> {
      await Promise.all([...open].map((subscription) => subscription.close()));
    },
  };
}

class Subscription implements EventSubscription {
  readonly ended: Promise<void>;
  readonly #ports: SubscriptionPorts;
  readonly #input: SubscribeInput;
  readonly #handled: Handled;
  #at: number;
  #isClosed = false;
  #closed: () => void = () => undefined;
  readonly #closing = new Promise<void>((resolve) => {
    this.#closed = resolve;
  });

  constructor(ports: SubscriptionPorts, input: SubscribeInput, handled: Handled) {
    this.#ports = ports;
    this.#input = input;
    this.#handled = handled;
    this.#at = handled.after;
    this.ended = this.#run();
  }

  get cursor(): string {
    return cursorOf(this.#at);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closed();
    await this.ended;
  }

  async #run(): Promise<void> {
    const { watch } = this.#input;
    while (!this.#isClosed) {
      const seen = watch.seen;
      const mayHaveMore = await this.#step();
      if (!mayHaveMore && !this.#isClosed)
        await Promise.race([watch.wait(seen, EVENT_POLL_MS), this.#closing]);
    }
  }

  /** Delivers the next events. @returns true if there may be more events. */
  async #step(): Promise<boolean> {
    let found: readonly PublishedBusEvent[] = [];
    let upTo = this.#at;
    try {
      upTo = await this.#ports.storage.events.horizon(this.#handled.tenant?.recordId ?? null);
      found = upTo <= this.#at ? [] : await this.#read(upTo);
      const known = knownEvents(found);
      const events = await this.#buildFeedEvents(known);
      for (const [recordId, event] of events) {
        if (event !== null && !(await this.#give(event))) return false;
        this.#at = recordId;
        if (this.#isClosed) return false;
      }
      if (known.length < found.length) return false;
    } catch (error) {
      this.#ports.logger.warn(
        { err: error },
        'events could not be read for a subscriber; reading will be retried',
      );
      await this.#pause(EVENT_POLL_MS);
      return false;
    }
    if (found.length === DEFAULT_EVENTS) return true;
    this.#at = Math.max(this.#at, upTo);
    return false;
  }

  #read(upTo: number): Promise<readonly PublishedBusEvent[]> {
    const { storage } = this.#ports;
    const { tenant, types } = this.#handled;
    const request = { after: this.#at, upTo, limit: DEFAULT_EVENTS, types };
    if (tenant === null) return storage.events.list(request);
    return storage.read(tenant, (session) => session.events.list(request));
  }

  async #buildFeedEvents(
    found: readonly PublishedBusEvent[],
  ): Promise<readonly (readonly [recordId: number, FeedEvent | null])[]> {
    const recordIds = new Set(found.map(({ tenantRecordId }) => tenantRecordId));
    recordIds.delete(SYSTEM_TENANT.recordId);
    const tenants = recordIds.size === 0 ? new Map() : await this.#input.tenantsOf([...recordIds]);
    return found.map((event) => {
      return [event.recordId, feedEvent(event, tenants.get(event.tenantRecordId) ?? null)];
    });
  }

  /** Resolves to true when the handler has processed the event, or to false if the subscription closes before that. */
  async #give(event: FeedEvent): Promise<boolean> {
    for (let failures = 0; !this.#isClosed; failures += 1) {
      try {
        await hostAnswer(() => this.#handled.onEvent(event as never));
        return true;
      } catch (error) {
        const last = QUEUE_RETRY_PAUSES_MS.at(-1) ?? 0;
        const pauseMs = retryLaterOf(error)?.delayMs ?? QUEUE_RETRY_PAUSES_MS[failures] ?? last;
        const { id, eventType } = event;
        this.#ports.logger.warn(
          { err: error, eventId: id, eventType, pauseMs },
          'an event subscriber threw an error; the event will be delivered again',
        );
        await this.#pause(pauseMs);
      }
    }
    return false;
  }

  async #pause(ms: number): Promise<void> {
    let cancel = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      cancel = this.#ports.systemClock.after(ms, resolve);
    });
    await Promise.race([over, this.#closing]);
    cancel();
  }
}

/**
 * Lets readers wait for commits. Commits by this process wake readers immediately. To notice commits by other nodes,
 * readers poll.
 */
export class EventWatch {
  readonly #signal: Signal;
  readonly #events: Pick<EventStore, 'onPublished'>;
  #stopListening: (() => void) | undefined;
  #isOver = false;

  constructor({
    storage,
    systemClock,
  }: {
    readonly storage: { readonly events: Pick<EventStore, 'onPublished'> };
    readonly systemClock: SystemClock;
  }) {
    this.#signal = new Signal(systemClock);
    this.#events = storage.events;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The number of wake-ups so far. Read it before checking for events. */
  get seen(): number {
    this.#stopListening ??= this.#events.onPublished(() => this.#signal.raise());
    return this.#signal.count;
  }

  /** Resolves when there may be new events since `seen`. */
  wait(seen: number, atMostMs: number): Promise<void> {
    return this.#isOver ? Promise.resolve() : this.#signal.wait(seen, Math.min(atMostMs, EVENT_POLL_MS));
  }

  wake(): void {
    this.#signal.raise();
  }

  end(): void {
    this.#isOver = true;
    this.#stopListening?.();
    this.#signal.raise();
  }
}
