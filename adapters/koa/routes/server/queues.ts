import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { DEFAULT_PAGE_SIZE, MAX_QUEUE_LOOK } from '../../../../lib/values/limits.ts';
import { LateQueueEntry } from '../../models/queue-entry.ts';
import { json, streamedText } from '../../routing/answer.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { flag, instantParameter, integer, plainText, uuidParameter } from '../../wire/query.ts';
import { listOf, unaudited } from '../../wire/wire-type.ts';

const shared = {
  method: 'GET',
  area: 'admin',
  permission: 'admin:health',
  fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
} as const;

/** The queue of the tenant (platform §9.4, §9.5). */
export const queueRoutes: readonly Route[] = [
  tenantRoute({
    ...shared,
    path: '/1.0/kb/admin/queues',
    operationId: 'getQueueEntries',
    summary: 'Get the entries of the queues, finished and to be done, as one JSON object',
    query: {
      accountId: uuidParameter,
      queueName: plainText,
      serviceName: plainText,
      withHistory: flag(true),
      minDate: instantParameter,
      maxDate: instantParameter,
      withInProcessing: flag(true),
      withBusEvents: flag(true),
      withNotifications: flag(true),
    },
    success: { status: 200, mediaTypes: ['application/octet-stream'] },
    async handle({ billing, context, query }) {
      const { accountId, queueName, serviceName, minDate, maxDate, ...flags } = query;
      const pieces = await billing.queues.export(context, {
        ...flags,
        ...(accountId === null ? {} : { accountId }),
        ...(queueName === null ? {} : { queueName }),
        ...(serviceName === null ? {} : { serviceName }),
        ...(minDate === null ? {} : { minDate }),
        ...(maxDate === null ? {} : { maxDate }),
      });
      return streamedText(pieces);
    },
  }),
  tenantRoute({
    ...shared,
    path: '/1.0/kb/admin/queues/late',
    operationId: 'getLateQueueEntries',
    summary: 'List the entries of the queue that are late, the oldest first, each with the reason',
    query: {
      accountId: uuidParameter,
      limit: integer(DEFAULT_PAGE_SIZE, { minimum: 1, maximum: MAX_QUEUE_LOOK }),
    },
    success: { status: 200, body: listOf(LateQueueEntry) },
    async handle({ billing, context, query, dialect }) {
      const { accountId, limit } = query;
      const late = await billing.queues.late(context, {
        limit,
        ...(accountId === null ? {} : { accountId }),
      });
      return json(late.map((entry) => LateQueueEntry.write(entry, unaudited(dialect))));
    },
  }),
];
