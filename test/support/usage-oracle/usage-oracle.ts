import { type BilledEntry, type BilledRecord, relationOf } from './billed-record.ts';
import type { OracleInterval, OracleRun } from './oracle-intervals.ts';
import { holds, intervalsOf, lookBackOf, momentOf, nextDateOf, runsOf } from './oracle-intervals.ts';
import { priceOf, unitsOf, usedOf } from './oracle-price.ts';
import type { OwedInterval } from './settled-items.ts';
import { type DueItem, dueItems } from './settled-items.ts';
import type { Rerated, SupersededPeriod } from './superseded-periods.ts';
import {
  creditedRest,
  creditedWhole,
  givenUpPeriods,
  inOrderOfTime,
  presentlyBilled,
  restOf,
  takeovers,
  voidsOfOldPeriods,
} from './superseded-periods.ts';
import type { OracleEvent, OraclePoint, OracleSection, OracleSettings } from './usage-facts.ts';
import { DEFAULT_SETTINGS } from './usage-facts.ts';

export interface Owed {
  readonly intervals: readonly OwedInterval[];
  /** Latest end of its charges, including dropped zero items. */
  readonly chargedThrough: number | null;
  readonly nextDate: number | null;
  /** Of the points that it bills first. */
  readonly trackingIds: readonly string[];
}

export interface BillingRun {
  /** The invoice or run to void. */
  readonly run: string;
  readonly hasInvoice: boolean;
  /** Default: after the end of the billed interval. */
  readonly at?: number | null;
}

interface Planned extends Rerated {
  readonly previous: readonly BilledRecord[];
  /** Its unconsumed points. */
  readonly fresh: ReadonlySet<OraclePoint>;
  /** Fresh points whose time was billed after it ended. */
  readonly late: ReadonlySet<OraclePoint>;
}

/**
 * Calculates the usage charges of a subscription from all events, points and billed records, without code from `lib`.
 */
export class UsageOracle {
  readonly zone: string;
  settings: OracleSettings;
  events: readonly OracleEvent[] = [];
  readonly points: OraclePoint[] = [];
  billed: readonly BilledRecord[] = [];
  /** The records that count in the last evaluated history. */
  #counted: readonly BilledRecord[] = [];
  #freed: readonly BilledRecord[] = [];

  constructor(zone: string, settings: Partial<OracleSettings> = {}) {
    this.zone = zone;
    this.settings = { ...DEFAULT_SETTINGS, ...settings };
  }

  voidPoints(trackingId: string): void {
    for (const point of this.points) if (point.trackingId === trackingId) point.isVoid = true;
  }

  owed(target: number): Owed {
    const { events, zone, settings } = this;
    const [first] = events;
    if (first === undefined) return { intervals: [], chargedThrough: null, nextDate: null, trackingIds: [] };
    const runs = runsOf(events, target);
    const { counted, superseded } = presentlyBilled(this.billed, events);
    this.#counted = counted;
    const since = ({ section }: OracleRun) => {
      const own = counted.filter(({ usageName }) => usageName === section.name);
      const billedThrough = latest(own.map(({ end }) => end.day));
      return lookBackOf(section, { first, billedThrough, periods: settings.lookBackPeriods, zone });
    };
    const planned = runs.flatMap((run) => {
      const own = counted.filter(({ usageName }) => usageName === run.section.name);
      return intervalsOf(run, { target, zone })
        .filter((interval) => interval.start.at >= since(run) || hasUnbilledTime(interval, own))
        .flatMap((interval) => this.#planned(run, interval));
    });
    const isCarried = settings.beyondLookBack === 'NEXT_PERIOD';
    const old = runs
      .filter(() => isCarried)
      .flatMap((run) => {
        const own = counted.filter(({ usageName }) => usageName === run.section.name);
        return intervalsOf(run, { target, zone })
          .filter((interval) => interval.start.at < since(run) && !hasUnbilledTime(interval, own))
          .flatMap((interval) => this.#planned(run, interval))
          .filter(({ previous }) => previous.length > 0);
      });
    const compared = new Set([...planned, ...old].flatMap(({ previous }) => previous));
    const taken = takeovers(superseded, planned);
    const owed = planned.map((one) => this.#owed(one, planned, taken.get(one)));
    const left = new Set(superseded);
    for (const [index, one] of planned.entries()) {
      const period = taken.get(one);
      if (period !== undefined && owed[index]?.credited !== undefined) left.delete(period);
    }
    const intervals = [
      ...owed,
      ...inOrderOfTime([
        ...voidsOfOldPeriods(old, { settings, pointsOf: (records) => this.#pointsOf(records) }),
        ...givenUpPeriods({
          runs,
          pointsOf: (records) => this.#pointsOf(records),
          billed: counted,
          compared,
          settings,
          since: isCarried ? () => first.at : since,
        }),
      ]),
      ...[...left].flatMap(creditedWhole),
    ];
    const charging = intervals.filter(({ items }) => items.some(({ entry }) => entry.of === null));
    const shown = settings.dropsZeroItems ? intervals.map(withoutZeros) : intervals;
    const billedPoints = shown.flatMap(({ points }) => [...points]);
    return {
      intervals: shown,
      chargedThrough: latest(charging.map(({ interval }) => interval.end.day)),
      nextDate: earliest(runs.map((run) => nextDateOf(run, target)).filter((date) => date !== null)),
      trackingIds: [...new Set(billedPoints.map(({ trackingId }) => trackingId))].sort(),
    };
  }

  /** Stores the new results of a run. Billed records change only with an invoice (usage §7.7 rule 1). */
  bill({ intervals }: Owed, { run: invoice, hasInvoice, at }: BillingRun): void {
    const billedAt = at ?? null;
    const added = intervals
      .filter((owed) => owed.previous.length === 0 || (hasInvoice && this.#addsResults(owed)))
      .map(
        ({ run, interval, items, points }): BilledRecord => ({
          usageName: run.section.name,
          prices: run.section.prices,
          start: interval.start,
          end: interval.end,
          points,
          entries: items.map(({ entry }) => entry),
          billedAt,
          invoice,
        }),
      );
    this.#giveBack(added, 1n);
    this.billed = [...this.billed, ...added];
  }

  voidInvoice(invoice: string): void {
    this.#giveBack(
      this.billed.filter((record) => record.invoice === invoice),
      -1n,
    );
    this.#freed = [...this.#freed, ...this.billed.filter((record) => record.invoice === invoice)];
    this.billed = this.billed.filter((record) => record.invoice !== invoice);
  }

  /** Returns false if the result is already stored. */
  #addsResults({ run, interval, items, points }: OwedInterval): boolean {
    const { start, end } = interval;
    const isKnown = this.#counted.some(
      (one) => one.usageName === run.section.name && one.start.at === start.at && one.end.at === end.at,
    );
    return items.length > 0 || points.size > 0 || !isKnown;
  }

  #giveBack(records: readonly BilledRecord[], sign: bigint): void {
    for (const { of, amount } of records.flatMap(({ entries }): readonly BilledEntry[] => entries))
      if (of !== null) of.left += sign * amount;
  }

  #planned(run: OracleRun, interval: OracleInterval): readonly Planned[] {
    const { section } = run;
    const own = this.#counted.filter(({ usageName }) => usageName === section.name);
    const those = (wanted: string) => own.filter((record) => relationOf(interval, record) === wanted);
    if (those('AROUND').length > 0) return [];
    const units = unitsOf(section);
    const fresh = this.points.filter(
      (point) =>
        !point.isVoid &&
        units.includes(point.unit) &&
        holds(interval, momentOf(point, this.events)) &&
        !own.some(({ points }) => points.has(point)),
    );
    const previous = those('SAME_OR_INSIDE');
    const closed = [...previous, ...those('PARTLY')].filter(
      ({ billedAt, end }) => billedAt === null || billedAt >= end.at,
    );
    const isFreed = (point: OraclePoint) =>
      this.#freed.some(({ usageName, points }) => usageName === section.name && points.has(point));
    const late = fresh.filter((point) => {
      if (isFreed(point)) return false;
      const at = momentOf(point, this.events);
      return closed.some((one) => {
        const takesEnd = one.start.at === one.end.at || (interval.takesEnd && interval.end.at === one.end.at);
        return holds({ start: one.start, end: one.end, takesEnd }, at);
      });
    });
    const isNew = previous.length === 0 && those('PARTLY').length === 0;
    return [{ run, interval, previous, isNew, fresh: new Set(fresh), late: new Set(late) }];
  }

  #owed(one: Planned, planned: readonly Planned[], period: SupersededPeriod | undefined): OwedInterval {
    const { run, interval, previous } = one;
    const { section } = run;
    const points = this.#charged(one, planned);
    const before = this.#pointsOf(previous).filter(({ isVoid }) => !isVoid);
    const price = priceOf(section, usedOf(section, new Set([...before, ...points])), this.settings.overflow);
    const rest = period === undefined ? null : creditedRest(period, { run, price, settings: this.settings });
    if (period !== undefined && rest !== null)
      return { run, interval, previous, points, items: rest, credited: restOf(period, interval) };
    const items = dueItems({ section, price, previous, settings: this.settings });
    const isWithinADay = interval.start.day === interval.end.day;
    return { run, interval, previous, points, items: isWithinADay ? items.filter(isNoZero) : items };
  }

  /** The points that these records charged and no later period of the name did. */
  #pointsOf(records: readonly BilledRecord[]): readonly OraclePoint[] {
    return records.flatMap((record) =>
      [...record.points].filter((point) => {
        const charging = this.#counted.filter(
          ({ usageName, points }) => usageName === record.usageName && points.has(point),
        );
        return charging.at(-1) === record;
      }),
    );
  }

  /** Points that the interval charges first (usage §7.7). */
  #charged(one: Planned, planned: readonly Planned[]): ReadonlySet<OraclePoint> {
    const { name } = one.run.section;
    const own = planned
      .filter(({ run }) => run.section.name === name)
      .toSorted((a, b) => a.interval.start.at - b.interval.start.at);
    const next = own.find(({ previous }) => previous.length === 0);
    const { lateMode, beyondLookBack } = this.settings;
    const isLate = one.previous.length > 0;
    const carries = lateMode === 'NEXT_PERIOD' && next !== undefined;
    const taken = new Set<OraclePoint>();
    const take = (points: Iterable<OraclePoint>) => {
      for (const point of points) taken.add(point);
    };
    if (!isLate || lateMode === 'DELTA' || (lateMode === 'NEXT_PERIOD' && !carries)) take(one.fresh);
    if (isLate && lateMode === 'IGNORE') take([...one.fresh].filter((point) => !one.late.has(point)));
    if (one !== next) return taken;
    if (carries) for (const { previous, fresh } of own) if (previous.length > 0) take(fresh);
    if (beyondLookBack === 'NEXT_PERIOD') take(this.#beyond(one.run.section, own));
    return taken;
  }

  /** Points of billed intervals that are no longer evaluated. */
  #beyond(section: OracleSection, planned: readonly Planned[]): readonly OraclePoint[] {
    const own = this.#counted.filter(({ usageName }) => usageName === section.name);
    return this.points.filter((point) => {
      const at = momentOf(point, this.events);
      if (point.isVoid || !unitsOf(section).includes(point.unit)) return false;
      if (own.some(({ points }) => points.has(point))) return false;
      if (planned.some(({ interval }) => holds(interval, at))) return false;
      return own.some(({ start, end }) => start.at <= at && at < end.at);
    });
  }
}

/** Returns true if any instant of the interval is unbilled (usage §7.1 rule 3). */
function hasUnbilledTime({ start, end }: OracleInterval, billed: readonly BilledRecord[]): boolean {
  const isBilled = (at: number) =>
    billed.some(
      (one) => one.start.at <= at && (at < one.end.at || (start.at === end.at && one.start.at === at)),
    );
  // The first unbilled instant is the start or the end of a billed interval.
  const turns = [start.at, ...billed.map((one) => one.end.at)];
  return turns.some((at) => (at === start.at || (start.at < at && at < end.at)) && !isBilled(at));
}

function isNoZero({ entry, quantity }: DueItem): boolean {
  return entry.of !== null || entry.amount !== 0n || (quantity !== null && quantity > 0n);
}

function withoutZeros(owed: OwedInterval): OwedInterval {
  return { ...owed, items: owed.items.filter(isNoZero) };
}

function latest(days: readonly number[]): number | null {
  return days.length === 0 ? null : Math.max(...days);
}

function earliest(days: readonly number[]): number | null {
  return days.length === 0 ? null : Math.min(...days);
}
