import type { PluginProperty } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import type { PluginIdentity } from './plugin-identity.ts';

/** A stretch of time; instants are whole milliseconds since 1970, as `new Date(range.start)` takes them. */
export interface UsageRange {
  readonly start: Instant;
  /** Exclusive. */
  readonly end: Instant;
}

/** For whom usage is asked. */
export interface UsageSourceContext {
  readonly tenantId: Uuid;
  readonly accountId: Uuid;
  /** What a dry run looks at; null for runs that are stored and for roll-ups. */
  readonly dryRunType: 'TARGET_DATE' | 'UPCOMING_INVOICE' | 'SUBSCRIPTION_ACTION' | null;
  /** Date up to which a run or dry run invoices; null for roll-ups, and for dry runs of whatever invoice comes next. */
  readonly inputTargetDate: LocalDate | null;
  /** Business instant of the call. */
  readonly now: Instant;
}

/** How much of a unit was used at an instant. */
export interface RawUsageRecord {
  readonly subscriptionId: Uuid | string;
  /** Whole milliseconds count; a text is ISO, in UTC unless it says otherwise. */
  readonly instant: Date | Instant | string;
  /** 1 to 255 characters. */
  readonly unitType: string;
  /** At least 0, at most 20 digits before the point and 9 after it; a number would not be exact. */
  readonly amount: Decimal | string;
  /** Up to 128 characters; shown as a tracking id of the invoice that bills it. Absent: none. */
  readonly trackingId?: string | null;
}

/** Records in any order, as a list or as a stream that is read once. */
export type RawUsageRecords = AsyncIterable<RawUsageRecord> | Iterable<RawUsageRecord>;

/** A quantity that a run needs: of one unit, of one section, in one interval. */
export interface UsageIntervalRequest {
  readonly subscriptionId: Uuid;
  readonly usageName: string;
  readonly unitType: string;
  /** SUM for sections that charge what is used up, MAX for those that charge the peak. */
  readonly aggregation: 'SUM' | 'MAX';
  readonly start: Instant;
  readonly end: Instant;
  /** Whether what was used at `end` itself counts too: the last instant of a subscription. */
  readonly endInclusive: boolean;
}

export interface AggregatedUsage {
  /** At least 0, at most 20 digits before the point and 9 after it; 0 where nothing was used. */
  readonly quantity: Decimal | string;
  /** Shown as tracking ids of the invoice that bills it. Absent: none. */
  readonly trackingIds?: readonly string[] | null;
}

/**
 * Usage that the host meters elsewhere (usage §9). Given to `Billing.open({ usageSources: [...] })`; asked in that order,
 * the first that does not answer null is taken, and what is recorded in the engine is then not looked at, even if the answer
 * is empty. So a source may serve some accounts only.
 *
 * Asked outside storage transactions and without a lock (`within` a host's transaction, inside that one), before runs, dry
 * runs and roll-ups that look at usage; what it says holds for that run only. If the account changes meanwhile it is asked
 * again. It has to answer for past periods as it
 * did, as far as nothing was corrected: every run looks back over some billed periods
 * (`invoice.readMaxRawUsagePreviousPeriod`), bills what has come to them since, and what they have become less is an error
 * unless `invoice.usage.negativeDelta` says otherwise.
 *
 * A throw, no answer in time, an answer of another shape, or a stream that does not end: nothing is stored. An automatic
 * run of the account is done again later and the account is not parked, a caller gets UNEXPECTED (60000); `RetryLater`
 * says when to come again. Records of other subscriptions and outside the range are passed over.
 *
 * @example const meters: UsageSource = {
 *   name: 'meters',
 *   getUsageForAccount: async ({ start, end }, { accountId }) => warehouse.readings({ accountId, start, end }),
 *   getUsageForSubscription: async (subscriptionId, range) => warehouse.readings({ subscriptionId, ...range }),
 * }; await Billing.open({ …, usageSources: [meters] });
 */
export interface UsageSource extends PluginIdentity {
  /** Named in errors and in the log; unique. */
  readonly name: string;
  /**
   * For runs and dry runs: what the account's subscriptions have used from the earliest period that is looked at to the end
   * of the target date. Not asked if `getAggregatedUsage` has answered.
   *
   * @param properties those of the caller, then `USAGE_TRANSITIONS`: JSON of the instants between which usage is billed, by
   * subscription, then by the units of a section joined by commas; in dry runs also `DRY_RUN_CUR_DATE` and
   * `DRY_RUN_TARGET_DATE`.
   * @returns null: this account is not mine.
   */
  getUsageForAccount(
    range: UsageRange,
    context: UsageSourceContext,
    properties: readonly PluginProperty[],
  ): Promise<RawUsageRecords | null>;
  /** For roll-ups: what one subscription has used. @returns null: this subscription is not mine. */
  getUsageForSubscription(
    subscriptionId: Uuid,
    range: UsageRange,
    context: UsageSourceContext,
    properties: readonly PluginProperty[],
  ): Promise<RawUsageRecords | null>;
  /**
   * Instead of `getUsageForAccount`, for hosts that have sums of their own: one number an interval.
   * @returns one answer for each request, in their order; null: `getUsageForAccount` is asked.
   */
  getAggregatedUsage?(
    requests: readonly UsageIntervalRequest[],
    context: UsageSourceContext,
  ): Promise<readonly AggregatedUsage[] | null>;
}
