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
import type { InvoiceSelection } from './invoices.ts';

/** A time span split into complete and incomplete days, so that few points are read. */
export interface UsageStretch {
  readonly start: Instant;
  /** Exclusive end of the range. */
  readonly end: Instant;
  /** The complete days. Null if there are none. */
  readonly wholeDays: { readonly first: LocalDate; readonly last: LocalDate } | null;
  /** The incomplete days: the day of `start`, the day of `end`, both, or neither. */
  readonly cutDays: readonly LocalDate[];
}

export interface UsageSumsRequest {
  readonly subscriptionRecordId: number;
  /** Time spans in any order, possibly overlapping. */
  readonly stretches: readonly UsageStretch[];
  /** Unit of the usage. Null means all units. */
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
  /** First day. Null means all days. */
  readonly from: LocalDate | null;
  /** Further days before `from`. */
  readonly dates: readonly LocalDate[];
}

/**
 * Splits a day of a unit by time: points without an instant, and points between neighboring `bounds`. Each part is
 * then split by ordinals.
 */
export interface UsageSplitRequest {
  readonly subscriptionRecordId: number;
  readonly unit: string;
  readonly localDate: LocalDate;
  /** Instants in ascending order. Empty to split only by ordinals. */
  readonly bounds: readonly Instant[];
  /** Last ordinals of the pieces in ascending order, without the last piece. */
  readonly ordinals: readonly number[];
}

/** A time span of a day, split into consecutive hours. */
export interface UsageHours {
  readonly day: LocalDate;
  readonly start: Instant;
  /** Exclusive end. The last hour may be shorter. */
  readonly end: Instant;
}

export interface UsageHoursRequest {
  readonly subscriptionRecordId: number;
  readonly stretches: readonly UsageHours[];
  /** Unit of the usage. Null means all units. */
  readonly unit: string | null;
}

/** The used amount of a unit in an hour of a time span. */
export interface HourSum extends UsageSum {
  /** Number of the hour, from 0. */
  readonly hour: number;
}

export interface UsageReads extends UsageArchiveReads {
  /**
   * Returns intervals of these subscriptions that end on or after the date (null means all) and have no VOID invoice,
   * in billing order. Takes one statement.
   */
  intervals(
    windows: readonly { readonly subscriptionId: Uuid; readonly from: LocalDate | null }[],
  ): Rows<StoredUsageInterval>;
  /** Returns the billed intervals of VOID invoices, in the form of `intervals`. */
  voidIntervals(windows: Parameters<UsageReads['intervals']>[0]): Rows<StoredUsageInterval>;
  /**
   * Returns the number of recordings by record id of the subscription. Subscriptions without recordings are omitted.
   */
  marks(subscriptionRecordIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Returns subscriptions and days of the invoice's usage, including usage of amount 0. May contain duplicates. */
  billedOn(invoiceId: Uuid): Promise<readonly { readonly subscriptionId: Uuid; readonly date: LocalDate }[]>;
  /**
   * Returns tracking ids of the points that each invoice billed first, in recording order, at most `limit` per
   * invoice. Omits void submissions and VOID invoices. Takes one statement, and a second one for usage of points.
   * @param limitOf function that returns the limit; called only for usage of points or usage sources.
   */
  trackingIds(
    of: InvoiceSelection,
    limitOf: () => number | Promise<number>,
  ): Promise<ReadonlyMap<Uuid, readonly string[]>>;
  /** Returns a page of the tracking ids of one invoice. Takes three statements. */
  pageOfTrackingIds(invoiceId: Uuid, request: PageRequest): Promise<Page<string>>;
  /** Returns tracking ids of unbilled points, without voided submissions. Takes one statement. */
  trackingIdsOfPoints(
    points: readonly { readonly subscriptionId: Uuid; readonly ranges: readonly PointRange[] }[],
    limit: number,
  ): Rows<string>;
  /** Returns the days of each request sorted by date, then by unit. Takes one statement. */
  days(requests: readonly UsageDaysRequest[]): Promise<readonly (readonly DayUsage[])[]>;
  /**
   * Returns the pieces of each request that have valid points. Takes one statement, which reads the points of these
   * days.
   */
  pieces(requests: readonly UsageSplitRequest[]): Promise<readonly (readonly UsagePiece[])[]>;
  /**
   * Returns the sums of valid points in each time span by unit, sorted by the code points of the unit names. Takes
   * one statement, which reads a row per day and unit, and points of incomplete days only.
   */
  sums(request: UsageSumsRequest): Promise<readonly (readonly UsageSum[])[]>;
  /**
   * Returns the sums of each hour with points, sorted by hour, then by unit. Takes one statement, which reads the
   * points of these days.
   */
  hourSums(request: UsageHoursRequest): Promise<readonly (readonly HourSum[])[]>;
}

export interface UsageWrites extends UsageArchiveWrites {
  insertIntervals(intervals: readonly StoredUsageInterval[]): Promise<void>;
  /**
   * Stores usage in this transaction, like `Storage.recordUsage`. Marks its subscriptions last, after waiting for
   * holders of `lockMarks`.
   */
  record(submissions: readonly UsageSubmission[]): Promise<readonly (string | null)[]>;
  /** Returns the number of recordings like `marks`, and prevents further recordings until the transaction ends. */
  lockMarks(subscriptionRecordIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Records each reached threshold once. Returns the newly recorded ones. */
  announceThresholds(thresholds: readonly ThresholdAnnouncement[]): Rows<ThresholdAnnouncement>;
  /**
   * Voids a submission, so that its points are ignored and their days get a new version. Does nothing for a void
   * submission. Locks all days from the first to the last day of the submission, but not the account. If the points
   * are archived, the caller must roll back the transaction.
   */
  voidSubmission(subscriptionRecordId: number, trackingId: string): Promise<VoidOutcome>;
}

/** A subscription with points that can be archived, according to its cursor. */
export interface SettledSubscription {
  readonly subscriptionRecordId: number;
  readonly subscriptionId: Uuid;
  readonly accountRecordId: number;
}

export interface SettledRequest {
  /** Selects points before this day and before the first day of the next run. */
  readonly before: LocalDate;
  /** The tenant's usage settings at the subscription's last run. */
  readonly settings: string;
  readonly after: number;
  readonly limit: number;
}

/** A day of a unit with unarchived points. */
export interface OpenDay {
  readonly subscriptionRecordId: number;
  readonly unit: string;
  readonly localDate: LocalDate;
  /** Number of recorded points, which is the last ordinal. */
  readonly count: number;
  /** Last archived ordinal; 0 if no point is archived. */
  readonly archivedCount: number;
}

/** The stored summary of a day's archived points. */
export interface ArchivedDay extends OpenDay {
  /** Ranges that contain all unarchived points. Each range keeps its sums and tracking ids. */
  readonly pieces: readonly PointRange[];
}

export interface ForgottenKeys {
  /** Record id of the last checked key. Null if no keys remain. */
  readonly last: number | null;
  readonly forgotten: number;
}

export interface UsageArchiveReads {
  /** Returns the subscriptions, sorted by record id. */
  settledSubscriptions(request: SettledRequest): Rows<SettledSubscription>;
  /** Returns the days with archived points, sorted. Takes one statement. */
  archivedDays(subscriptionRecordId: number, days: readonly LocalDate[]): Rows<LocalDate>;
}

export interface UsageArchiveWrites {
  /**
   * Returns up to `limit` days of these subscriptions that have unarchived points before the dates. Locks the days
   * against recording and voiding.
   */
  lockOpenDays(
    requests: readonly { readonly subscriptionRecordId: number; readonly before: LocalDate }[],
    limit: number,
  ): Rows<OpenDay>;
  /** Deletes the points of locked days and stores their summary. Takes a constant number of statements. */
  archive(days: readonly ArchivedDay[]): Promise<void>;
  /**
   * Deletes tracking ids that have no points recorded before the instant. Checks up to `limit` ids after the record
   * id.
   */
  forgetKeys(request: {
    readonly recordedBefore: Instant;
    readonly after: number;
    readonly limit: number;
  }): Promise<ForgottenKeys>;
}
