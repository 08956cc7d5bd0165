import type { Leading, RecordingOutcome } from '../../records/index.ts';
import { enumeration } from '../../values/fields/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate, RequestedDate } from '../../values/time/index.ts';
import type { UsageReport } from '../recording/line-report.ts';
import type { UnreadableLine } from '../recording/read-submission.ts';
import type { OnDuplicate } from '../recording/recording-faults.ts';
import type { UsageGranularity } from '../roll-up/usage-buckets.ts';

/** The usage of a unit on a day or at an instant. */
export interface NewUsageRecord {
  /**
   * Date of the usage, as a day or an instant. A day of the account's calendar, such as `2026-04-01`, means the start
   * of that day. An instant has the form `2026-04-01T08:00:00Z`.
   */
  readonly recordDate: HostInput<RequestedDate>;
  /**
   * Amount with up to 20 digits before and 9 digits after the decimal point. It must not be negative, unless the tenant
   * sets `usage.negativeAmounts`.
   */
  readonly amount: Decimal | string;
}

export interface NewUnitUsage {
  /** Name of a unit, at most 255 characters. The unit may be added to a catalog later. */
  readonly unitType: string;
  /** At least one record. */
  readonly usageRecords: readonly NewUsageRecord[];
}

/** Usage of one subscription that is recorded as one submission. */
export interface NewUsage {
  readonly subscriptionId: Uuid | string;
  /**
   * Identifier of this submission, unique per subscription, with at most 128 characters. Defaults to a generated id.
   */
  readonly trackingId?: string | null;
  /** At least one unit. */
  readonly unitUsageRecords: readonly NewUnitUsage[];
}

export interface RecordUsageOptions {
  /** Treatment of duplicates. Defaults to `usage.duplicatePolicy` of the tenant. */
  readonly onDuplicate?: OnDuplicate | null;
  /** Policy for tenants that do not set `usage.unknownUnitPolicy`. Defaults to REJECT. */
  readonly defaultUnknownUnitPolicy?: UnknownUnitPolicy | undefined;
}

/** Specifies how to handle usage of a unit that no catalog version of the tenant defines (usage §2.1). */
export const UnknownUnitPolicy = enumeration('ACCEPT', 'REJECT');
export type UnknownUnitPolicy = keyof typeof UnknownUnitPolicy;

export interface RecordedUsage {
  readonly trackingId: string;
  /** DUPLICATE means that the same usage was recorded before, so nothing was stored. */
  readonly outcome: typeof RecordingOutcome.ACCEPTED | typeof RecordingOutcome.DUPLICATE;
}

export interface TimelineRequest extends RollUpRequest {
  /** Length of the parts. Defaults to DAY. */
  readonly granularity?: UsageGranularity | null | undefined;
}

export interface RollUpRequest {
  readonly startDate: HostInput<RequestedDate>;
  /** Exclusive end date. Must not be before `startDate`. */
  readonly endDate: HostInput<RequestedDate>;
  /** Unit of the usage. Defaults to all units. */
  readonly unitType?: string | null;
}

export interface RolledUpUnit {
  readonly unitType: string;
  readonly amount: Decimal;
}

export interface RolledUpUsage {
  readonly subscriptionId: Uuid;
  readonly startDate: Instant;
  /** Exclusive end of the range. */
  readonly endDate: Instant;
  /** Units with their amounts, sorted by name. Units without usage are omitted. */
  readonly rolledUpUnits: readonly RolledUpUnit[];
}

/** A line of a bulk call. It may identify its subscription by key. Its tracking id is required. */
export interface NewUsageLine extends Omit<NewUsage, 'subscriptionId' | 'trackingId'> {
  readonly subscriptionId?: Uuid | string | null;
  /** External key of the subscription. It can be given instead of `subscriptionId`. */
  readonly subscriptionExternalKey?: string | null;
  readonly trackingId: string;
}

export interface RecordAllOptions {
  /** If true, the report lists every line. By default, the report lists only failures. */
  readonly listsAll?: boolean;
  /** Policy for tenants that do not set `usage.unknownUnitPolicy`. Defaults to REJECT. */
  readonly defaultUnknownUnitPolicy?: UnknownUnitPolicy | undefined;
}

/** Operations on the recorded usage of subscriptions. Invoices charge this usage by the usage sections of the plans. */
export interface UsageOperations<C extends Leading = []> extends UsageArchiveOperations<C> {
  /**
   * Records usage, all or none. Future dates and pauses are allowed. Units that are missing in the catalog
   * are rejected unless the tenant has `usage.unknownUnitPolicy=ACCEPT`. Does not wait for the account's
   * lock.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003), SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082),
   * USAGE_RECORD_AFTER_SUBSCRIPTION_END (50001) for usage after the end of the service, USAGE_UNIT_UNKNOWN
   * (50002), USAGE_RECORD_TRACKING_ID_ALREADY_EXISTS (50000) unless the same usage was recorded and
   * `onDuplicate` is IGNORE.
   */
  record(...given: [...C, usage: NewUsage, options?: RecordUsageOptions]): Promise<RecordedUsage>;

  /**
   * Records usage of many subscriptions, each line independently. A faulty line does not affect other lines. A line
   * that was recorded before is treated as a duplicate, so all lines can be sent again. Of two lines with one
   * tracking id, the first is stored. Lines are read and stored in batches of some thousands; stored batches stay if
   * a later line cannot be read. An `UnreadableLine` is reported as MALFORMED.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an invalid author, never for a line; TOO_MANY_REQUESTS
   * (60015) before the first line if too many calls are running, and after 50,000 points if two calls of the tenant
   * (four of all tenants) have more points; lines already stored stay.
   */
  recordAll(
    ...given: [
      ...C,
      lines: AsyncIterable<NewUsageLine | UnreadableLine> | Iterable<NewUsageLine | UnreadableLine>,
      options?: RecordAllOptions,
    ]
  ): Promise<UsageReport>;

  /**
   * Voids the usage of a tracking id. The id cannot be used again. A repeated call changes nothing.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), OBJECT_NOT_FOUND for an unknown tracking id,
   * USAGE_RECORD_ARCHIVED (50003) if its points are archived.
   */
  void(...given: [...C, subscriptionId: Uuid | string, trackingId: string]): Promise<void>;

  /**
   * Returns the usage recorded between two dates, billed or not. A day begins at its start in the account's time
   * zone.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), INVALID_PARAMETER (60002) for an end before the
   * start, and for a bound within an archived day.
   */
  rollUp(...given: [...C, subscriptionId: Uuid | string, request: RollUpRequest]): Promise<RolledUpUsage>;

  /**
   * Returns the usage between each instant and the next. For n instants, returns n − 1 results.
   * @param instants instants in ascending order. A repeated instant has an empty result.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), INVALID_PARAMETER (60002).
   */
  rollUpForTransitions(
    ...given: [...C, subscriptionId: Uuid | string, instants: readonly HostInput<Instant>[]]
  ): Promise<readonly RolledUpUsage[]>;

  /**
   * Returns the usage by hour, day or month of the account's calendar. Parts without usage are omitted. The requested
   * dates cut the first and the last part. An hour that the clock shows twice is listed twice.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), INVALID_PARAMETER (60002) for an end before the
   * start and for more than 10,000 hours, days or months.
   */
  timeline(
    ...given: [...C, subscriptionId: Uuid | string, request: TimelineRequest]
  ): Promise<readonly RolledUpUsage[]>;
}

export interface ArchiveRequest<D = LocalDate | string> {
  /** First day that is not archived. It must be the first day of a month, such as `2026-04-01`. */
  readonly before: D;
}

export interface ArchivedUsage {
  /** Number of archived days. Each day counts once per unit and subscription. */
  readonly days: number;
  readonly points: number;
  /** Number of accounts that were skipped because other work had locked them. The next call includes them. */
  readonly busyAccounts: number;
  /** Number of deleted tracking ids. They were older than `usage.keyRetentionDays`, and can now be used again. */
  readonly forgottenKeys: number;
}

/** Operations that delete points that are no longer needed. */
export interface UsageArchiveOperations<C extends Leading = []> {
  /**
   * Archives the points of closed months, which are days that are finally billed and older than the look-back of
   * their subscription. Invoices, their tracking ids and sums over whole days do not change. Voiding is rejected, and
   * so are sums that begin or end within an archived day. Usage recorded later for an archived day is late usage. Can
   * be called at any time and resumes an interrupted call.
   * @throws BillingError INVALID_PARAMETER (60002) if the date is not the first day of a month.
   */
  archive(...given: [...C, request: ArchiveRequest]): Promise<ArchivedUsage>;
}
