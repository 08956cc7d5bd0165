import { z } from 'zod';
import type { Billing } from '../../../../lib/billing.ts';
import type { HttpMetrics } from '../../monitoring/http-metrics.ts';
import { measured, metricsObject, prometheusText } from '../../monitoring/metric-forms.ts';
import { type Answer, json } from '../../routing/answer.ts';
import { openRoute, type Route, userRoute } from '../../routing/route.ts';
import { perDialect } from '../../wire/wire-type.ts';

const area = 'monitoring';
const textType = 'text/plain';
/** The version is that of the format. */
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
      version: { type: 'string', description: 'Version of the format' },
      ...Object.fromEntries(
        groups.map((name) => [
          name,
          {
            type: 'object',
            description: `The ${name} by name, each with its numbers`,
            additionalProperties: { type: 'object' },
          },
        ]),
      ),
    },
    required: ['version', ...groups],
  },
};

/** Open unless `metrics.requireAuth` asks for a user (platform §13 rule 3). */
export function metricsRoutes(options: {
  readonly http: HttpMetrics;
  readonly requireAuth: boolean;
}): readonly Route[] {
  const route: typeof openRoute = options.requireAuth ? (spec) => userRoute(spec) : openRoute;
  const asText = async (billing: Pick<Billing, 'metrics'>): Promise<Answer> => ({
    text: await prometheusText(await measured(await billing.metrics(), options.http)),
    headers: { 'Content-Type': prometheusType },
  });
  return [
    route({
      method: 'GET',
      path: '/metrics',
      operationId: 'metricsText',
      area,
      summary: 'Get the metrics of the node in the text format of Prometheus',
      permission: 'NONE',
      success: { status: 200, mediaTypes: [textType] },
      handle: ({ billing }) => asText(billing),
    }),
    route({
      method: 'GET',
      path: '/1.0/metrics',
      operationId: 'metricsJson',
      area,
      summary: 'Get the metrics of the node as JSON, or with Accept: text/plain as Prometheus reads them',
      permission: 'NONE',
      success: { status: 200, mediaTypes: ['application/json', textType], body: Metrics },
      async handle({ billing, mediaType }) {
        if (mediaType === textType) return asText(billing);
        return json(await metricsObject(await measured(await billing.metrics(), options.http)));
      },
    }),
  ];
}
