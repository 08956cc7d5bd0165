import type { BillingEvent, PointRange } from '../../../lib/records/index.ts';
import type { UsagePiece } from '../../../lib/usage/collecting/usage-ledger.ts';
import type { UsageInterval } from '../../../lib/usage/intervals/usage-intervals.ts';
import { billedTimes, countsAt, isWithin } from '../../../lib/usage/intervals/usage-intervals.ts';
import { type Quantities, quantitiesOf, unitsOf } from '../../../lib/usage/rating/quantities.ts';
import type {
  BilledInterval,
  PlannedInterval as Planned,
} from '../../../lib/usage/settlement/billed-interval.ts';
import { isLate } from '../../../lib/usage/settlement/settle-usage.ts';
import { type UnbilledUsage, unbilledUsage } from '../../../lib/usage/unbilled/unbilled-usage.ts';
import { formatDecimal } from '../../../lib/values/money/index.ts';
import { LAST_INSTANT } from '../../../lib/values/time/index.ts';
import { day, text } from '../invoicing/billing-events.ts';
import { BookedUsageLife } from './booked-usage-life.ts';
import { at } from './sections.ts';
import { type Collected, type LifePoint, type StoredInterval, UsageLife } from './usage-life.ts';

type Points = ReadonlySet<LifePoint>;

/** Checks every point for every interval, without optimizations. */
export class ScannedUsageLife extends UsageLife<Points> {
  protected override readonly nothing: Points = new Set();

  protected override rangesOf(): readonly PointRange[] {
    return [];
  }

  protected override collected(stored: readonly StoredInterval<Points>[]): Collected<Points> {
    const times = billedTimes(this.events);
    const points = this.points.filter(({ isVoid }) => !isVoid);
    const isConsumed = (name: string, point: LifePoint): boolean =>
      stored.some(({ usageName, points: taken }) => usageName === name && taken.has(point));
    const isFreed = (name: string, point: LifePoint): boolean =>
      this.freed.some(({ usageName, points: taken }) => usageName === name && taken.has(point));
    const within = (interval: UsageInterval): readonly LifePoint[] =>
      points.filter((point) => isWithin(interval, countsAt(point, times)));
    const fresh = ({ run, interval }: Pick<Planned, 'run' | 'interval'>): readonly LifePoint[] =>
      within(interval).filter((point) => !isConsumed(run.section.name, point));

    const onTime = (planned: Planned): readonly LifePoint[] =>
      fresh(planned).filter(
        (point) => !isLate(planned, countsAt(point, times)) || isFreed(planned.run.section.name, point),
      );

    /** Points of billed intervals that are no longer evaluated. */
    const beyond = (name: string, planned: readonly Planned[]): readonly LifePoint[] => {
      const own = stored.filter(({ usageName }) => usageName === name);
      const open = new Set(
        planned.filter(({ run }) => run.section.name === name).flatMap(({ interval }) => within(interval)),
      );
      return points.filter((point) => {
        if (isConsumed(name, point) || open.has(point)) return false;
        const counted = countsAt(point, times);
        return own.some(
          ({ instants }) => instants !== null && instants.start <= counted && counted < instants.end,
        );
      });
    };

    return {
      collect: (planned) => {
        const { previous } = planned.match;
        const { section } = planned.run;
        const consumerOf = (point: LifePoint) =>
          stored.findLast(({ usageName, points: taken }) => usageName === section.name && taken.has(point));
        const billed = points.filter((point) => previous.some((one) => one === consumerOf(point)));
        return {
          billed: sumsOf(section, billed),
          fresh: sumsOf(section, fresh(planned)),
          onTime: sumsOf(section, onTime(planned)),
        };
      },
      beyond: (planned) =>
        new Map(
          planned.map(({ run: { section } }) => [
            section.name,
            sumsOf(section, beyond(section.name, planned)),
          ]),
        ),
      newlyConsumed: ({ planned: { run }, consumes }, planned) => {
        const late = consumes.beyond ? beyond(run.section.name, planned) : [];
        const units = new Set(unitsOf(run.section));
        const own = [...consumes.freshOf.flatMap(fresh), ...consumes.onTimeOf.flatMap(onTime)];
        return new Set([...own, ...late].filter(({ unit }) => units.has(unit)));
      },
      trackingIds: (consumed) => [...consumed].map(({ trackingId }) => trackingId),
    };
  }
}

function sumsOf(section: BillingEvent['usages'][number], points: readonly LifePoint[]): Quantities {
  return quantitiesOf(
    section,
    points.map(({ unit, amount }) => ({ unit, sum: amount, max: amount })),
  );
}

/** Reports uninvoiced usage. */
export class UnbilledUsageLife extends BookedUsageLife {
  /** Each day as `2026-02-20 calls 3 (calls-usage) NOT_YET_DUE`, in order. */
  unbilled(today: string): readonly string[] {
    const { events, zone, config, stored, freed } = this;
    const pieces = this.pieces([...stored, ...freed]);
    const facts = { events, zone, config, billed: stored, freed, pieces, today: day(today) };
    const bounds = { start: at('2000-01-01T00:00:00Z'), end: LAST_INSTANT };
    return unbilledUsage({ ...facts, ...bounds, currency: 'USD' }).map(lineOf);
  }
}

function lineOf({ unitType, amount, reason, usageName, startDate }: UnbilledUsage): string {
  return `${text(startDate)} ${unitType} ${formatDecimal(amount)} (${usageName}) ${reason}`;
}

/** Reads the usage once and uses it for several dates, like a dry run. */
export class WalkedUsageLife extends BookedUsageLife {
  #read: readonly UsagePiece[] | null = null;

  reload(): void {
    this.#read = null;
  }

  protected override pieces(billed: readonly BilledInterval[]): readonly UsagePiece[] {
    this.#read ??= super.pieces(billed);
    return this.#read;
  }
}
