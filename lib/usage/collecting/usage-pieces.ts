import type { BillingEvent, DayUsage, PartOfDay, PointRange, UsagePiece } from '../../records/index.ts';
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
import { isEnd } from '../intervals/usage-runs.ts';
import type { BilledInterval } from '../settlement/billed-interval.ts';

export type { DayUsage, PartOfDay, PointRange, UsagePiece } from '../../records/index.ts';

/** Points that an invoice had charged that is VOID now. */
export type FreedPoints = Pick<
  BilledInterval,
  'usageName' | 'instants' | 'startDate' | 'endDate' | 'consumed'
>;

/** True if the range has all points of the piece. */
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

/** A day of a unit that storage is asked to split, so that each piece is in one interval and consumed as a whole. */
export interface SplitRequest {
  readonly unit: string;
  readonly localDate: LocalDate;
  /** The parts: between neighbours of these instants, and the points of the day; empty = the day is not split by time. */
  readonly bounds: readonly Instant[];
  /** Ordinals after which another piece begins; ascending. */
  readonly ordinals: readonly number[];
}

export interface PiecesNeeded {
  /** Days whose sums are enough; days on which no point counts have nothing to bill, and are left out. */
  readonly whole: readonly UsagePiece[];
  readonly split: readonly SplitRequest[];
}

export interface PiecesInput {
  readonly days: readonly DayUsage[];
  /** All of the subscription. */
  readonly events: readonly BillingEvent[];
  readonly zone: TimeZone;
  /** Those of the subscription, on invoices that are not VOID. */
  readonly billed: readonly BilledPoints[];
  /** Where else days are to be split; default nowhere. */
  readonly cuts?: readonly DatedInstant[];
}

/** When an interval was billed for, and the points that it has charged. */
export type BilledPoints = Pick<BilledInterval, 'instants' | 'startDate' | 'endDate' | 'consumed'>;

/**
 * What has to be read beyond the sums of days: the days that billing cuts, or has cut when they were billed, and those
 * to which points have come since they were billed. All others cost a row, however many points they have (§11).
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
    const bounds = boundsOf(localDate, { cuts: cutsOn.get(localDate) ?? [], ranges, zone });
    const ordinals = ordinalsOf(ranges, count);
    if (bounds.length > 0 || ordinals.length > 0) split.push({ unit, localDate, bounds, ordinals });
    else if (max !== null) whole.push({ unit, localDate, part: 'ALL', after: 0, upTo: count, sum, max });
  }
  return { whole, split };
}

function bucketOf({ unit, localDate }: Pick<DayUsage, 'unit' | 'localDate'>): string {
  return `${localDate} ${unit}`;
}

interface DayCuts {
  readonly cuts: readonly DatedInstant[];
  readonly ranges: readonly PointRange[];
  readonly zone: TimeZone;
}

/** The instants at which a day is cut, with its own start and end; none where it is not. */
function boundsOf(date: LocalDate, { cuts, ranges, zone }: DayCuts): readonly Instant[] {
  const start = startOfDay(date, zone);
  const within = [
    ...cuts.map(({ at }) => at).filter((at) => at !== start),
    ...ranges.flatMap(({ part }) => (typeof part === 'string' ? [] : [part.from, part.to])),
  ];
  const isSplit = within.length > 0 || ranges.some(({ part }) => part === 'DAY_POINTS');
  if (!isSplit) return [];
  return [...new Set([start, ...within, endOfDate(date, zone)])].sort((a, b) => a - b);
}

/** Where the next day begins; the last day of the calendar has none. */
function endOfDate(date: LocalDate, zone: TimeZone): Instant {
  const next = localDateWithinCalendar(date + 1);
  return next === date ? LAST_INSTANT : startOfDay(next, zone);
}

/** Instants have whole milliseconds, so that the last one of a subscription is a part of its own (§6.4). */
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
