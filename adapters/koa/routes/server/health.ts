import { z } from 'zod';
import { json, plain } from '../../routing/answer.ts';
import { openRoute, type Route } from '../../routing/route.ts';
import { flag } from '../../wire/query.ts';
import { perDialect } from '../../wire/wire-type.ts';

const area = 'monitoring';

const Checks = {
  answer: perDialect(() =>
    z.record(z.string(), z.strictObject({ healthy: z.boolean(), message: z.string().nullable() })),
  ),
  json: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: {
        healthy: { type: 'boolean', description: 'Whether the check passes' },
        message: { type: ['string', 'null'], description: 'What was found' },
      },
      required: ['healthy', 'message'],
    },
  },
};

export const healthRoutes: readonly Route[] = [
  openRoute({
    method: 'GET',
    path: '/1.0/healthcheck',
    operationId: 'healthcheck',
    area,
    summary: 'Tell whether the node can serve; 503 when a check fails',
    permission: 'NONE',
    query: { pretty: flag() },
    success: { status: 200, body: Checks, also: { 503: 'A check fails' } },
    async handle({ billing, query }) {
      const body = { ...(await billing.health()) };
      const status = Object.values(body).every(({ healthy }) => healthy) ? 200 : 503;
      if (query.pretty) return { status, text: JSON.stringify(body, null, 2) };
      return { ...json(body), status };
    },
  }),
  openRoute({
    method: 'GET',
    path: '/1.0/healthcheck/live',
    operationId: 'liveness',
    area,
    summary: 'Answer while the process runs',
    permission: 'NONE',
    success: { status: 200 },
    handle: () => ({}),
  }),
  openRoute({
    method: 'GET',
    path: '/1.0/ping',
    operationId: 'ping',
    area,
    summary: 'Answer pong',
    permission: 'NONE',
    success: { status: 200, mediaTypes: ['text/plain'] },
    handle: () => plain('pong'),
  }),
];
