import type {
  DayUsage,
  Page,
  PageRequest,
  PointRange,
  StoredUsageInterval,
  ToldThreshold,
  UsagePiece,
  UsageSubmission,
  VoidOutcome,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
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

/** Days whose sums a run reads. */
export interface UsageDaysRequest {
  readonly subscriptionRecordId: number;
  /** From this day on; null = all days. */
  readonly from: LocalDate | null;
  /** Days before it that are read, too. */
  readonly dates: readonly LocalDate[];
}

/** A day of a unit in parts: the points of the day, those between neighbours of `bounds`, and each of these by ordinals. */
export interface UsageSplitRequest {
  readonly subscriptionRecordId: number;
  readonly unit: string;
  readonly localDate: LocalDate;
  /** Ascending; empty = the day is not split by time. */
  readonly bounds: readonly Instant[];
  /** Ordinals after which another piece begins; ascending, between the first and the last. */
  readonly ordinals: readonly number[];
}

/** A stretch of a day in hours that follow each other. */
export interface UsageHours {
  readonly day: LocalDate;
  readonly start: Instant;
  /** Exclusive; the last hour may be shorter. */
  readonly end: Instant;
}

export interface UsageHoursRequest {
  readonly subscriptionRecordId: number;
  readonly stretches: readonly UsageHours[];
  /** Of this unit alone; null = of every unit. */
  readonly unit: string | null;
}

/** How much of a unit was used in an hour of a stretch. */
export interface HourSum extends UsageSum {
  /** From 0 on. */
  readonly hour: number;
}

export interface UsageReads extends UsageArchiveReads {
  /**
   * The intervals of these subscriptions that end on or after the date (null = all), on invoices that are not VOID or on
   * none, in the order in which they were billed; one statement.
   */
  intervals(
    windows: readonly { readonly subscriptionId: Uuid; readonly from: LocalDate | null }[],
  ): Promise<readonly StoredUsageInterval[]>;
  /** The same of those on VOID invoices; one statement. */
  voidIntervals(windows: Parameters<UsageReads['intervals']>[0]): Promise<readonly StoredUsageInterval[]>;
  /** By record id of the subscription, how often it was marked as something was recorded; without those that never were. */
  marks(subscriptionRecordIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** The subscriptions and days from which the invoice bills usage, also such as comes to nothing; some come repeatedly. */
  billedOn(invoiceId: Uuid): Promise<readonly { readonly subscriptionId: Uuid; readonly date: LocalDate }[]>;
  /**
   * By invoice, the tracking ids of the points that it was the first to bill, in the order in which they were recorded and
   * at most `limit` of each; those of submissions that were void by then, and of VOID invoices, are left out. Two statements.
   */
  trackingIds(invoiceIds: readonly Uuid[], limit: number): Promise<ReadonlyMap<Uuid, readonly string[]>>;
  /** A window of those of one invoice, in the same order; three statements. */
  pageOfTrackingIds(invoiceId: Uuid, request: PageRequest): Promise<Page<string>>;
  /** The same of points that no invoice has billed yet, without those of voided submissions; one statement. */
  trackingIdsOfPoints(
    points: readonly { readonly subscriptionId: Uuid; readonly ranges: readonly PointRange[] }[],
    limit: number,
  ): Promise<readonly string[]>;
  /** For each request, in the order given, its days by date, then unit; one statement. */
  days(requests: readonly UsageDaysRequest[]): Promise<readonly (readonly DayUsage[])[]>;
  /**
   * For each request, in the order given, the pieces that have points that count; one statement, which reads the points
   * of these days.
   */
  pieces(requests: readonly UsageSplitRequest[]): Promise<readonly (readonly UsagePiece[])[]>;
  /**
   * For each stretch, in the order given, the sums of the units that have points in it, by the names of the units in
   * the order of their code points; points of voided submissions do not count. One statement, which reads a row per day
   * and unit, and the points of the cut days alone.
   */
  sums(request: UsageSumsRequest): Promise<readonly (readonly UsageSum[])[]>;
  /**
   * The same by the hours of each stretch, for those that have points, by hour, then unit. One statement, which reads the
   * points of these days.
   */
  hourSums(request: UsageHoursRequest): Promise<readonly (readonly HourSum[])[]>;
}

export interface UsageWrites extends UsageArchiveWrites {
  insertIntervals(intervals: readonly StoredUsageInterval[]): Promise<void>;
  /**
   * Stores usage as `Storage.recordUsage` does, together with what else the transaction does, and marks the subscriptions of
   * which something was stored. Last come their marks, for which whoever has locked them is waited for.
   */
  record(submissions: readonly UsageSubmission[]): Promise<readonly (string | null)[]>;
  /** The same as `marks`, which stay so until the transaction ends: whoever records waits for it. */
  lockMarks(subscriptionRecordIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Stores that thresholds were told of, and gives those of which it was not told before. */
  tellThresholds(thresholds: readonly ToldThreshold[]): Promise<readonly ToldThreshold[]>;
  /**
   * Takes back what was recorded under the tracking id: its points no longer count, the days that they are on have
   * another version. Nothing happens to one that is voided already. It takes the locks of all days from its first to its
   * last, and none of the account. Where its points are archived, the transaction is to be rolled back.
   */
  voidSubmission(subscriptionRecordId: number, trackingId: string): Promise<VoidOutcome>;
}

/** A subscription that has points which may be archived, as far as its cursor tells. */
export interface SettledSubscription {
  readonly subscriptionRecordId: number;
  readonly subscriptionId: Uuid;
  readonly accountRecordId: number;
}

export interface SettledRequest {
  /** They have points before this day, and before the one from which the next run looks at their usage. */
  readonly before: LocalDate;
  /** The tenant's settings for usage, with which they were last looked at. */
  readonly settings: string;
  /** Those after this record id. */
  readonly after: number;
  readonly limit: number;
}

/** A day of a unit that has points, others of which may be archived already. */
export interface OpenDay {
  readonly subscriptionRecordId: number;
  readonly unit: string;
  readonly localDate: LocalDate;
  /** Points ever recorded: the ordinal of the last one. */
  readonly count: number;
  /** Those up to this ordinal are archived; 0 = none. */
  readonly archivedCount: number;
}

/** What is kept of the points of a day once they are gone. */
export interface ArchivedDay extends OpenDay {
  /** Each keeps its sums and tracking ids; together they hold all of its points that are not archived yet. */
  readonly pieces: readonly PointRange[];
}

export interface ForgottenKeys {
  /** Record id of the last one that was looked at; null = there are no more. */
  readonly last: number | null;
  readonly forgotten: number;
}

export interface UsageArchiveReads {
  /** By record id. */
  settledSubscriptions(request: SettledRequest): Promise<readonly SettledSubscription[]>;
  /** Those of the days that have archived points, in ascending order; one statement. */
  archivedDays(subscriptionRecordId: number, days: readonly LocalDate[]): Promise<readonly LocalDate[]>;
}

export interface UsageArchiveWrites {
  /**
   * Days with points that are not archived, of these subscriptions before these dates, at most so many. Nothing can be
   * recorded or voided on them until the transaction ends.
   */
  lockOpenDays(
    requests: readonly { readonly subscriptionRecordId: number; readonly before: LocalDate }[],
    limit: number,
  ): Promise<readonly OpenDay[]>;
  /** Removes the points of locked days, and keeps what is told of them; a constant number of statements. */
  archive(days: readonly ArchivedDay[]): Promise<void>;
  /**
   * Forgets tracking ids that were recorded before the instant and have no points any more, among at most `limit` ones
   * after the record id.
   */
  forgetKeys(request: {
    readonly recordedBefore: Instant;
    readonly after: number;
    readonly limit: number;
  }): Promise<ForgottenKeys>;
}
