import type { ReadSession } from '../../ports/storage/index.ts';
import type { SettingsOf, TenantSettings } from '../../tenants/index.ts';
import { negativeDeltaOf, type UsageConfig } from '../../usage/index.ts';
import type { InvoicingConfig } from '../periods/invoicing-config.ts';

/** Gives the invoicing settings of a session's tenant. */
export type InvoicingConfigOf = (session: ReadSession) => Promise<InvoicingConfig>;

/** The settings of §18 among those of the tenant. */
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
      usage: usageConfig(settings),
      collectionInterval: settings['invoice.usage.collectionInterval'],
      noticeLeadMs: settings['invoice.dryRunNotificationSchedule'],
      maxTrackingIds: settings['invoice.trackingIds.maxReturned'],
      alignPriceChanges: settings['subscription.align.effectiveDateForExistingSubscriptions'],
    };
  };
}

/** The settings of usage §8. */
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
