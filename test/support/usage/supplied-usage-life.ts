import type { RatedInterval, SubscriptionUsage } from '../../../lib/invoicing/evaluation/evaluate-usage.ts';
import type { SourceQuestion } from '../../../lib/usage/supplied/source-question.ts';
import { keyOfRequest, sourceQuestion } from '../../../lib/usage/supplied/source-question.ts';
import type { SuppliedQuantity, SuppliedUsage } from '../../../lib/usage/supplied/supplied-usage.ts';
import { RecordSums } from '../../../lib/usage/supplied/supplied-usage.ts';
import { decimal, sum, ZERO } from '../../../lib/values/money/index.ts';
import type { LocalDate } from '../../../lib/values/time/index.ts';
import { subscriptionId } from '../invoicing/billing-events.ts';
import { EvaluatedUsageLife } from './evaluated-usage-life.ts';
import type { LifePoint } from './usage-life.ts';

/** A usage source reports its points on each run. Only their digests are stored. */
export class SuppliedUsageLife extends EvaluatedUsageLife {
  /** Whether the source reports one quantity per interval. */
  isAggregated = false;

  protected override usage(billed: readonly RatedInterval[], targetDate: LocalDate): SubscriptionUsage {
    const { events, zone, config, from } = this;
    const question = sourceQuestion({
      subscriptions: [{ subscriptionId, events, billed, from }],
      targetDate,
      zone,
      config,
    });
    return { zone, billed, from, pieces: [], supplied: this.#suppliedBy(question) };
  }

  protected override trackingIds(intervals: readonly RatedInterval[]): readonly string[] {
    const ids = intervals.flatMap(({ supplied }) => supplied?.trackingIds ?? []);
    return [...new Set(ids.map((id) => id.split('#')[0] ?? ''))].sort();
  }

  #suppliedBy(question: SourceQuestion | null): SuppliedUsage {
    if (question === null) return { kind: 'RECORDS', pieces: [] };
    return this.isAggregated ? this.#quantities(question) : this.#records(question);
  }

  #records({ subscriptions }: SourceQuestion): SuppliedUsage {
    const sums = new RecordSums(subscriptions[0]?.slots ?? []);
    for (const point of this.#counting()) {
      const { unit, amount, recordInstant: at } = point;
      sums.add({ at, unit, amount, trackingId: this.#idOf(point) });
    }
    return { kind: 'RECORDS', pieces: sums.pieces() };
  }

  #quantities({ requests }: SourceQuestion): SuppliedUsage {
    const quantities = new Map<string, SuppliedQuantity>();
    for (const request of requests) {
      const { unitType, start, end, endInclusive, aggregation } = request;
      const own = this.#counting().filter(
        ({ unit, recordInstant: at }) =>
          unit === unitType && at >= start && (at < end || (endInclusive && at === end)),
      );
      const amounts = own.map(({ amount }) => amount);
      const peak = amounts.reduce(
        (highest, amount) => (amount.greaterThan(highest) ? amount : highest),
        ZERO,
      );
      const quantity = aggregation === 'MAX' ? peak : decimal(sum(amounts));
      quantities.set(keyOfRequest(request), { quantity, trackingIds: own.map((point) => this.#idOf(point)) });
    }
    return { kind: 'QUANTITIES', quantities };
  }

  #counting(): readonly LifePoint[] {
    return this.points.filter(({ isVoid }) => !isVoid);
  }

  /** A source names each record. In the engine, points can share a tracking id. */
  #idOf(point: LifePoint): string {
    return `${point.trackingId}#${this.points.indexOf(point)}`;
  }
}
