import type { ReadSession } from '../../ports/storage/index.ts';
import { InArrearMode, type Period, type SettingsOf, type TenantSettings } from '../../tenants/index.ts';
import { DEFAULT_USAGE_CONFIG, negativeDeltaOf, type UsageConfig } from '../../usage/index.ts';
import { MAX_DAILY_ITEMS_PER_SUBSCRIPTION, MAX_TARGET_DATE_MONTHS } from '../../values/limits.ts';

export interface InvoicingConfig {
  /** `enabled`; false means automatic runs park their accounts (§8.2 step 1). */
  readonly isAutomatic: boolean;
  /** `maxNumberOfMonthsInFuture`. */
  readonly maxMonthsInFuture: number;
  /** `parkAccountsOnAllExceptions`; false means only an illegal state parks an account (§8.6). */
  readonly parksOnAllErrors: boolean;
  /** `inArrear.mode`. */
  readonly inArrearMode: InArrearMode;
  /** `proration.fixed.days`: the days of every month in the proration of a part; 0 = calendar days. */
  readonly prorationFixedDays: number;
  /** `sanitySafetyBoundEnabled`. */
  readonly sanitySafetyBoundEnabled: boolean;
  /** `maxDailyNumberOfItemsSafetyBound`; −1 = off. */
  readonly maxDailyItems: number;
  /** `subscription.align.effectiveDateForExistingSubscriptions`: new prices wait for the bill cycle date (catalog §6.4 rule 5). */
  readonly alignPriceChanges: boolean;
  /** `plugin`: names of the invoice plugins to consult, in order; empty means all, by name (§13 rule 1). */
  readonly plugins: readonly string[];
  /** `parent.commit.local.utc.time`: when summaries are committed, in milliseconds since midnight UTC. */
  readonly parentCommitTimeOfDay: number;
  /** `disable.trial.zero.amount`: no FIXED items of amount 0 for trials (§5.1 rule 4). */
  readonly dropsFreeTrials: boolean;
  readonly usage: UsageConfig;
  /** `usage.collectionInterval`: how long runs on usage dates wait for late usage (usage §7.7). */
  readonly collectionInterval: Period;
  /** `dryRunNotificationSchedule`: how long before a run its invoice is announced, in milliseconds; 0 = never. */
  readonly noticeLeadMs: number;
  /** `trackingIds.maxReturned`: maximum number of tracking ids of an invoice. */
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

/** Reads the settings of §18 from those of the tenant. */
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

/** Reads the settings of usage §8. */
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
