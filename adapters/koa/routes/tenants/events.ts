import { externalEventTypes } from '../../../../lib/push/index.ts';
import { DEFAULT_EVENTS, MAX_EVENT_WAIT_MS, MAX_EVENTS } from '../../../../lib/values/limits.ts';
import { EventFeedModel } from '../../models/event-feed.ts';
import { json } from '../../routing/answer.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { choiceList, integer, plainText } from '../../wire/query.ts';
import { unaudited } from '../../wire/wire-type.ts';

/** What has happened in the tenant, to be read from anywhere (platform §10.6). */
export const eventRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/events',
    operationId: 'getEvents',
    summary: 'Read what has happened in the tenant after a cursor, in order, and wait for it if so asked',
    permission: 'NONE',
    query: {
      after: plainText,
      limit: integer(DEFAULT_EVENTS, { minimum: 1, maximum: MAX_EVENTS }),
      eventType: choiceList(externalEventTypes),
      wait: integer(0, { minimum: 0, maximum: MAX_EVENT_WAIT_MS / 1_000 }),
    },
    success: { status: 200, body: EventFeedModel },
    async handle({ billing, context, query, dialect }) {
      const { after, limit, eventType, wait } = query;
      const found = await billing.events.list(context, {
        after: after ?? undefined,
        limit,
        types: eventType.length === 0 ? undefined : eventType,
        waitMs: wait * 1_000,
      });
      return json(EventFeedModel.write(found, unaudited(dialect)));
    },
  }),
];
