import type { Logger, SystemClock } from '../../ports/index.ts';
import {
  type EventSubscription,
  type EventSubscriptionOperations,
  LATEST,
  OLDEST,
  type SubscribeRequest,
} from '../../push/index.ts';
import type { FeedEvent, TenantPlace } from '../../records/index.ts';
import { pause } from '../../runtime/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import { EVENT_POLL_MS } from '../../values/limits.ts';
import type { CellEngine } from './cell-engine.ts';
import type { CellRouter } from './cell-router.ts';

interface EventPorts {
  readonly systemClock: SystemClock;
  readonly logger: Logger;
}

/** Returns the operation that subscribes to the events of one tenant, or of all tenants of all cells (cells §2.2). */
export function cellSubscriptions<Host>(
  router: CellRouter<Host>,
  ports: EventPorts,
): EventSubscriptionOperations {
  return {
    subscribe: async (given) => {
      const request: SubscribeRequest = Object(given);
      return request.tenant == null
        ? subscribeToAll(router, request)
        : subscribeToTenant(router, ports, request);
    },
  };
}

/** Subscribes in the tenant's cell, and in its new cell after a move. The tenant's cursor is valid in both cells. */
async function subscribeToTenant<Host>(
  router: CellRouter<Host>,
  { systemClock, logger }: EventPorts,
  request: SubscribeRequest,
): Promise<EventSubscription> {
  const { tenant } = await router.any.call(({ context }) =>
    context({ tenant: request.tenant ?? '', user: '' }),
  );
  const subscribe = (cell: CellEngine<Host>, after: string | undefined) =>
    cell.call(({ events }) => events.subscribe({ ...request, tenant, after }));
  let cell = await router.of(tenant);
  let current = await subscribe(cell, request.after);
  let isClosed = false;
  let following: Promise<void> = Promise.resolve();
  const follow = async (name: string): Promise<void> => {
    if (name === cell.name) return;
    await current.close();
    while (!isClosed) {
      try {
        const next = router.named(name);
        current = await subscribe(next, current.cursor);
        cell = next;
        return;
      } catch (error) {
        logger.warn({ err: error, cell: name }, 'a subscriber could not follow its tenant to another cell');
        await pause(systemClock, EVENT_POLL_MS);
      }
    }
  };
  const stop = router.places.onChange((place: TenantPlace) => {
    if (place.tenant.recordId === tenant.recordId) following = following.then(() => follow(place.cell));
  });
  // The tenant may have moved while the subscription was opened.
  const place = router.places.known(tenant.recordId);
  if (place !== null) following = follow(place.cell);
  return {
    get cursor() {
      return current.cursor;
    },
    close: async () => {
      isClosed = true;
      stop();
      await following;
      await current.close();
    },
  };
}

/** Subscribes in every cell. The handler gets one event at a time, with a cursor that covers all cells. */
async function subscribeToAll<Host>(
  router: CellRouter<Host>,
  request: SubscribeRequest,
): Promise<EventSubscription> {
  const after = readCursors(request.after);
  const subscriptions = new Map<string, EventSubscription>();
  const cursorAfter = (handled?: string, cursor?: string) =>
    router.cells
      .map(({ name }) => `${name}:${name === handled ? cursor : (subscriptions.get(name)?.cursor ?? OLDEST)}`)
      .join(',');
  const { promise: allSubscribed, resolve: start } = Promise.withResolvers<void>();
  let handling: Promise<unknown> = allSubscribed;
  const handlerOf = (name: string) => (event: FeedEvent) => {
    const handled = handling.then(() =>
      request.onEvent(Object.freeze({ ...event, cursor: cursorAfter(name, event.cursor) })),
    );
    handling = handled.catch(() => undefined);
    return handled;
  };
  try {
    await Promise.all(
      router.cells.map(async (cell) => {
        const own = typeof after === 'string' ? after : (after.get(cell.name) ?? OLDEST);
        const handled = { ...request, after: own, onEvent: handlerOf(cell.name) };
        subscriptions.set(cell.name, await cell.answer(({ events }) => events.subscribe(handled)));
      }),
    );
  } catch (error) {
    start();
    await Promise.all([...subscriptions.values()].map((each) => each.close()));
    throw error;
  }
  start();
  return {
    get cursor() {
      return cursorAfter();
    },
    close: async () => {
      await Promise.all([...subscriptions.values()].map((each) => each.close()));
    },
  };
}

/**
 * Reads the cursors of the cells, such as `west:120,east:377`. A cell without a cursor was added after the cursors were
 * issued, so all of its events are new.
 */
function readCursors(given: unknown): string | ReadonlyMap<string, string> {
  if (given == null) return LATEST;
  if (given === LATEST || given === OLDEST) return given;
  // Hosts may call this function without type checking.
  const cursor = typeof given === 'string' ? given : '';
  const parts = cursor.split(',').map((part) => part.split(':'));
  if (parts.every(({ length }) => length === 2)) return new Map(parts as [string, string][]);
  throw invalidParameter(
    'after is not a cursor of all cells. Use the cursor of an earlier subscription to all tenants.',
    { after: cursor.slice(0, 100) },
  );
}
