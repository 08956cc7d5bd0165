import type { Registry } from 'prom-client';
import type { Metric } from '../../../lib/metrics/index.ts';
import { promClient } from './prom-client.ts';

export const PREFIX = 'billwright_';

/** What the engine counts and measures, as it is now; what it cannot tell, because its database is away, is left out. */
export async function engineMetrics(metrics: readonly Metric[]): Promise<Registry> {
  const { Counter, Gauge, Registry } = await promClient();
  const registry = new Registry();
  for (const { name, help, kind, values } of metrics) {
    // Without a label, a metric that has no value yet would be shown as 0.
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
