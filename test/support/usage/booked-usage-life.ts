import type {
  DayUsage,
  PartOfDay,
  PointRange,
  SplitRequest,
  UsagePiece,
} from '../../../lib/usage/collecting/usage-ledger.ts';
import { piecesNeeded, UsageLedger } from '../../../lib/usage/collecting/usage-ledger.ts';
import type { BilledInterval } from '../../../lib/usage/settlement/billed-interval.ts';
import { type Decimal, sum } from '../../../lib/values/money/index.ts';
import { type Collected, type LifePoint, type StoredInterval, UsageLife } from './usage-life.ts';

/** Keeps day sums, and splits those that a run requests, like a database. */
export class BookedUsageLife extends UsageLife<readonly PointRange[]> {
  /** Days that the last run split. */
  splits: readonly SplitRequest[] = [];
  protected override readonly nothing = [];

  protected override rangesOf(consumed: readonly PointRange[]): readonly PointRange[] {
    return consumed;
  }

  protected override collected(
    stored: readonly StoredInterval<readonly PointRange[]>[],
  ): Collected<readonly PointRange[]> {
    const { events, zone, freed } = this;
    const pieces = this.pieces([...stored, ...freed]);
    const book = new UsageLedger({ events, zone, billed: stored, freed, pieces });
    return {
      collect: (planned) => book.collect(planned),
      beyond: (planned) => book.beyond(planned),
      newlyConsumed: ({ planned, consumes }, all) =>
        book
          .newlyConsumed(planned, consumes, all)
          .map(({ unit, localDate, part, after, upTo }) => ({ unit, localDate, part, after, upTo })),
      trackingIds: (ranges) =>
        this.points
          .filter((point) => !point.isVoid && ranges.some((range) => isIn(point, range)))
          .map(({ trackingId }) => trackingId),
    };
  }

  protected pieces(billed: readonly BilledInterval[]): readonly UsagePiece[] {
    const { events, zone } = this;
    const { whole, split } = piecesNeeded({ days: this.days(), events, zone, billed });
    this.splits = split;
    return [...whole, ...split.flatMap((request) => this.#split(request))];
  }

  protected days(): readonly DayUsage[] {
    const buckets = Map.groupBy(this.points, ({ unit, localDate }) => `${unit} ${localDate}`);
    return [...buckets.values()].flatMap((points): readonly DayUsage[] => {
      const [first] = points;
      if (first === undefined) return [];
      const { unit, localDate } = first;
      const version = points.filter(({ isVoid }) => isVoid).length;
      return [{ unit, localDate, count: points.length, version, ...sumsOf(points) }];
    });
  }

  #split({ unit, localDate, bounds, ordinals }: SplitRequest): readonly UsagePiece[] {
    const points = this.points.filter((point) => point.unit === unit && point.localDate === localDate);
    const ends = [...ordinals, points.length];
    return partsOf(bounds).flatMap((part) =>
      ends.flatMap((upTo, index): readonly UsagePiece[] => {
        const after = ends[index - 1] ?? 0;
        const range = { unit, localDate, part, after, upTo };
        const { sum, max } = sumsOf(points.filter((point) => isIn(point, range)));
        return max === null ? [] : [{ ...range, sum, max }];
      }),
    );
  }
}

function partsOf(bounds: SplitRequest['bounds']): readonly PartOfDay[] {
  if (bounds.length === 0) return ['ALL'];
  const parts = bounds.flatMap((from, index): readonly PartOfDay[] => {
    const to = bounds[index + 1];
    return to === undefined ? [] : [{ from, to }];
  });
  return ['DAY_POINTS', ...parts];
}

export function isIn(point: LifePoint, { unit, localDate, part, after, upTo }: PointRange): boolean {
  if (point.unit !== unit || point.localDate !== localDate) return false;
  if (point.ordinal <= after || point.ordinal > upTo) return false;
  if (part === 'ALL') return true;
  if (part === 'DAY_POINTS') return point.dateOnly;
  return !point.dateOnly && part.from <= point.recordInstant && point.recordInstant < part.to;
}

function sumsOf(points: readonly LifePoint[]): Pick<DayUsage, 'sum' | 'max'> {
  const amounts = points.filter(({ isVoid }) => !isVoid).map(({ amount }) => amount);
  return {
    sum: sum(amounts),
    max: amounts.reduce<Decimal | null>(
      (highest, amount) => (highest?.greaterThanOrEqualTo(amount) ? highest : amount),
      null,
    ),
  };
}
