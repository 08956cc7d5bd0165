import { externalEventTypes } from '../../../../lib/push/index.ts';
import { DEFAULT_EVENTS, MAX_EVENT_WAIT_MS, MAX_EVENTS } from '../../../../lib/values/limits.ts';
import { EventFeedModel } from '../../models/event-feed.ts';
import { deliveryStates, NotificationDelivery } from '../../models/notification-delivery.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import {
  choiceList,
  integer,
  optionalChoice,
  pageParameters,
  plainText,
  uuidParameter,
  withoutNulls,
} from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';

/** Routes for deliveries to the callback (platform §10.5) and for the event feed (platform §10.6). */
export const eventRoutes: readonly Route[] = [
  tenantRoute('getNotificationDeliveries', 'GET /tenants/notificationDeliveries', {
    summary: "List event deliveries to the tenant's callback with their status",
    query: {
      status: optionalChoice(deliveryStates),
      eventType: optionalChoice(externalEventTypes),
      accountId: uuidParameter,
      ...pageParameters,
    },
    shows: listOf(NotificationDelivery),
    handle: ({ billing, context, query: { status: state, ...filter } }) =>
      billing.deliveries.list(context, withoutNulls({ ...filter, state })),
  }),
  tenantRoute('getNotificationDelivery', 'GET /tenants/notificationDeliveries/{deliveryId}', {
    summary: "Get an event delivery to the tenant's callback",
    shows: NotificationDelivery,
    handle: ({ billing, context, params }) => billing.deliveries.get(context, params.deliveryId),
  }),
  tenantRoute('resendNotificationDelivery', 'POST /tenants/notificationDeliveries/{deliveryId}/resend', {
    summary: "Send an event to the tenant's callback again",
    permission: 'tenant_kvs:add',
    fails: ['INVALID_PARAMETER'],
    handle: ({ billing, context, params }) => billing.deliveries.sendAgain(context, params.deliveryId),
  }),
  tenantRoute('getEvents', 'GET /events', {
    summary:
      "Read the tenant's events after a cursor in order, optionally waiting for new ones, or the newest before one",
    query: {
      after: plainText,
      before: plainText,
      limit: integer(DEFAULT_EVENTS, { minimum: 1, maximum: MAX_EVENTS }),
      eventType: choiceList(externalEventTypes),
      wait: integer(0, { minimum: 0, maximum: MAX_EVENT_WAIT_MS / 1_000 }),
    },
    shows: EventFeedModel,
    handle: ({ billing, context, query: { after, before, limit, eventType, wait } }) =>
      billing.events.list(context, {
        after: after ?? undefined,
        before: before ?? undefined,
        limit,
        types: eventType.length === 0 ? undefined : eventType,
        waitMs: wait * 1_000,
      }),
  }),
];
