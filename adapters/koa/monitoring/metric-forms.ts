import type { Aggregator, Registry } from 'prom-client';
import type { Metric } from '../../../lib/metrics/index.ts';
import { onDemand } from '../wire/lazy-values.ts';
import { type HttpMetrics, LATENCY_NAME, latencyKey, PREFIX, promClient } from './http-metrics.ts';
import type { Measured, MetricSeries } from './server-group.ts';

/** The engine's gauges that describe this process. All other gauges describe the database that the nodes share. */
const ofThisProcess = ['database_connections'];
const START_TIME = 'process_start_time_seconds';

/** Returns the metrics of this process. */
export async function collectMetrics(metrics: readonly Metric[], requests: HttpMetrics): Promise<Measured> {
  const http = await requests.read();
  const registries = [await engineMetrics(metrics), http.registry, await processMetrics()];
  const all = await Promise.all(registries.map(seriesOf));
  return { series: all.flat().map(withStartTime), maxSeconds: http.maxSeconds() };
}

async function seriesOf(registry: Registry): Promise<readonly MetricSeries[]> {
  const metrics = await registry.getMetricsAsJSON();
  // The type is a number or a string, depending on the version of prom-client.
  return metrics.map((metric) => ({ ...metric, type: String(metric.type) }));
}

/** Adds the start time of a group, which the package would omit. It is the start time of the oldest process. */
function withStartTime(metric: MetricSeries): MetricSeries {
  return metric.name === START_TIME ? { ...metric, aggregator: 'min' } : metric;
}

/** Combines the metrics of several processes. `aggregator` specifies how to combine the values. */
export async function combineMetrics(all: readonly Measured[]): Promise<Measured> {
  const registry = await registryOf(all.map(({ series }) => series));
  const maxSeconds: Record<string, number> = {};
  for (const [key, seconds] of all.flatMap((each) => Object.entries(each.maxSeconds)))
    maxSeconds[key] = Math.max(seconds, maxSeconds[key] ?? 0);
  return { series: await seriesOf(registry), maxSeconds };
}

export async function prometheusText({ series }: Measured): Promise<string> {
  const registry = await registryOf([series]);
  const text = await registry.metrics();
  return `${text.trim()}\n`;
}

/** Returns a registry that contains the combined values of several processes. */
async function registryOf(all: readonly Measured['series'][]): Promise<Registry> {
  const { AggregatorRegistry } = await promClient();
  return AggregatorRegistry.aggregate(all.map((series) => [...series]));
}

/**
 * Returns the JSON form of the metrics (platform §13 rule 3). It has one member per series, with the same names as the
 * text format.
 */
export function metricsObject({ series: all, maxSeconds }: Measured) {
  const ofKind = (kind: string) => all.filter(({ type }) => type === kind);
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
        const max = maxSeconds[latencyKey(route, method)] ?? 0;
        return [series(name, labels), { count, mean: meanOf(count, sum), max }];
      }),
    ),
  };
}

function single<T>(
  metrics: readonly MetricSeries[],
  form: (value: number) => T,
): Readonly<Record<string, T>> {
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

function distributionsOf({ name, values }: MetricSeries) {
  const of = (suffix: string) => values.filter(({ metricName }) => metricName === `${name}${suffix}`);
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
  const texts = Object.entries(labels).map(([label, value]) => `${label}="${escapeLabelValue(value)}"`);
  return texts.length === 0 ? name : `${name}{${texts.join(',')}}`;
}

function escapeLabelValue(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
}

/** Returns the metrics of the engine. If the database is unreachable, omits its metrics. */
async function engineMetrics(metrics: readonly Metric[]): Promise<Registry> {
  const { Counter, Gauge, Registry } = await promClient();
  const registry = new Registry();
  for (const { name, help, kind, values } of metrics) {
    // A metric that has neither a label nor a value would appear as 0.
    const labelNames = values[0] === undefined ? ['none'] : Object.keys(values[0].labels);
    const aggregator: Aggregator = kind === 'counter' || ofThisProcess.includes(name) ? 'sum' : 'max';
    const config = { name: `${PREFIX}${name}`, help, labelNames, registers: [registry], aggregator };
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

/** Node's default process metrics. All servers of the process share them. */
const processMetrics = onDemand(async (): Promise<Registry> => {
  const { collectDefaultMetrics, Registry } = await promClient();
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
});
