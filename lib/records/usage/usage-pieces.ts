import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** The stored sums for a unit on a day (usage §1.2). */
export interface DayUsage {
  readonly unit: string;
  readonly localDate: LocalDate;
  /** Number of recorded points, including voided points. It equals the last ordinal (usage §11.3). */
  readonly count: number;
  /** Number of voids on the day. It serves as the version of the day. */
  readonly version: number;
  /** Sum of the valid points. */
  readonly sum: Decimal;
  /** The largest valid amount, or null if there are no valid points. */
  readonly max: Decimal | null;
}

/**
 * A part of the points of a day: all points, the points recorded without an instant, or the points from `from`
 * (inclusive) to `to` (exclusive).
 */
export type PartOfDay = 'ALL' | 'DAY_POINTS' | { readonly from: Instant; readonly to: Instant };

/** Points of a unit in a part of a day, with after < ordinal ≤ upTo. */
export interface PointRange {
  readonly unit: string;
  readonly localDate: LocalDate;
  readonly part: PartOfDay;
  readonly after: number;
  readonly upTo: number;
}

/** A range of points with the sum of its valid points. */
export interface UsagePiece extends PointRange {
  readonly sum: Decimal;
  /** The largest single amount. */
  readonly max: Decimal;
}
