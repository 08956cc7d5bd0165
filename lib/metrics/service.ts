import type { RunCounts } from '../invoicing/index.ts';
import type { Ports } from '../ports/index.ts';
import type { PoolUse, PushStore, QueueStore } from '../ports/storage/index.ts';
import type { PushCounts } from '../push/index.ts';
import { BusEventType, type NewBusEvent } from '../records/index.ts';
import { atMost, type EntryCounts, TIME_OVER } from '../runtime/index.ts';
import { HEALTH_ANSWER_MS, MAX_LATE_ENTRIES } from '../values/limits.ts';
import type { Instant } from '../values/time/index.ts';

type MetricsPorts = Pick<Ports, 'clock' | 'systemClock' | 'logger'> & {
  readonly storage: {
    readonly queue: Pick<QueueStore, 'backlog' | 'backlogByTopic'>;
    readonly push: Pick<PushStore, 'backlog'>;
    sink(name: string): Pick<PushStore, 'backlog'>;
    poolUse(): Promise<PoolUse | null>;
  };
};

/** The counters of a node. */
interface Counted {
  readonly entries: EntryCounts;
  /** Counts of pushes, or undefined if the node does not send pushes. */
  readonly pushes: PushCounts | undefined;
  /** Counts of each of the host's event sinks. */
  readonly sinks: readonly { readonly name: string; readonly counts: PushCounts }[];
  readonly events: Pick<EventCounts, 'metrics'>;
  readonly runs: Pick<RunCounts, 'list'>;
}

/**
 * Returns a reader of the engine's metrics (platform §13 rule 3). Its queries have constant cost. If the database is
 * unreachable, the result contains no stored metrics.
 */
export function metricsReader(
  { clock, systemClock, logger, storage }: MetricsPorts,
  counted: Counted,
): () => Promise<readonly Metric[]> {
  /** Returns the stored metrics. Returns an empty list if the database does not respond. */
  async function readStoredMetrics(): Promise<readonly Metric[]> {
    try {
      const metrics = await atMost(systemClock, HEALTH_ANSWER_MS, Promise.all([queue(), pushes(), sinks()]));
      return metrics === TIME_OVER ? [] : metrics.flat();
    } catch (error) {
      logger.warn({ err: error }, 'queue, pushes and event sinks could not be measured');
      return [];
    }
  }

  async function queue(): Promise<readonly Metric[]> {
    const now = clock.now();
    const asked = { since: now, limit: MAX_LATE_ENTRIES + 1 };
    const [{ late, oldest }, topics] = await Promise.all([
      storage.queue.backlog(asked),
      storage.queue.backlogByTopic(asked),
    ]);
    return [
      gauge('queue_due_entries', `Queue entries that are due, counted up to ${MAX_LATE_ENTRIES + 1}`, late),
      gauge(
        'queue_oldest_due_seconds',
        'Time since the oldest of them became due, in business time',
        secondsSince(oldest, now),
      ),
      {
        name: 'queue_topic_due_entries',
        help: 'Queue entries that are due by topic (event type or queue), among the first ones',
        kind: 'gauge',
        values: topics.map((each) => ({ labels: { topic: each.topic }, value: each.late })),
      },
      {
        name: 'queue_topic_oldest_due_seconds',
        help: 'Time since the oldest entry of each topic became due, in business time',
        kind: 'gauge',
        values: topics.map((each) => ({
          labels: { topic: each.topic },
          value: secondsSince(each.oldest, now),
        })),
      },
    ];
  }

  async function pushes(): Promise<readonly Metric[]> {
    if (counted.pushes === undefined) return [];
    const now = clock.now();
    const limit = MAX_LATE_ENTRIES + 1;
    const { due, oldest } = await storage.push.backlog({ businessNow: now, limit });
    return [
      gauge('push_due', `Pushes waiting to be sent, counted up to ${limit}`, due),
      gauge(
        'push_oldest_due_seconds',
        'Time since the oldest of them became due, in business time',
        secondsSince(oldest, now),
      ),
    ];
  }

  async function sinks(): Promise<readonly Metric[]> {
    const now = clock.now();
    const limit = MAX_LATE_ENTRIES + 1;
    const waiting = await Promise.all(
      counted.sinks.map(async ({ name: sink }) => {
        const { due, oldest } = await storage.sink(sink).backlog({ businessNow: now, limit });
        return { labels: { sink }, due, seconds: secondsSince(oldest, now) };
      }),
    );
    if (waiting.length === 0) return [];
    return [
      {
        name: 'event_sink_due',
        help: `Events waiting for delivery to a sink, counted up to ${limit}`,
        kind: 'gauge',
        values: waiting.map(({ labels, due }) => ({ labels, value: due })),
      },
      {
        name: 'event_sink_oldest_due_seconds',
        help: 'Time since the oldest of them became due, in business time',
        kind: 'gauge',
        values: waiting.map(({ labels, seconds }) => ({ labels, value: seconds })),
      },
    ];
  }

  function listDeliveryMetrics(): readonly Metric[] {
    const { pushes: pushed, sinks: sinksOfHost } = counted;
    const ofPushes: Metric = {
      name: 'push_attempts_total',
      help: 'Attempts to send a push by outcome: delivered, failed (retried), given_up, withdrawn',
      kind: 'counter',
      values: (pushed?.list() ?? []).map(({ outcome, count }) => ({ labels: { outcome }, value: count })),
    };
    const ofSinks: Metric = {
      name: 'event_sink_attempts_total',
      help: 'Attempts to deliver an event to a sink by outcome: delivered, failed and put_off (both retried), given_up',
      kind: 'counter',
      values: sinksOfHost.flatMap(({ name, counts }) =>
        counts.list().map(({ outcome, count }) => ({ labels: { sink: name, outcome }, value: count })),
      ),
    };
    return [ofPushes, ofSinks].filter(({ values }) => values.length > 0);
  }

  function runs(): Metric {
    return {
      name: 'invoice_runs_total',
      help: 'Invoice runs of accounts by outcome: invoiced, nothing (to invoice), stopped (by a plugin), parked, failed',
      kind: 'counter',
      values: counted.runs.list().map(({ outcome, count }) => ({ labels: { outcome }, value: count })),
    };
  }

  function work(): Metric {
    return {
      name: 'queue_handled_total',
      help: 'Handled queue entries by handler (invoice runs, payments, ...) and outcome',
      kind: 'counter',
      values: counted.entries.list().map(({ handler, outcome, count }) => ({
        labels: { handler, outcome },
        value: count,
      })),
    };
  }

  return async () => {
    const [known, pool] = await Promise.all([readStoredMetrics(), storage.poolUse()]);
    const own = [work(), runs(), ...counted.events.metrics(), ...listDeliveryMetrics()];
    return [...known, ...own, ...(pool === null ? [] : [poolMetric(pool)])];
  };
}

function poolMetric({ inUse, idle, waiting }: PoolUse): Metric {
  const values = Object.entries({ in_use: inUse, idle, waiting });
  return {
    name: 'database_connections',
    help: 'Connections of the pool and callers waiting for one',
    kind: 'gauge',
    values: values.map(([state, value]) => ({ labels: { state }, value })),
  };
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, kind: 'gauge', values: [{ labels: {}, value }] };
}

/** Returns the seconds since an instant, or 0 for null and for future instants. */
function secondsSince(from: Instant | null, now: Instant): number {
  return from === null ? 0 : Math.max(0, (now - from) / 1_000);
}

/** Counts the events of transactions that this node has committed since it was opened. */
export class EventCounts {
  readonly #events = new Map<string, MetricValue>();
  readonly #payments = new Map<string, MetricValue>();

  add(events: readonly NewBusEvent[]): void {
    for (const event of events) {
      countIn(this.#events, { type: event.type });
      if (event.type === BusEventType.PAYMENT_SUCCESS || event.type === BusEventType.PAYMENT_FAILED)
        countIn(this.#payments, paymentLabels(event));
    }
  }

  metrics(): readonly Metric[] {
    return [
      {
        name: 'events_total',
        help: 'Bus events of committed transactions by type, without those inside host transactions',
        kind: 'counter',
        values: [...this.#events.values()],
      },
      {
        name: 'payments_total',
        help: 'Payment transactions whose outcome was recorded, by type and outcome',
        kind: 'counter',
        values: [...this.#payments.values()],
      },
    ];
  }
}

/** Returns the labels of a payment event, from its `metaData` (platform §10.4). */
function paymentLabels({ payload }: NewBusEvent): MetricValue['labels'] {
  const { transactionType, status } = payload.metaData as Readonly<Record<string, unknown>>;
  return { type: String(transactionType), outcome: String(status).toLowerCase() };
}

function countIn(counts: Map<string, MetricValue>, labels: MetricValue['labels']): void {
  const key = Object.values(labels).join(' ');
  counts.set(key, { labels, value: (counts.get(key)?.value ?? 0) + 1 });
}

/** One value of a metric. Its labels have only a few different values, and never contain ids of tenants or accounts. */
export interface MetricValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric of this node. It is either a count since the node was opened or a current measurement. */
export interface Metric {
  /** Name in lower case with underscores, ending in the unit. Names of counters end in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly kind: 'counter' | 'gauge';
  readonly values: readonly MetricValue[];
}
