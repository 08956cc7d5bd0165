import type { NewBusEvent } from '../records/index.ts';
import { BusEventType } from '../records/index.ts';
import type { Metric, MetricValue } from './metric.ts';

/** Counts what the transactions of this node have told since it was opened, once they are committed. */
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
        help: 'Bus events of committed transactions by type, those inside transactions of a host left out',
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

/** What platform §10.4 lists of these events. */
function paymentLabels({ payload }: NewBusEvent): MetricValue['labels'] {
  const { transactionType, status } = payload.metaData as Readonly<Record<string, unknown>>;
  return { type: String(transactionType), outcome: String(status).toLowerCase() };
}

function countIn(counts: Map<string, MetricValue>, labels: MetricValue['labels']): void {
  const key = Object.values(labels).join(' ');
  counts.set(key, { labels, value: (counts.get(key)?.value ?? 0) + 1 });
}
