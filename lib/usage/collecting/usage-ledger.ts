import type {
  BillingEvent,
  DayUsage,
  PartOfDay,
  PointRange,
  UsagePiece,
  UsageSection,
} from '../../records/index.ts';
import {
  addMilliseconds,
  type DatedInstant,
  type Instant,
  LAST_INSTANT,
  type LocalDate,
  localDateWithinCalendar,
  startOfDay,
  type TimeZone,
} from '../../values/time/index.ts';
import {
  type BilledTime,
  billedTimes,
  countsAt,
  isEnd,
  isWithin,
  type UsageInterval,
} from '../intervals/usage-intervals.ts';
import { type Quantities, quantitiesOf, unitsOf } from '../rating/quantities.ts';
import type { BilledInterval, PlannedInterval, UsageHistory } from '../settlement/billed-interval.ts';
import { type CollectedUsage, type Consumption, isLate } from '../settlement/settle-usage.ts';

export interface UsageLedgerInput extends UsageHistory {
  /**
   * The points that only VOID invoices charged. These points do not count as late. They are needed only if late points
   * are not billed. Defaults to none.
   */
  readonly freed?: readonly FreedPoints[];
  /** The whole days that `piecesNeeded` returned, and the split days loaded from storage. */
  readonly pieces: readonly UsagePiece[];
}

interface Consumer {
  readonly by: BilledInterval;
  readonly range: PointRange;
}

/** The usage of one subscription in a run. It contains sums instead of single points. */
export class UsageLedger {
  readonly #times: readonly BilledTime[];
  readonly #zone: TimeZone;
  readonly #billed: readonly BilledInterval[];
  readonly #piecesOn: ReadonlyMap<LocalDate, readonly UsagePiece[]>;
  readonly #freed: readonly FreedPoints[];
  readonly #consumersOn: ReadonlyMap<LocalDate, readonly Consumer[]>;

  constructor({ events, zone, billed, freed = [], pieces }: UsageLedgerInput) {
    this.#times = billedTimes(events);
    this.#zone = zone;
    this.#billed = billed;
    this.#freed = freed;
    this.#piecesOn = Map.groupBy(pieces, ({ localDate }) => localDate);
    const consumers = billed.flatMap((by) => by.consumed.map((range): Consumer => ({ by, range })));
    this.#consumersOn = Map.groupBy(consumers, ({ range }) => range.localDate);
  }

  /** Returns the rated and billed quantities of an interval. */
  collect(planned: PlannedInterval): CollectedUsage {
    const { run, interval, match } = planned;
    const previous = new Set(match.previous);
    const dates = new Set(
      match.previous.flatMap(({ consumed }) => consumed.map(({ localDate }) => localDate)),
    );
    const billed = [...dates].flatMap((date) =>
      this.#on(date).filter((piece) => {
        const consumer = this.#consumerOf(run.section.name, piece);
        return consumer !== undefined && previous.has(consumer);
      }),
    );
    return {
      billed: quantitiesOf(run.section, billed),
      fresh: quantitiesOf(run.section, this.#fresh(run.section.name, interval)),
      onTime: quantitiesOf(run.section, this.#onTime(planned)),
    };
  }

  /** Returns, by usage name, the points that no billed interval outside the plan consumed (§7.7). */
  beyond(
    planned: readonly PlannedInterval[],
    sections: readonly UsageSection[] = planned.map(({ run }) => run.section),
  ): ReadonlyMap<string, Quantities> {
    const named = new Map(sections.map((section) => [section.name, section]));
    return new Map(
      [...named].map(([name, section]) => [name, quantitiesOf(section, this.#beyond(name, planned))]),
    );
  }

  /** Returns the points that are charged for the first time by a settled interval. */
  newlyConsumed(
    { run }: PlannedInterval,
    { freshOf, onTimeOf, beyond }: Consumption,
    planned: readonly PlannedInterval[],
  ): readonly UsagePiece[] {
    const { name } = run.section;
    const own = [
      ...freshOf.flatMap(({ interval }) => this.#fresh(name, interval)),
      ...onTimeOf.flatMap((one) => this.#onTime(one)),
    ];
    const all = beyond ? [...own, ...this.#beyond(name, planned)] : own;
    // Other units are handled by the sections that charge them (§7.6).
    const units = new Set(unitsOf(run.section));
    return all.filter(({ unit }) => units.has(unit));
  }

  /** Returns the units used in an interval, regardless of which sections charge them (§7.8). */
  unitsIn(interval: UsageInterval): ReadonlySet<string> {
    const used = this.#within(interval).filter(({ sum, max }) => !sum.isZero() || !max.isZero());
    return new Set(used.map(({ unit }) => unit));
  }

  #fresh(name: string, interval: UsageInterval): readonly UsagePiece[] {
    return this.#within(interval).filter((piece) => !this.#isConsumed(name, piece));
  }

  #onTime(planned: PlannedInterval): readonly UsagePiece[] {
    const { run, interval } = planned;
    const { name } = run.section;
    return this.#fresh(name, interval).filter(
      (piece) => !isLate(planned, this.#beginOf(piece)) || this.#isFreed(name, piece),
    );
  }

  #isFreed(name: string, piece: UsagePiece): boolean {
    return this.#freed.some(
      ({ usageName, consumed }) => usageName === name && consumed.some((range) => holds(range, piece)),
    );
  }

  #beyond(name: string, planned: readonly PlannedInterval[]): readonly UsagePiece[] {
    const open = new Set(
      planned
        .filter(({ run }) => run.section.name === name)
        .flatMap(({ interval }) => this.#within(interval)),
    );
    const closed = this.#billed.filter(({ usageName }) => usageName === name);
    const within = closed.flatMap(({ instants, startDate, endDate }) => {
      if (instants === null) return [];
      const { start, end } = instants;
      return this.#within({
        start: { at: start, date: startDate },
        end: { at: end, date: endDate },
        includesEnd: false,
      });
    });
    return [...new Set(within)].filter((piece) => !open.has(piece) && !this.#isConsumed(name, piece));
  }

  #isConsumed(name: string, piece: UsagePiece): boolean {
    return this.#consumerOf(name, piece) !== undefined;
  }

  /**
   * Returns the last interval that consumed the points. Skips an interval that was temporarily superseded. Such an
   * interval was credited, and other intervals charged its points (§7.3 rule 7).
   */
  #consumerOf(name: string, piece: UsagePiece): BilledInterval | undefined {
    const consumers = this.#consumersOn.get(piece.localDate) ?? [];
    return consumers.findLast(({ by, range }) => by.usageName === name && holds(range, piece))?.by;
  }

  #on(date: LocalDate): readonly UsagePiece[] {
    return this.#piecesOn.get(date) ?? [];
  }

  #within(interval: UsageInterval): readonly UsagePiece[] {
    const found: UsagePiece[] = [];
    for (let date = interval.start.date; date <= interval.end.date; date = (date + 1) as LocalDate) {
      for (const piece of this.#on(date)) {
        if (this.#isWithin(interval, piece)) found.push(piece);
      }
    }
    return found;
  }

  #isWithin(interval: UsageInterval, { part, localDate }: UsagePiece): boolean {
    const { start, end, includesEnd } = interval;
    if (typeof part === 'object') {
      // An archived part with other boundaries belongs to the interval in which it begins (§11.4).
      return part.from >= start.at && (part.from < end.at || (includesEnd && part.from === end.at));
    }
    return isWithin(interval, this.#countsAt(localDate));
  }

  #beginOf({ part, localDate }: UsagePiece): Instant {
    return typeof part === 'object' ? part.from : this.#countsAt(localDate);
  }

  /**
   * Returns the instant to which all points of a day are assigned. This is the start of the day or, if later, the start
   * of billing (§2.3 rule 3).
   */
  #countsAt(localDate: LocalDate): Instant {
    const recordInstant = startOfDay(localDate, this.#zone);
    return countsAt({ recordInstant, localDate, dateOnly: true }, this.#times);
  }
}

export type { DayUsage, PartOfDay, PointRange, UsagePiece } from '../../records/index.ts';

/** Points that were charged on an invoice that is now VOID. */
export type FreedPoints = Pick<
  BilledInterval,
  'usageName' | 'instants' | 'startDate' | 'endDate' | 'consumed'
>;

export function holds(range: PointRange, piece: PointRange): boolean {
  return (
    range.unit === piece.unit &&
    range.localDate === piece.localDate &&
    range.after <= piece.after &&
    piece.upTo <= range.upTo &&
    holdsPart(range.part, piece.part)
  );
}

function holdsPart(range: PartOfDay, piece: PartOfDay): boolean {
  if (range === 'ALL' || range === piece) return true;
  if (typeof range === 'string' || typeof piece === 'string') return false;
  return range.from <= piece.from && piece.to <= range.to;
}

/**
 * A request to split a day of one unit in storage. Each resulting piece belongs to one interval and is consumed as a
 * whole.
 */
export interface SplitRequest {
  readonly unit: string;
  readonly localDate: LocalDate;
  /**
   * Bounds that divide the day into parts. Each part is between two neighboring instants. The list is empty if the
   * day is not split by time.
   */
  readonly bounds: readonly Instant[];
  /** Ordinals of points after which a new piece begins, in ascending order. */
  readonly ordinals: readonly number[];
}

interface PiecesNeeded {
  /** Days for which the daily sum is sufficient. Days without valid points are omitted. */
  readonly whole: readonly UsagePiece[];
  readonly split: readonly SplitRequest[];
}

interface PiecesInput {
  readonly days: readonly DayUsage[];
  /** All events of the subscription. */
  readonly events: readonly BillingEvent[];
  readonly zone: TimeZone;
  /** Billed intervals of all invoices except VOID invoices. */
  readonly billed: readonly BilledPoints[];
  /** Additional instants at which days are split. Defaults to none. */
  readonly cuts?: readonly DatedInstant[];
}

export type BilledPoints = Pick<BilledInterval, 'instants' | 'startDate' | 'endDate' | 'consumed'>;

/**
 * Returns the days that must be read in pieces. These are days that billing splits now or has split before, and days to
 * which points have been added since. Every other day takes one row, however many points it has (§11).
 */
export function piecesNeeded({ days, events, zone, billed, cuts = [] }: PiecesInput): PiecesNeeded {
  const cutsOn = Map.groupBy(
    [...events.flatMap(cutsOf), ...billed.flatMap(cutsOfBilled), ...cuts],
    ({ date }) => date,
  );
  const rangesOf = Map.groupBy(
    billed.flatMap(({ consumed }) => consumed),
    bucketOf,
  );
  const whole: UsagePiece[] = [];
  const split: SplitRequest[] = [];
  for (const day of days) {
    const { unit, localDate, count, sum, max } = day;
    const ranges = rangesOf.get(bucketOf(day)) ?? [];
    const bounds = boundsOf(localDate, zone, { cuts: cutsOn.get(localDate) ?? [], ranges });
    const ordinals = ordinalsOf(ranges, count);
    if (bounds.length > 0 || ordinals.length > 0) split.push({ unit, localDate, bounds, ordinals });
    else if (max !== null) whole.push({ unit, localDate, part: 'ALL', after: 0, upTo: count, sum, max });
  }
  return { whole, split };
}

/** Returns the key of a unit on a day. */
export function bucketOf({ unit, localDate }: Pick<DayUsage, 'unit' | 'localDate'>): string {
  return `${localDate} ${unit}`;
}

/**
 * Returns the instants that split a day, including its start and end. Returns an empty list for a day that is not
 * split.
 */
function boundsOf(
  date: LocalDate,
  zone: TimeZone,
  { cuts, ranges }: { readonly cuts: readonly DatedInstant[]; readonly ranges: readonly PointRange[] },
): readonly Instant[] {
  const start = startOfDay(date, zone);
  const within = [
    ...cuts.map(({ at }) => at).filter((at) => at !== start),
    ...ranges.flatMap(({ part }) => (typeof part === 'string' ? [] : [part.from, part.to])),
  ];
  const isSplit = within.length > 0 || ranges.some(({ part }) => part === 'DAY_POINTS');
  if (!isSplit) return [];
  return [...new Set([start, ...within, endOfDate(date, zone)])].sort((a, b) => a - b);
}

/** Returns the start of the next day. For the last day of the calendar, returns the last instant of the calendar. */
function endOfDate(date: LocalDate, zone: TimeZone): Instant {
  const next = localDateWithinCalendar(date + 1);
  return next === date ? LAST_INSTANT : startOfDay(next, zone);
}

/**
 * Returns the instants at which an event splits a day. Instants have millisecond precision, so the last instant of a
 * subscription gets its own part (§6.4).
 */
function cutsOf(event: BillingEvent): readonly DatedInstant[] {
  const { effectiveDate: at, localDate: date } = event;
  return isEnd(event)
    ? [
        { at, date },
        { at: addMilliseconds(at, 1), date },
      ]
    : [{ at, date }];
}

function cutsOfBilled({ instants, startDate, endDate }: BilledPoints): readonly DatedInstant[] {
  if (instants === null) return [];
  return [
    { at: instants.start, date: startDate },
    { at: instants.end, date: endDate },
  ];
}

function ordinalsOf(ranges: readonly PointRange[], count: number): readonly number[] {
  const ends = ranges.flatMap(({ after, upTo }) => [after, upTo]);
  return [...new Set(ends.filter((ordinal) => ordinal > 0 && ordinal < count))].sort((a, b) => a - b);
}
