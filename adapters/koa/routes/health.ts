import { z } from 'zod';
import type { Billing } from '../../../lib/billing.ts';
import { empty, json, plain } from '../routing/answer.ts';
import { openRoute, type Route } from '../routing/route.ts';
import { flag } from '../wire/query.ts';

const area = 'monitoring';
/** How long the database may take to answer (platform.md §13). */
const databaseAnswerMs = 2_000;

interface Check {
  readonly healthy: boolean;
  readonly message: string | null;
}

const checks = z.record(z.string(), z.strictObject({ healthy: z.boolean(), message: z.string().nullable() }));
const Checks = {
  answer: { D: checks, K: checks },
  json: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: { healthy: { type: 'boolean' }, message: { type: ['string', 'null'] } },
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
    success: { status: 200, body: Checks },
    async handle({ billing, query }) {
      const database = await databaseCheck(billing);
      const body = { database };
      const status = database.healthy ? 200 : 503;
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
    handle: () => empty,
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

async function databaseCheck(billing: Billing): Promise<Check> {
  const { promise: late, resolve } = Promise.withResolvers<Check>();
  const message = `The database does not answer within ${databaseAnswerMs} ms`;
  const timer = setTimeout(() => resolve({ healthy: false, message }), databaseAnswerMs);
  // What the database says of its failure stays in the log: this endpoint is open to everybody.
  const answered = billing.ping().then(
    (): Check => ({ healthy: true, message: null }),
    (): Check => ({ healthy: false, message: 'The database does not answer' }),
  );
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
