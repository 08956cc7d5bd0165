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

/** A time span, divided into complete and incomplete days, so that few points have to be read. */
export interface UsageStretch {
  readonly start: Instant;
  /** Exclusive end of the range. */
  readonly end: Instant;
  /** The complete days, or null if none exist. */
  readonly wholeDays: { readonly first: LocalDate; readonly last: LocalDate } | null;
  /** The incomplete days. They can be the day of `start`, the day of `end`, both, or none. */
  readonly cutDays: readonly LocalDate[];
}

export interface UsageSumsRequest {
  readonly subscriptionRecordId: number;
  /** Time spans in any order. They may overlap. */
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
 * A request to split the points of a unit on a day. The points are first split by time: points without an instant form
 * one part, and the points between each pair of neighboring `bounds` form another part. Each part is then split by
 * ordinals.
 */
export interface UsageSplitRequest {
  readonly subscriptionRecordId: number;
  readonly unit: string;
  readonly localDate: LocalDate;
  /** Instants in ascending order. The list is empty if the day is split only by ordinals. */
  readonly bounds: readonly Instant[];
  /** The last ordinal of each piece except the last piece, in ascending order. */
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

/** The used amount of a unit in one hour of a time span. */
export interface HourSum extends UsageSum {
  /** Number of the hour, from 0. */
  readonly hour: number;
}

export interface UsageReads extends UsageArchiveReads {
  /**
   * Returns the intervals of these subscriptions that end on or after the date and are not on a VOID invoice, in
   * billing order. If the date is null, returns all such intervals. Executes one statement.
   */
  intervals(
    windows: readonly { readonly subscriptionId: Uuid; readonly from: LocalDate | null }[],
  ): Rows<StoredUsageInterval>;
  /** Returns the billed intervals of VOID invoices, in the same form as `intervals`. */
  voidIntervals(windows: Parameters<UsageReads['intervals']>[0]): Rows<StoredUsageInterval>;
  /**
   * Returns how many times usage was recorded, by record id of the subscription. Omits subscriptions without
   * recordings.
   */
  marks(subscriptionRecordIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /**
   * Returns the subscriptions and days for which the invoice bills usage, including usage with the amount 0. The result
   * may contain duplicates.
   */
  billedOn(invoiceId: Uuid): Promise<readonly { readonly subscriptionId: Uuid; readonly date: LocalDate }[]>;
  /**
   * For each invoice, returns the tracking ids of the points that this invoice was the first to bill, in recording
   * order and up to the limit. Omits void submissions and VOID invoices. Executes one statement, and a second one for
   * usage of points.
   * @param limitOf function that returns the limit; called only for usage of points or usage sources.
   */
  trackingIds(
    of: InvoiceSelection,
    limitOf: () => number | Promise<number>,
  ): Promise<ReadonlyMap<Uuid, readonly string[]>>;
  /** Returns a page of the tracking ids of one invoice. Executes three statements. */
  pageOfTrackingIds(invoiceId: Uuid, request: PageRequest): Promise<Page<string>>;
  /** Returns the tracking ids of points that have not been billed. Omits voided submissions. Executes one statement. */
  trackingIdsOfPoints(
    points: readonly { readonly subscriptionId: Uuid; readonly ranges: readonly PointRange[] }[],
    limit: number,
  ): Rows<string>;
  /** Returns the days of each request, sorted by date, then by unit. Executes one statement. */
  days(requests: readonly UsageDaysRequest[]): Promise<readonly (readonly DayUsage[])[]>;
  /**
   * Returns, for each request, the pieces that have valid points. Executes one statement that reads the points of these
   * days.
   */
  pieces(requests: readonly UsageSplitRequest[]): Promise<readonly (readonly UsagePiece[])[]>;
  /**
   * Returns the sums of valid points in each time span by unit, sorted by the code points of the unit names. Executes
   * one statement, which reads one row per day and unit, and the points of incomplete days only.
   */
  sums(request: UsageSumsRequest): Promise<readonly (readonly UsageSum[])[]>;
  /**
   * Returns the sums of each hour with points, sorted by hour, then by unit. Executes one statement, which reads the
   * points of these days.
   */
  hourSums(request: UsageHoursRequest): Promise<readonly (readonly HourSum[])[]>;
}

export interface UsageWrites extends UsageArchiveWrites {
  insertIntervals(intervals: readonly StoredUsageInterval[]): Promise<void>;
  /**
   * Stores usage in this transaction, like `Storage.recordUsage`. At the end, marks its subscriptions and waits for
   * transactions that called `lockMarks`.
   */
  record(submissions: readonly UsageSubmission[]): Promise<readonly (string | null)[]>;
  /**
   * Returns how many times usage was recorded, like `marks`. Until the transaction ends, no other transaction can
   * record usage for these subscriptions.
   */
  lockMarks(subscriptionRecordIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Records reached thresholds, each only once. Returns the newly recorded thresholds. */
  announceThresholds(thresholds: readonly ThresholdAnnouncement[]): Rows<ThresholdAnnouncement>;
  /**
   * Voids a submission, so that its points are ignored and their days get a new version. Does nothing if the submission
   * is already void. Locks all days from the first to the last day of the submission, but not the account. If the
   * points are archived, the caller must roll back the transaction.
   */
  voidSubmission(subscriptionRecordId: number, trackingId: string): Promise<VoidOutcome>;
}

/** A subscription that has points to archive, according to its cursor. */
export interface SettledSubscription {
  readonly subscriptionRecordId: number;
  readonly subscriptionId: Uuid;
  readonly accountRecordId: number;
}

export interface SettledRequest {
  /** Exclusive end of the days whose points are selected. It is not after the first day that the next run reads. */
  readonly before: LocalDate;
  /** The tenant's usage settings when the subscription's last run took place. */
  readonly settings: string;
  readonly after: number;
  readonly limit: number;
}

/** A day of a unit with unarchived points. */
export interface OpenDay {
  readonly subscriptionRecordId: number;
  readonly unit: string;
  readonly localDate: LocalDate;
  /** Number of recorded points. It equals the last ordinal. */
  readonly count: number;
  /** Last archived ordinal, or 0 if no point has been archived. */
  readonly archivedCount: number;
}

/** The summary that is stored for a day's archived points. */
export interface ArchivedDay extends OpenDay {
  /**
   * Ranges that together contain all points that are not archived yet. The sums and tracking ids of each range are
   * kept.
   */
  readonly pieces: readonly PointRange[];
}

export interface ForgottenKeys {
  /** The record id of the last examined tracking id, or null if no tracking ids remain. */
  readonly last: number | null;
  readonly forgotten: number;
}

export interface UsageArchiveReads {
  /** Returns the subscriptions, sorted by record id. */
  settledSubscriptions(request: SettledRequest): Rows<SettledSubscription>;
  /** Returns the days with archived points, sorted. Executes one statement. */
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
  /** Deletes the points of locked days and stores their summaries. Executes a constant number of statements. */
  archive(days: readonly ArchivedDay[]): Promise<void>;
  /**
   * Deletes tracking ids that were recorded before the instant and have no points left. Examines up to `limit` ids
   * after the record id.
   */
  forgetKeys(request: {
    readonly recordedBefore: Instant;
    readonly after: number;
    readonly limit: number;
  }): Promise<ForgottenKeys>;
}
