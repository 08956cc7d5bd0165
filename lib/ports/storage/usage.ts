import type {
  DayUsage,
  Page,
  PageRequest,
  PointRange,
  Rows,
  StoredUsageInterval,
  ThresholdAnnouncement,
  UsagePiece,
  UsageSubmission,
  VoidOutcome,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** A time span in whole and cut days, so that few points are read. */
export interface UsageStretch {
  readonly start: Instant;
  /** Exclusive. */
  readonly end: Instant;
  /** The complete days; null if none. */
  readonly wholeDays: { readonly first: LocalDate; readonly last: LocalDate } | null;
  /** The incomplete days: of `start`, of `end`, both, or none. */
  readonly cutDays: readonly LocalDate[];
}

export interface UsageSumsRequest {
  readonly subscriptionRecordId: number;
  /** In any order, possibly overlapping. */
  readonly stretches: readonly UsageStretch[];
  /** Null means all units. */
  readonly unit: string | null;
}

/** The used amount of a unit in a time span. */
export interface UsageSum {
  readonly unit: string;
  readonly amount: Decimal;
}

/** The days of a run. */
export interface UsageDaysRequest {
  readonly subscriptionRecordId: number;
  /** First day; null means all days. */
  readonly from: LocalDate | null;
  /** Further days before `from`. */
  readonly dates: readonly LocalDate[];
}

/** Splits a day of a unit: points without an instant, points between neighboring `bounds`, each split by ordinals. */
export interface UsageSplitRequest {
  readonly subscriptionRecordId: number;
  readonly unit: string;
  readonly localDate: LocalDate;
  /** Ascending; empty means not split by time. */
  readonly bounds: readonly Instant[];
  /** Last ordinals of pieces, ascending, without the last piece. */
  readonly ordinals: readonly number[];
}

/** A time span of a day in consecutive hours. */
export interface UsageHours {
  readonly day: LocalDate;
  readonly start: Instant;
  /** Exclusive; the last hour may be shorter. */
  readonly end: Instant;
}

export interface UsageHoursRequest {
  readonly subscriptionRecordId: number;
  readonly stretches: readonly UsageHours[];
  /** Null means all units. */
  readonly unit: string | null;
}

/** The used amount of a unit in an hour of a time span. */
export interface HourSum extends UsageSum {
  /** From 0. */
  readonly hour: number;
}

export interface UsageReads extends UsageArchiveReads {
  /**
   * Intervals of these subscriptions ending on or after the date (null means all) without a VOID invoice, in billing
   * order; one statement.
   */
  intervals(
    windows: readonly { readonly subscriptionId: Uuid; readonly from: LocalDate | null }[],
  ): Rows<StoredUsageInterval>;
  /** Same as `intervals`, for VOID invoices. */
  voidIntervals(windows: Parameters<UsageReads['intervals']>[0]): Rows<StoredUsageInterval>;
  /** Number of recordings by record id of the subscription; others are omitted. */
  marks(subscriptionRecordIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Subscriptions and days of the invoice's usage, including usage of amount 0; may contain duplicates. */
  billedOn(invoiceId: Uuid): Promise<readonly { readonly subscriptionId: Uuid; readonly date: LocalDate }[]>;
  /**
   * Tracking ids of the points that each invoice billed first, in recording order, at most `limit` per invoice, without void
   * submissions and VOID invoices. Two statements.
   */
  trackingIds(invoiceIds: readonly Uuid[], limit: number): Promise<ReadonlyMap<Uuid, readonly string[]>>;
  /** Returns a page of the tracking ids of one invoice; three statements. */
  pageOfTrackingIds(invoiceId: Uuid, request: PageRequest): Promise<Page<string>>;
  /** Tracking ids of unbilled points, without voided submissions; one statement. */
  trackingIdsOfPoints(
    points: readonly { readonly subscriptionId: Uuid; readonly ranges: readonly PointRange[] }[],
    limit: number,
  ): Rows<string>;
  /** Returns the days of each request by date, then unit; one statement. */
  days(requests: readonly UsageDaysRequest[]): Promise<readonly (readonly DayUsage[])[]>;
  /** Returns the pieces of each request with valid points; one statement, which reads the points of these days. */
  pieces(requests: readonly UsageSplitRequest[]): Promise<readonly (readonly UsagePiece[])[]>;
  /**
   * Returns the sums of valid points in each time span by unit, sorted by the code points of the unit names. One statement,
   * which reads a row per day and unit, and the points of cut days only.
   */
  sums(request: UsageSumsRequest): Promise<readonly (readonly UsageSum[])[]>;
  /** Returns the sums of each hour with points, by hour, then unit. One statement, which reads the points of these days. */
  hourSums(request: UsageHoursRequest): Promise<readonly (readonly HourSum[])[]>;
}

export interface UsageWrites extends UsageArchiveWrites {
  insertIntervals(intervals: readonly StoredUsageInterval[]): Promise<void>;
  /**
   * Stores usage as `Storage.recordUsage` does, in this transaction, and marks its subscriptions last, waiting for holders of
   * `lockMarks`.
   */
  record(submissions: readonly UsageSubmission[]): Promise<readonly (string | null)[]>;
  /** Returns the same as `marks`, and locks them against recording until the transaction ends. */
  lockMarks(subscriptionRecordIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Records reached thresholds once; returns the new ones. */
  announceThresholds(thresholds: readonly ThresholdAnnouncement[]): Rows<ThresholdAnnouncement>;
  /**
   * Voids a submission: its points no longer count, and their days get a new version. No-op for a void submission. Locks all
   * days from its first to its last, but not the account. If its points are archived, roll the transaction back.
   */
  voidSubmission(subscriptionRecordId: number, trackingId: string): Promise<VoidOutcome>;
}

/** A subscription with archivable points according to its cursor. */
export interface SettledSubscription {
  readonly subscriptionRecordId: number;
  readonly subscriptionId: Uuid;
  readonly accountRecordId: number;
}

export interface SettledRequest {
  /** Selects points before this day and before the first day of the next run. */
  readonly before: LocalDate;
  /** The tenant's usage settings at their last run. */
  readonly settings: string;
  readonly after: number;
  readonly limit: number;
}

/** A day of a unit with unarchived points. */
export interface OpenDay {
  readonly subscriptionRecordId: number;
  readonly unit: string;
  readonly localDate: LocalDate;
  /** Number of recorded points: the last ordinal. */
  readonly count: number;
  /** Last archived ordinal; 0 = none. */
  readonly archivedCount: number;
}

/** The stored rest of a day's archived points. */
export interface ArchivedDay extends OpenDay {
  /** Ranges that contain all unarchived points; each keeps its sums and tracking ids. */
  readonly pieces: readonly PointRange[];
}

export interface ForgottenKeys {
  /** Record id of the last checked key; null means no more. */
  readonly last: number | null;
  readonly forgotten: number;
}

export interface UsageArchiveReads {
  /** Returns the records by record id. */
  settledSubscriptions(request: SettledRequest): Rows<SettledSubscription>;
  /** Returns the days with archived points, ascending; one statement. */
  archivedDays(subscriptionRecordId: number, days: readonly LocalDate[]): Rows<LocalDate>;
}

export interface UsageArchiveWrites {
  /**
   * Returns up to `limit` days of these subscriptions with unarchived points before the dates, and locks them against
   * recording and voiding.
   */
  lockOpenDays(
    requests: readonly { readonly subscriptionRecordId: number; readonly before: LocalDate }[],
    limit: number,
  ): Rows<OpenDay>;
  /** Deletes the points of locked days and stores their rest; a constant number of statements. */
  archive(days: readonly ArchivedDay[]): Promise<void>;
  /** Deletes tracking ids without points recorded before the instant, checking up to `limit` after the record id. */
  forgetKeys(request: {
    readonly recordedBefore: Instant;
    readonly after: number;
    readonly limit: number;
  }): Promise<ForgottenKeys>;
}
