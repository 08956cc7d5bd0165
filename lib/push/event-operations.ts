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

/** Which events of a tenant are read. */
export interface EventListRequest {
  /**
   * The `next` of the last answer, or the `cursor` of an event: what comes after it. Default `'oldest'`, from the oldest
   * that is kept; `'latest'`: nothing of what has happened, only where to read on.
   */
  readonly after?: string | undefined;
  /** At most so many; default 100, at most 1,000. */
  readonly limit?: number | undefined;
  /** Only events of these types; default: of all. */
  readonly types?: readonly OutwardEventType[] | undefined;
  /** How long to wait for one, in milliseconds of system time, where there is none; default 0, at most 30,000. */
  readonly waitMs?: number | undefined;
}

/** Events in their order, and where to read on. */
export interface EventFeed {
  readonly events: readonly FeedEvent[];
  /** What to give as `after` next; keep it once the events are dealt with. */
  readonly next: string;
}

/** What has happened in a tenant, to be read from anywhere (platform §10.6). */
export interface EventOperations<C extends Leading = []> {
  /**
   * What happened after a cursor, after its commit and in order: events of an account as they happened, each once. They are
   * kept as long as queue history (`queue.history.retention`).
   * @throws BillingError INVALID_PARAMETER (60002) for what is no cursor, and in a transaction of the host, whose events
   * have not happened yet.
   *
   * @example
   * const { events, next } = await acme.events.list({ after: kept, waitMs: 10_000 });
   */
  list(...given: [...C, request: EventListRequest]): Promise<EventFeed>;
}

/** Whose events are given to a handler, from where on, and which. */
export interface SubscribeRequest<T extends OutwardEventType = OutwardEventType> {
  /** Tenant id or reference. Absent: events of all tenants, and of the system. */
  readonly tenant?: Uuid | string | TenantRef | undefined;
  /** Only events of these types; default: of all. */
  readonly types?: readonly T[] | undefined;
  /** A cursor that was kept, or `'oldest'`; default `'latest'`: what happens from now on. */
  readonly after?: string | undefined;
  /**
   * Called with one event after the other. The next one comes once it has resolved; if it throws, the same event comes
   * again, after 1 s, 5 s, then every 30 s, or as `RetryLater` says. After a crash events come again from the cursor that
   * the host has kept, so it must be ready for an event that it has seen, under the same id.
   */
  readonly onEvent: (event: FeedEvent<T>) => Promise<void> | void;
}

/** A handler that is given events. */
export interface EventSubscription {
  /** After which event it stands: what to give as `after` to go on there. */
  readonly cursor: string;
  /** Gives it no further event; resolves when the handler is not running any more. */
  close(): Promise<void>;
}

/** What has happened, for the host in process. */
export interface EventSubscriptionOperations {
  /**
   * Gives events to a handler as they happen, after their commit, in order and at least once, until the subscription or the
   * engine is closed. What other nodes do comes within a second.
   * @throws BillingError INVALID_PARAMETER (60002) for what is no cursor; TENANT_DOES_NOT_EXIST_FOR_ID (20001).
   *
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

/** In place of a cursor: before all events that are kept, and after all that have happened. */
export const OLDEST = 'oldest';
export const LATEST = 'latest';

/** A place in the order of events, as callers keep it: they need not know that it is a number. */
export function cursorOf(recordId: number): string {
  return String(recordId);
}

/** @throws BillingError INVALID_PARAMETER (60002). */
export function readCursor(cursor: string): number {
  if (cursor === OLDEST) return 0;
  const recordId = /^\d{1,15}$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (Number.isNaN(recordId))
    throw invalidParameter('after is no cursor of events: give what an earlier answer or event had', {
      after: cursor.slice(0, 100),
    });
  return recordId;
}

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

/** The table of forms makes `metaData` what the type of the event says. */
function asEvent<E extends PublishedEvent>({
  createdDate,
  ...event
}: { readonly createdDate: Instant } & Readonly<Record<string, unknown>>): E {
  return Object.freeze({ ...event, createdDate: new Date(createdDate) }) as object as E;
}
