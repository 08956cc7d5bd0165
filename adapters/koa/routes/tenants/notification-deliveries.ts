import { externalEventTypes } from '../../../../lib/push/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { deliveryStates, NotificationDelivery } from '../../models/notification-delivery.ts';
import { json, page } from '../../routing/answer.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { optionalChoice, pageParameters, uuidParameter } from '../../wire/query.ts';
import { listOf, unaudited } from '../../wire/wire-type.ts';

/** What is and was sent to the tenant's callback (platform §10.5). */
export const notificationDeliveryRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/tenants/notificationDeliveries',
    operationId: 'getNotificationDeliveries',
    summary: 'List the events that go, or went, to the callback of the tenant, and how that went',
    permission: 'NONE',
    query: {
      status: optionalChoice(deliveryStates),
      eventType: optionalChoice(externalEventTypes),
      accountId: uuidParameter,
      ...pageParameters,
    },
    success: { status: 200, body: listOf(NotificationDelivery), paged: true },
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle({ billing, context, query, dialect }) {
      const { offset, limit, status, eventType, accountId } = query;
      const found = await billing.deliveries.list(context, {
        offset,
        limit,
        state: status ?? undefined,
        eventType: eventType ?? undefined,
        accountId: accountId ?? undefined,
      });
      const { rows, total, max } = found;
      const shown = rows.map((each) => NotificationDelivery.write(each, unaudited(dialect)));
      return page(shown, { offset, limit, total, max });
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/tenants/notificationDeliveries/{deliveryId}',
    operationId: 'getNotificationDelivery',
    summary: 'Get one event that goes, or went, to the callback of the tenant',
    permission: 'NONE',
    success: { status: 200, body: NotificationDelivery },
    fails: [ErrorCode.OBJECT_NOT_FOUND],
    async handle({ billing, context, params, dialect }) {
      const found = await billing.deliveries.get(context, params.deliveryId);
      return json(NotificationDelivery.write(found, unaudited(dialect)));
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/tenants/notificationDeliveries/{deliveryId}/resend',
    operationId: 'resendNotificationDelivery',
    summary: 'Send an event to the callback of the tenant again',
    permission: 'tenant_kvs:add',
    success: { status: 204 },
    fails: [ErrorCode.OBJECT_NOT_FOUND, ErrorCode.INVALID_PARAMETER],
    handle: ({ billing, context, params }) => billing.deliveries.sendAgain(context, params.deliveryId),
  }),
];
