import type { PluginProperty } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { PluginIdentity } from './plugin-identity.ts';

/** A time range. */
export interface UsageRange {
  readonly start: Date;
  /** Exclusive end of the range. */
  readonly end: Date;
}

export interface UsageSourceContext {
  readonly tenantId: Uuid;
  readonly accountId: Uuid;
  /** The kind of dry run, or null for stored runs and roll-ups. */
  readonly dryRunType: 'TARGET_DATE' | 'UPCOMING_INVOICE' | 'SUBSCRIPTION_ACTION' | null;
  /**
   * The target date of a run or dry run as text. The value is null for roll-ups, and for dry runs that return the
   * next invoice.
   */
  readonly inputTargetDate: string | null;
  readonly now: Date;
}

/** The quantity of a unit that was used at an instant. */
export interface RawUsageRecord {
  readonly subscriptionId: Uuid | string;
  /** Time of the usage with millisecond precision. A string is in ISO format and means UTC if it has no offset. */
  readonly instant: Date | string;
  /** Unit name of 1 to 255 characters. */
  readonly unitType: string;
  /** Amount of at least 0, with up to 20 digits before and 9 digits after the decimal point. */
  readonly amount: Decimal | string;
  /** Tracking id with up to 128 characters. The invoice shows it. */
  readonly trackingId?: string | null;
}

/** Records in any order. They are a list, or a stream that the engine reads once. */
export type RawUsageRecords = AsyncIterable<RawUsageRecord> | Iterable<RawUsageRecord>;

/** A request of a run for the quantity of one unit in one section and interval. */
export interface UsageIntervalRequest {
  readonly subscriptionId: Uuid;
  readonly usageName: string;
  readonly unitType: string;
  /** SUM for consumption, MAX for peaks. */
  readonly aggregation: 'SUM' | 'MAX';
  readonly start: Date;
  readonly end: Date;
  /** True at the last instant of a subscription, so that usage at `end` is included. */
  readonly endInclusive: boolean;
}

export interface AggregatedUsage {
  /** Quantity of at least 0, with up to 20 digits before and 9 digits after the decimal point. 0 means no usage. */
  readonly quantity: Decimal | string;
  /** Tracking ids, shown on the invoice. */
  readonly trackingIds?: readonly string[] | null;
}

/**
 * Usage metered by the host (usage §9). Pass it to `Billing.open({ usageSources: [...] })`. Sources are called in that
 * order. The first result that is not null, even an empty one, replaces usage recorded in the engine, so a source may
 * serve only some accounts.
 *
 * Called outside storage transactions and without a lock (`within` a host's transaction, inside that one), before runs,
 * dry runs and roll-ups of usage, and again if the account changes in the meantime. Results for past periods must stay
 * the same unless corrected: every run reads some billed periods again (`invoice.readMaxRawUsagePreviousPeriod`) and
 * bills what was added since; a decrease is an error unless `invoice.usage.negativeDelta` allows it.
 *
 * After a throw, a timeout, a result of another shape, or an endless stream nothing is stored. An automatic run is
 * retried and the account not parked; a caller gets UNEXPECTED (60000). `RetryLater` sets the delay. Records of other
 * subscriptions and outside the range are ignored.
 *
 * @example const meters: UsageSource = { name: 'meters', getUsageForAccount: async ({ start, end }, { accountId }) =>
 * warehouse.readings({ accountId, start, end }), getUsageForSubscription: async (subscriptionId, range) =>
 * warehouse.readings({ subscriptionId, ...range }), }; await Billing.open({ …, usageSources: [meters] });
 */
export interface UsageSource extends PluginIdentity {
  /** Name of the source, unique and used in errors and in the log. */
  readonly name: string;
  /**
   * Returns the usage of the account's subscriptions for runs and dry runs, from the earliest needed period
   * to the end of the target date. Not called if `getAggregatedUsage` returned a result.
   * @param properties properties of the caller, then `USAGE_TRANSITIONS`: JSON of the instants between which
   * usage is billed, by subscription, then by the comma-separated units of a section. Dry runs also have
   * `DRY_RUN_CUR_DATE` and `DRY_RUN_TARGET_DATE`.
   * @returns null if the source does not serve the account.
   */
  getUsageForAccount(
    range: UsageRange,
    context: UsageSourceContext,
    properties: readonly PluginProperty[],
  ): Promise<RawUsageRecords | null>;
  /**
   * Returns the usage of one subscription for roll-ups. @returns null if the source does not serve the subscription.
   */
  getUsageForSubscription(
    subscriptionId: Uuid,
    range: UsageRange,
    context: UsageSourceContext,
    properties: readonly PluginProperty[],
  ): Promise<RawUsageRecords | null>;
  /**
   * Returns usage for hosts that aggregate it themselves, with one number per interval. If this function is present, it
   * is called before `getUsageForAccount`.
   * @returns one quantity per request, in order. If the result is null, `getUsageForAccount` is called.
   */
  getAggregatedUsage?(
    requests: readonly UsageIntervalRequest[],
    context: UsageSourceContext,
  ): Promise<readonly AggregatedUsage[] | null>;
}
