import type { ReadSession } from '../../ports/storage/index.ts';
import { InArrearMode, type Period, type SettingsOf, type TenantSettings } from '../../tenants/index.ts';
import { DEFAULT_USAGE_CONFIG, negativeDeltaOf, type UsageConfig } from '../../usage/index.ts';
import { MAX_DAILY_ITEMS_PER_SUBSCRIPTION, MAX_TARGET_DATE_MONTHS } from '../../values/limits.ts';

export interface InvoicingConfig {
  /** Setting `enabled`. If false, automatic runs park their accounts (§8.2 step 1). */
  readonly isAutomatic: boolean;
  /** Setting `maxNumberOfMonthsInFuture`. */
  readonly maxMonthsInFuture: number;
  /** Setting `parkAccountsOnAllExceptions`. If false, only an illegal state parks an account (§8.6). */
  readonly parksOnAllErrors: boolean;
  /** Setting `inArrear.mode`. */
  readonly inArrearMode: InArrearMode;
  /**
   * Setting `proration.fixed.days`: the number of days in every month when part of a period is prorated; 0 means
   * calendar days.
   */
  readonly prorationFixedDays: number;
  /** Setting `sanitySafetyBoundEnabled`. */
  readonly sanitySafetyBoundEnabled: boolean;
  /** Setting `maxDailyNumberOfItemsSafetyBound`. −1 disables the bound. */
  readonly maxDailyItems: number;
  /**
   * Setting `subscription.align.effectiveDateForExistingSubscriptions`. If true, new prices apply from the next bill
   * cycle date (catalog §6.4 rule 5).
   */
  readonly alignPriceChanges: boolean;
  /**
   * Setting `plugin`: names of the invoice plugins to consult, in order. Empty means all plugins, sorted by name (§13
   * rule 1).
   */
  readonly plugins: readonly string[];
  /**
   * Setting `parent.commit.local.utc.time`: the time at which summaries are committed, in milliseconds since midnight
   * UTC.
   */
  readonly parentCommitTimeOfDay: number;
  /** Setting `disable.trial.zero.amount`. If true, trials get no FIXED items of amount 0 (§5.1 rule 4). */
  readonly dropsFreeTrials: boolean;
  readonly usage: UsageConfig;
  /** Setting `usage.collectionInterval`: how long a run on a usage date waits for late usage (usage §7.7). */
  readonly collectionInterval: Period;
  /**
   * Setting `dryRunNotificationSchedule`: milliseconds between the announcement of an invoice and its run; 0 means no
   * announcements.
   */
  readonly noticeLeadMs: number;
  /** Setting `trackingIds.maxReturned`: the maximum number of tracking ids of an invoice. */
  readonly maxTrackingIds: number;
}

export const DEFAULT_INVOICING_CONFIG: InvoicingConfig = Object.freeze({
  isAutomatic: true,
  maxMonthsInFuture: MAX_TARGET_DATE_MONTHS,
  parksOnAllErrors: true,
  inArrearMode: InArrearMode.DEFAULT,
  prorationFixedDays: 0,
  sanitySafetyBoundEnabled: true,
  maxDailyItems: MAX_DAILY_ITEMS_PER_SUBSCRIPTION,
  alignPriceChanges: false,
  plugins: [],
  parentCommitTimeOfDay: 86_399_999,
  dropsFreeTrials: false,
  usage: DEFAULT_USAGE_CONFIG,
  collectionInterval: { months: 0, days: 0, milliseconds: 0 },
  noticeLeadMs: 0,
  maxTrackingIds: 10_000,
});

export type InvoicingConfigOf = (session: ReadSession) => Promise<InvoicingConfig>;

/** Returns the settings of §18, read from the tenant's configuration. */
export function invoicingConfigOf(settingsOf: SettingsOf): InvoicingConfigOf {
  return async (session) => {
    const settings = await settingsOf(session);
    return {
      isAutomatic: settings['invoice.enabled'],
      maxMonthsInFuture: settings['invoice.maxNumberOfMonthsInFuture'],
      parksOnAllErrors: settings['invoice.parkAccountsOnAllExceptions'],
      inArrearMode: settings['invoice.inArrear.mode'],
      prorationFixedDays: settings['invoice.proration.fixed.days'],
      sanitySafetyBoundEnabled: settings['invoice.sanitySafetyBoundEnabled'],
      maxDailyItems: settings['invoice.maxDailyNumberOfItemsSafetyBound'],
      parentCommitTimeOfDay: settings['invoice.parent.commit.local.utc.time'],
      plugins: settings['invoice.plugin'],
      dropsFreeTrials: settings['invoice.disable.trial.zero.amount'],
      usage: usageConfig(settings),
      collectionInterval: settings['invoice.usage.collectionInterval'],
      noticeLeadMs: settings['invoice.dryRunNotificationSchedule'],
      maxTrackingIds: settings['invoice.trackingIds.maxReturned'],
      alignPriceChanges: settings['subscription.align.effectiveDateForExistingSubscriptions'],
    };
  };
}

/** Returns the settings of usage §8. */
function usageConfig(settings: TenantSettings): UsageConfig {
  const negativeDelta = (isFromSource: boolean) =>
    negativeDeltaOf({
      setting: settings['invoice.usage.negativeDelta'],
      isLenient: settings['invoice.usage.missing.lenient'],
      isFromSource,
      isDryRun: false,
    });
  return {
    lookBackPeriods: settings['invoice.readMaxRawUsagePreviousPeriod'],
    itemMode: settings['invoice.item.result.behavior.mode'],
    overflow: settings['invoice.usage.overflow'],
    lateMode: settings['invoice.usage.lateMode'],
    beyondLookBack: settings['invoice.usage.beyondLookback'],
    negativeDelta: negativeDelta(false),
    negativeDeltaOfSources: negativeDelta(true),
    dropsZeroItems: settings['invoice.disable.usage.zero.amount'],
    refusesUnknownUnits: settings['invoice.parkAccountsWithUnknownUsage'],
  };
}
