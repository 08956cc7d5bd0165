import type { Metric } from '../../../lib/metrics/index.ts';
import type { Latency } from './http-metrics.ts';

/** All that is measured of a server. */
export interface Measured {
  readonly metrics: readonly Metric[];
  readonly latencies: readonly Latency[];
}

type Labels = Readonly<Record<string, string>>;

const prefix = 'billwright_';
const latencyName = `${prefix}http_request_duration_seconds`;

/** The text format of Prometheus, version 0.0.4. */
export function prometheusText({ metrics, latencies }: Measured): string {
  const lines = metrics.flatMap(({ name, help, kind, values }) => [
    `# HELP ${prefix}${name} ${help}`,
    `# TYPE ${prefix}${name} ${kind}`,
    ...values.map(({ labels, value }) => `${series(prefix + name, labels)} ${value}`),
  ]);
  lines.push(`# HELP ${latencyName} How long requests took`, `# TYPE ${latencyName} histogram`);
  for (const { labels, buckets, count, sumSeconds } of latencies) {
    const bounds = [...buckets.map((each) => [String(each.seconds), each.count] as const), ['+Inf', count]];
    for (const [le, reached] of bounds)
      lines.push(`${series(`${latencyName}_bucket`, { ...labels, le: String(le) })} ${reached}`);
    lines.push(`${series(`${latencyName}_sum`, labels)} ${sumSeconds}`);
    lines.push(`${series(`${latencyName}_count`, labels)} ${count}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The JSON form (platform §13 rule 3): one member per series, named as in the text. */
export function metricsObject({ metrics, latencies }: Measured) {
  const ofKind = <T>(kind: Metric['kind'], form: (value: number) => T): Readonly<Record<string, T>> => {
    const chosen = metrics.filter((metric) => metric.kind === kind);
    return Object.fromEntries(
      chosen.flatMap(({ name, values }) =>
        values.map(({ labels, value }) => [series(prefix + name, labels), form(value)] as const),
      ),
    );
  };
  return {
    version: '1.0.0',
    gauges: ofKind('gauge', (value) => ({ value })),
    counters: ofKind('counter', (count) => ({ count })),
    histograms: {},
    meters: {},
    timers: Object.fromEntries(latencies.map((each) => [series(latencyName, each.labels), timerOf(each)])),
  };
}

/** In seconds. */
function timerOf({ count, sumSeconds, maxSeconds }: Latency) {
  return { count, mean: count === 0 ? 0 : sumSeconds / count, max: maxSeconds };
}

function series(name: string, labels: Labels): string {
  const texts = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return texts.length === 0 ? name : `${name}{${texts.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
}
