import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** A stretch of time of a subscription, told in days and in parts of days, so that only few points are read. */
export interface UsageStretch {
  readonly start: Instant;
  /** Exclusive. */
  readonly end: Instant;
  /** The days that lie in it from their start to their end; null if there is none. */
  readonly wholeDays: { readonly first: LocalDate; readonly last: LocalDate } | null;
  /** The days that lie in it in part: the day of `start`, the day of `end`, both, or none. */
  readonly cutDays: readonly LocalDate[];
}

export interface UsageSumsRequest {
  readonly subscriptionRecordId: number;
  /** In any order; they may overlap. */
  readonly stretches: readonly UsageStretch[];
  /** Of this unit alone; null = of every unit. */
  readonly unit: string | null;
}

/** How much of a unit was used in a stretch of time. */
export interface UsageSum {
  readonly unit: string;
  readonly amount: Decimal;
}

export interface UsageReads {
  /**
   * For each stretch, in the order given, the sums of the units that have points in it, by the names of the units in
   * the order of their code points; points of voided submissions do not count. One statement, which reads a row per day
   * and unit, and the points of the cut days alone.
   */
  sums(request: UsageSumsRequest): Promise<readonly (readonly UsageSum[])[]>;
}

export interface UsageWrites {
  /**
   * Takes back what was recorded under the tracking id: its points no longer count, the days that they are on have
   * another version. False if there is none; nothing happens to one that is voided already. It takes the locks of these
   * days, and none of the account.
   */
  voidSubmission(subscriptionRecordId: number, trackingId: string): Promise<boolean>;
}
