import type { UsageSection } from '../../records/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { NO_USAGE, type Quantities, together } from '../rating/quantities.ts';
import type { BilledInterval, PlannedInterval } from './billed-interval.ts';
import { BeyondLookBack, LateMode, type UsageConfig } from './usage-config.ts';

/** What was used in an interval. A point is consumed by the billed interval that has charged it. */
export interface CollectedUsage {
  /** Points that the billed intervals within it have consumed, late ones of earlier periods included, less void ones. */
  readonly billed: Quantities;
  /** Points in it that no billed interval of the usage name has consumed. */
  readonly fresh: Quantities;
  /** Those of them that are not late: where nothing is billed, or was billed before its end. */
  readonly onTime: Quantities;
}

export interface LateUsageInput {
  readonly section: UsageSection;
  readonly isBilled: boolean;
  readonly collected: CollectedUsage;
}

export interface LateUsageModes extends Pick<UsageConfig, 'lateMode' | 'beyondLookBack'> {
  /** Points that no billed interval has consumed, of billed intervals before the look-back. */
  readonly beyond: Quantities;
}

export type TakenFresh = 'ALL' | 'ON_TIME' | 'NONE';

/** What an interval is rated for, and which points it consumes so that no other one charges them. */
export interface ChargedUsage {
  readonly quantities: Quantities;
  /** Which of its own fresh points; the others are left to another interval, or to none. */
  readonly takesFresh: TakenFresh;
  /** Fresh points of these intervals, by their places in the list. */
  readonly takesLateOf: readonly number[];
  readonly takesBeyond: boolean;
}

/**
 * The usage that each interval is charged for (§7.7).
 * @param intervals those of one usage name of a subscription that are not covered, in order.
 */
export function chargedUsage(
  intervals: readonly LateUsageInput[],
  { lateMode, beyondLookBack, beyond }: LateUsageModes,
): readonly ChargedUsage[] {
  const next = intervals.findIndex(({ isBilled }) => !isBilled);
  // Without an interval that takes them, late points are billed as what they are.
  const mode = lateMode === LateMode.NEXT_PERIOD && next < 0 ? LateMode.DELTA : lateMode;
  const takesBeyond = beyondLookBack === BeyondLookBack.NEXT_PERIOD;
  const lateOf =
    mode === LateMode.NEXT_PERIOD
      ? intervals.flatMap(({ isBilled }, index) => (isBilled ? [index] : []))
      : [];
  return intervals.map((interval, index): ChargedUsage => {
    const { section, isBilled, collected } = interval;
    const takesFresh = !isBilled ? 'ALL' : takenOfBilled(mode);
    const taken =
      index === next ? { takesLateOf: lateOf, takesBeyond } : { takesLateOf: [], takesBeyond: false };
    const parts = [
      ...(takesFresh === 'ALL' ? [collected.fresh] : []),
      ...(takesFresh === 'ON_TIME' ? [collected.onTime] : []),
      ...taken.takesLateOf.map((place) => intervals[place]?.collected.fresh ?? NO_USAGE),
      ...(taken.takesBeyond ? [beyond] : []),
    ];
    const quantities = parts.reduce((all, more) => together(section, all, more), collected.billed);
    return { quantities, takesFresh, ...taken };
  });
}

function takenOfBilled(mode: LateMode): TakenFresh {
  if (mode === LateMode.DELTA) return 'ALL';
  return mode === LateMode.IGNORE ? 'ON_TIME' : 'NONE';
}

/** Whether what counts then was late: the time is billed, and was over when it was (§7.7). */
export function isLate(
  { interval, match }: Pick<PlannedInterval, 'interval' | 'match'>,
  at: Instant,
): boolean {
  const isVeryEnd = interval.includesEnd && at === interval.end.at;
  return [...match.previous, ...match.overlapping].some(
    (one) => !isBilledAhead(one) && holds(one, at, isVeryEnd),
  );
}

/** A run up to a date to come has billed it before its end. */
export function isBilledAhead({ instants, billedAt = null }: BilledInterval): boolean {
  return instants !== null && billedAt !== null && billedAt < instants.end;
}

function holds({ instants }: BilledInterval, at: Instant, isVeryEnd: boolean): boolean {
  if (instants === null) return true;
  const { start, end } = instants;
  return start <= at && (at < end || (at === end && (isVeryEnd || start === end)));
}
