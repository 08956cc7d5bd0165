import type {
  FeedEvent,
  Leading,
  OutwardEventType,
  PublishedBusEvent,
  PublishedEvent,
  PushDelivery,
  TenantRef,
} from '../records/index.ts';
import { invalidParameter } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { parseExactJson } from '../values/money/index.ts';
import type { Instant } from '../values/time/index.ts';
import { type ExternalEvent, outwardForm } from './external-event.ts';

export interface EventListRequest {
  /**
   * Cursor after which events are returned: `next` of the last result, or the `cursor` of an event.
   * `'oldest'` (default) starts with the oldest stored event. `'latest'` returns no events, only the current
   * cursor.
   */
  readonly after?: string | undefined;
  /**
   * Cursor before which events are returned, newest first: `next` of the last result, the `cursor` of an event, or
   * `'latest'`. A request with this field does not wait for events.
   */
  readonly before?: string | undefined;
  /** Maximum number of events, at most 1,000. Defaults to 100. */
  readonly limit?: number | undefined;
  /** Types of events. Defaults to all types. */
  readonly types?: readonly OutwardEventType[] | undefined;
  /** Time to wait for an event if none exists, in milliseconds of system time (at most 30,000). Defaults to 0. */
  readonly waitMs?: number | undefined;
}

export interface EventFeed {
  readonly events: readonly FeedEvent[];
  /** Value for the next `after` or `before`. Store it after processing the events. */
  readonly next: string;
}

/** Operations on the events of a tenant (platform §10.6). */
export interface EventOperations<C extends Leading = []> {
  /**
   * Returns committed events after a cursor, each event once. The events of an account are in order. With `before`,
   * returns the newest events before a cursor. Events are kept as long as the queue history
   * (`queue.history.retention`).
   * @throws BillingError INVALID_PARAMETER (60002) for an invalid cursor, and in a host's transaction, whose
   * events are not committed yet.
   * @example const { events, next } = await acme.events.list({ after: kept, waitMs: 10_000 });
   */
  list(...given: [...C, request: EventListRequest]): Promise<EventFeed>;
}

export interface SubscribeRequest<T extends OutwardEventType = OutwardEventType> {
  /** Tenant id or reference. If this field is absent, events of all tenants and of the system are delivered. */
  readonly tenant?: Uuid | string | TenantRef | undefined;
  /** Types of events. Defaults to all types. */
  readonly types?: readonly T[] | undefined;
  /** A stored cursor, or `'oldest'`. The default `'latest'` returns only new events. */
  readonly after?: string | undefined;
  /**
   * Processes an event. Events arrive one at a time; the next event waits until the function resolves. If the function
   * throws, the event is repeated after 1 s, after 5 s and then every 30 s, or after the delay that `RetryLater`
   * requests. After a crash, events since the host's stored cursor arrive again with the same ids.
   */
  readonly onEvent: (event: FeedEvent<T>) => Promise<void> | void;
}

export interface EventSubscription {
  /** The cursor of the last processed event. A later subscription can continue from it. */
  readonly cursor: string;
  /** Ends the subscription. Resolves when the handler has finished its current event. */
  close(): Promise<void>;
}

export interface EventSubscriptionOperations {
  /**
   * Calls a handler with committed events in order, at least once, until the subscription or the engine is closed.
   * Events from other nodes arrive within a second.
   * @throws BillingError INVALID_PARAMETER (60002) for an invalid cursor; TENANT_DOES_NOT_EXIST_FOR_ID (20001).
   * @example
   * const subscription = await billing.events.subscribe({
   *   types: ['PAYMENT_FAILED'],
   *   onEvent: ({ accountId, metaData }) => notify(accountId, metaData.amount),
   * });
   */
  subscribe<T extends OutwardEventType = OutwardEventType>(
    request: SubscribeRequest<T>,
  ): Promise<EventSubscription>;
}

/** Cursor before all stored events. */
export const OLDEST = 'oldest';
export const LATEST = 'latest';

/** Returns the cursor for a position in the order of events. Clients must treat the cursor as opaque. */
export function cursorOf(recordId: number): string {
  return String(recordId);
}

/**
 * Returns the position that a cursor represents.
 * @throws BillingError INVALID_PARAMETER (60002) for an invalid cursor.
 */
export function readCursor(cursor: string): number {
  if (cursor === OLDEST) return 0;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  const given = cursor.slice(0, 100);
  throw invalidParameter(`"${given}" is not an event cursor. Use the cursor of an earlier answer or event.`, {
    cursor: given,
  });
}

/** Returns the public form of a bus event, or null for an internal event. */
export function feedEvent(event: PublishedBusEvent, tenantId: Uuid | null): FeedEvent | null {
  const form = outwardForm(event);
  if (form === null) return null;
  const { eventId, createdDate, recordId } = event;
  return asEvent({ id: eventId, tenantId, ...form, createdDate, cursor: cursorOf(recordId) });
}

/** Converts a delivery to the event that a sink receives. */
export function deliveredEvent(delivery: PushDelivery, tenantId: Uuid | null): PublishedEvent {
  const { id, body, createdDate } = delivery;
  const form = JSON.parse(body) as ExternalEvent;
  const metaData = form.metaData === null ? null : parseExactJson(form.metaData);
  return asEvent({ id, tenantId, ...form, metaData, createdDate });
}

/**
 * Returns the event with its specific type. The table of forms guarantees the type of `metaData` for each event type.
 */
function asEvent<E extends PublishedEvent>({
  createdDate,
  ...event
}: { readonly createdDate: Instant } & Readonly<Record<string, unknown>>): E {
  return Object.freeze({ ...event, createdDate: new Date(createdDate) }) as object as E;
}
