import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from 'prom-client';
import type { Metric } from '../../../lib/metrics/index.ts';
import { onDemand } from '../wire/lazy-values.ts';
import { type HttpMeasured, type HttpMetrics, LATENCY_NAME, PREFIX, promClient } from './http-metrics.ts';

export interface Measured {
  readonly registries: readonly Registry[];
  readonly http: HttpMeasured;
}

export async function measured(metrics: readonly Metric[], requests: HttpMetrics): Promise<Measured> {
  const http = await requests.read();
  return { registries: [await engineMetrics(metrics), http.registry, await processMetrics()], http };
}

export async function prometheusText({ registries }: Measured): Promise<string> {
  const texts = await Promise.all(registries.map((registry) => registry.metrics()));
  return `${texts.map((text) => text.trim()).join('\n')}\n`;
}

/** Returns the JSON form (platform §13 rule 3): one member per series, named as in the text. */
export async function metricsObject({ registries, http }: Measured) {
  const all = (await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()))).flat();
  // The type is a number or a text, depending on the version of prom-client.
  const ofKind = (kind: string) => all.filter(({ type }) => String(type) === kind);
  const distributions = ofKind('histogram').flatMap(distributionsOf);
  const timers = distributions.filter(({ name }) => name === LATENCY_NAME);
  return {
    version: '1.0.0',
    gauges: single(ofKind('gauge'), (value) => ({ value })),
    counters: single(ofKind('counter'), (count) => ({ count })),
    histograms: Object.fromEntries(
      distributions
        .filter((each) => !timers.includes(each))
        .map(({ name, labels, count, sum }) => [series(name, labels), { count, mean: meanOf(count, sum) }]),
    ),
    meters: {},
    // In seconds.
    timers: Object.fromEntries(
      timers.map(({ name, labels, count, sum }) => {
        const { route = '', method = '' } = labels;
        const max = http.maxSeconds(route, method);
        return [series(name, labels), { count, mean: meanOf(count, sum), max }];
      }),
    ),
  };
}

type Values = MetricObjectWithValues<MetricValue<string>>;

function single<T>(metrics: readonly Values[], form: (value: number) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(
    metrics.flatMap(({ name, values }) =>
      // A lag without samples is NaN, which JSON cannot represent.
      values
        .filter(({ value }) => Number.isFinite(value))
        .map(({ labels, value }) => [series(name, textsOf(labels)), form(value)] as const),
    ),
  );
}

type Labels = Readonly<Record<string, string>>;

function distributionsOf({ name, values }: Values) {
  const rows = values as readonly MetricValueWithName<string>[];
  const of = (suffix: string) => rows.filter(({ metricName }) => metricName === `${name}${suffix}`);
  const sums = new Map(of('_sum').map(({ labels, value }) => [series(name, textsOf(labels)), value]));
  return of('_count').map(({ labels: given, value: count }) => {
    const labels = textsOf(given);
    return { name, labels, count, sum: sums.get(series(name, labels)) ?? 0 };
  });
}

function meanOf(count: number, sum: number): number {
  return count === 0 ? 0 : sum / count;
}

function textsOf(labels: Readonly<Record<string, string | number | undefined>>): Labels {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([label, value]) => (value === undefined ? [] : [[label, String(value)]])),
  );
}

function series(name: string, labels: Labels): string {
  const texts = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return texts.length === 0 ? name : `${name}{${texts.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
}

/** Returns the metrics of the engine. Metrics of an unreachable database are omitted. */
async function engineMetrics(metrics: readonly Metric[]): Promise<Registry> {
  const { Counter, Gauge, Registry } = await promClient();
  const registry = new Registry();
  for (const { name, help, kind, values } of metrics) {
    // Without a label, a metric without values would appear as 0.
    const labelNames = values[0] === undefined ? ['none'] : Object.keys(values[0].labels);
    const config = { name: `${PREFIX}${name}`, help, labelNames, registers: [registry] };
    if (kind === 'counter') {
      const counter = new Counter(config);
      for (const { labels, value } of values) counter.inc({ ...labels }, value);
    } else {
      const gauge = new Gauge(config);
      for (const { labels, value } of values) gauge.set({ ...labels }, value);
    }
  }
  return registry;
}

/** Node's default process metrics, shared by all servers of the process. */
const processMetrics = onDemand(async (): Promise<Registry> => {
  const { collectDefaultMetrics, Registry } = await promClient();
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
});
