import type { Instant, LocalDate } from '../../values/time/index.ts';
import type { UsageSum } from '../rating/quantities.ts';
import type { BilledOfSection } from '../settlement/usage-plan.ts';

/** What storage keeps up to date of one unit and day (§1.2). */
export interface DayUsage extends UsageSum {
  readonly localDate: LocalDate;
  /** Points ever recorded, void ones too: the ordinal of the last one (§11.3). */
  readonly count: number;
}

/**
 * Which points of a day: all; those that were recorded for the day and not for an instant; or those of instants from
 * `from` up to `to`, exclusive. A day is either taken as a whole or split into the other two.
 */
export type PartOfDay = 'ALL' | 'DAY_POINTS' | { readonly from: Instant; readonly to: Instant };

/** Points of one unit and day: some part of it, with after < ordinal ≤ upTo. */
export interface PointRange {
  readonly unit: string;
  readonly localDate: LocalDate;
  readonly part: PartOfDay;
  readonly after: number;
  readonly upTo: number;
}

/** A range of points with their sums, less void ones. */
export interface UsagePiece extends PointRange, UsageSum {}

/** A billed interval with the points that it has charged. */
export interface ConsumingInterval extends BilledOfSection {
  readonly consumed: readonly PointRange[];
}

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
