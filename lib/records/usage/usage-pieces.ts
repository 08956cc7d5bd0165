import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** What storage keeps up to date of one unit and day (usage §1.2). */
export interface DayUsage {
  readonly unit: string;
  readonly localDate: LocalDate;
  /** Points ever recorded, void ones too: the ordinal of the last one (usage §11.3). */
  readonly count: number;
  /** How often points of it were voided. */
  readonly version: number;
  /** Of the points that count. */
  readonly sum: Decimal;
  /** The largest single amount; null where no point counts. */
  readonly max: Decimal | null;
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
export interface UsagePiece extends PointRange {
  readonly sum: Decimal;
  /** The largest single amount. */
  readonly max: Decimal;
}
