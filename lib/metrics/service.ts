import type { Ports } from '../ports/index.ts';
import type { PoolUse, QueueStore } from '../ports/storage/index.ts';
import type { EntryCounts } from '../runtime/index.ts';
import { atMost, TIME_OVER } from '../runtime/index.ts';
import { HEALTH_ANSWER_MS, MAX_LATE_ENTRIES } from '../values/limits.ts';
import type { Metric } from './metric.ts';

type MetricsPorts = Pick<Ports, 'clock' | 'systemClock' | 'logger'> & {
  readonly storage: {
    readonly queue: Pick<QueueStore, 'backlog'>;
    poolUse(): Promise<PoolUse | null>;
  };
};

/**
 * What can be measured of the engine (platform §13 rule 3), by one query whose cost does not grow. What only the database
 * knows is left out while it does not answer.
 */
export class MetricsService {
  readonly #ports: MetricsPorts;
  readonly #entries: EntryCounts;

  constructor(ports: MetricsPorts, entries: EntryCounts) {
    this.#ports = ports;
    this.#entries = entries;
  }

  async read(): Promise<readonly Metric[]> {
    const [queue, pool] = await Promise.all([this.#queueIfKnown(), this.#ports.storage.poolUse()]);
    return [...queue, this.#work(), ...(pool === null ? [] : [poolMetric(pool)])];
  }

  async #queueIfKnown(): Promise<readonly Metric[]> {
    const { systemClock, logger } = this.#ports;
    try {
      const metrics = await atMost(systemClock, HEALTH_ANSWER_MS, this.#queue());
      return metrics === TIME_OVER ? [] : metrics;
    } catch (error) {
      logger.warn({ err: error }, 'the queue could not be measured');
      return [];
    }
  }

  async #queue(): Promise<readonly Metric[]> {
    const { clock, storage } = this.#ports;
    const now = clock.now();
    const { late, oldest } = await storage.queue.backlog({ since: now, limit: MAX_LATE_ENTRIES + 1 });
    return [
      gauge(
        'queue_due_entries',
        `Queue entries that wait for work, counted up to ${MAX_LATE_ENTRIES + 1}`,
        late,
      ),
      gauge(
        'queue_oldest_due_seconds',
        'Since when the oldest of them is due, in business time',
        oldest === null ? 0 : Math.max(0, (now - oldest) / 1_000),
      ),
    ];
  }

  #work(): Metric {
    return {
      name: 'queue_handled_total',
      help: 'Queue entries by what they were given to (invoice runs, payments, ...) and how that ended',
      kind: 'counter',
      values: this.#entries.list().map(({ handler, outcome, count }) => ({
        labels: { handler, outcome },
        value: count,
      })),
    };
  }
}

function poolMetric({ inUse, idle, waiting }: PoolUse): Metric {
  const values = Object.entries({ in_use: inUse, idle, waiting });
  return {
    name: 'database_connections',
    help: 'Connections of the pool, and callers that wait for one',
    kind: 'gauge',
    values: values.map(([state, value]) => ({ labels: { state }, value })),
  };
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, kind: 'gauge', values: [{ labels: {}, value }] };
}
