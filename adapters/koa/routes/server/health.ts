import { z } from 'zod';
import { metricsObject, prometheusText } from '../../monitoring/metric-forms.ts';
import type { ServerGroup } from '../../monitoring/server-group.ts';
import { type Answer, jsonType } from '../../routing/answer.ts';
import { inArea, openRoute, type Route, rootUserRoute } from '../../routing/route.ts';
import { flag } from '../../wire/query.ts';
import { perDialect } from '../../wire/wire-type.ts';

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

export function healthRoutes(group: Pick<ServerGroup, 'health'>): readonly Route[] {
  return inArea('monitoring', [
    openRoute('healthcheck', 'GET /1.0/healthcheck', {
      summary: 'Check whether the node can serve requests; returns 503 if a check fails',
      query: { pretty: flag() },
      success: { status: 200, body: Checks, also: { 503: 'A check failed' } },
      async handle({ query }) {
        const body = await group.health();
        const status = Object.values(body).every(({ healthy }) => healthy) ? 200 : 503;
        if (query.pretty) return { status, text: JSON.stringify(body, null, 2) };
        return { json: body, status };
      },
    }),
    openRoute('liveness', 'GET /1.0/healthcheck/live', {
      summary: 'Check whether the process is running',
      success: { status: 200 },
      handle: () => ({}),
    }),
    openRoute('ping', 'GET /1.0/ping', {
      summary: 'Return pong',
      success: { status: 200, mediaTypes: ['text/plain'] },
      handle: () => ({ text: 'pong' }),
    }),
  ]);
}

const textType = 'text/plain';
/** The version of the metrics format. */
const prometheusType = `${textType}; version=0.0.4; charset=utf-8`;

const groups = ['gauges', 'counters', 'histograms', 'meters', 'timers'] as const;
const Metrics = {
  answer: perDialect(() => {
    const group = z.record(z.string(), z.record(z.string(), z.number()));
    return z.strictObject({
      version: z.string(),
      ...Object.fromEntries(groups.map((name) => [name, group])),
    });
  }),
  json: {
    type: 'object',
    properties: {
      version: { type: 'string', description: 'Version of the metrics format' },
      ...Object.fromEntries(
        groups.map((name) => [
          name,
          {
            type: 'object',
            description: `The ${name} by name, with their values`,
            additionalProperties: { type: 'object' },
          },
        ]),
      ),
    },
    required: ['version', ...groups],
  },
};

/** Returns the routes for metrics. They are public unless `metrics.requireAuth` is set (platform §13 rule 3). */
export function metricsRoutes(options: {
  readonly group: Pick<ServerGroup, 'metrics'>;
  readonly requireAuth: boolean;
}): readonly Route[] {
  const { group, requireAuth } = options;
  const route: typeof openRoute = requireAuth ? (...route) => rootUserRoute(...route) : openRoute;
  const asText = async (): Promise<Answer> => ({
    text: await prometheusText(await group.metrics()),
    headers: { 'Content-Type': prometheusType },
  });
  return inArea('monitoring', [
    route('metricsText', 'GET /metrics', {
      summary: "Get the node's metrics in the Prometheus text format",
      success: { status: 200, mediaTypes: [textType] },
      handle: asText,
    }),
    route('metricsJson', 'GET /1.0/metrics', {
      summary: "Get the node's metrics as JSON, or in the Prometheus text format with Accept: text/plain",
      success: { status: 200, mediaTypes: [jsonType, textType], body: Metrics },
      async handle({ mediaType }) {
        if (mediaType === textType) return asText();
        return { json: metricsObject(await group.metrics()) };
      },
    }),
  ]);
}
