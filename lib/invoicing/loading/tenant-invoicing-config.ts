import type { ReadSession } from '../../ports/storage/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
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
      alignPriceChanges: settings['subscription.align.effectiveDateForExistingSubscriptions'],
    };
  };
}
