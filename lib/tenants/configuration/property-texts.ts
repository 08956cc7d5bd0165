import type { Property } from './property.ts';
import { tenantProperties } from './tenant-properties.ts';

/** A per-tenant property in words. */
export interface SettingDescription {
  /** Name without prefix, such as `payment.retry.days`. */
  readonly name: string;
  readonly description: string;
  /** The valid values, as the end of a sentence "must be …". */
  readonly allowed: string;
}

/** The effects of the per-tenant properties, as in platform §4.2. */
const texts: Readonly<Record<keyof typeof tenantProperties, string>> = {
  'invoice.enabled': 'If false, no automatic invoicing; due accounts are parked',
  'invoice.plugin': 'Names of invoice plugins to call, in order; empty: all registered, by name',
  'invoice.maxNumberOfMonthsInFuture': 'Latest accepted target date',
  'invoice.sanitySafetyBoundEnabled': 'If true, runs check the invariants of new items',
  'invoice.maxDailyNumberOfItemsSafetyBound':
    'Maximum number of items per subscription and day; the run is refused above it; -1 = unlimited',
  'invoice.disable.usage.zero.amount': 'If true, no USAGE item of amount 0',
  'invoice.disable.trial.zero.amount':
    'If true, no FIXED item of amount 0 for a trial, and no invoice without other items',
  'invoice.usage.missing.lenient': 'If true, ignore a usage total below the billed one',
  'invoice.creditNotes': 'If true, adjustments of committed invoices create credit notes',
  'invoice.creditNoteNumberPattern': 'Pattern of the displayed credit note numbers, by date: CN-{yyyy}-{n:6}',
  'invoice.parkAccountsWithUnknownUsage': 'If true, unknown usage parks the account',
  'invoice.parkAccountsOnAllExceptions': 'If true, any unexpected error of a run parks the account',
  'invoice.dryRunNotificationSchedule':
    'Lead time of INVOICE_NOTIFICATION; 0 = off. A change applies to dates that later runs find',
  'invoice.readMaxRawUsagePreviousPeriod': 'Number of past usage periods that are read again; negative = all',
  'invoice.maxInvoiceLimit': 'No effect',
  'invoice.parent.commit.local.utc.time': 'UTC time of day at which parent summary invoices are committed',
  'invoice.item.result.behavior.mode': 'AGGREGATE or DETAIL usage items',
  'invoice.inArrear.mode':
    'Billing in arrears: DEFAULT after the end of a period, GREEDY as soon as it begins',
  'invoice.proration.fixed.days': 'Fixed month length for proration; 0 = calendar',
  'invoice.numberPattern': 'Pattern of the displayed invoice numbers, by date: INV-{yyyy}-{n:6}',
  'invoice.eInvoice':
    'Format and profile of the e-invoices that are sent to the access point, such as UBL:PEPPOL_BIS3',
  'invoice.eInvoice.retries': 'Retry delays of an e-invoice that the access point did not accept',
  'invoice.emailNotificationsEnabled': 'If true, invoices trigger the email hook',
  'invoice.globalLock.retries': 'Longest wait of a call for a busy account, in steps of 100 ms',
  'invoice.usage.lateMode': 'Treatment of late points of a billed interval: DELTA, NEXT_PERIOD or IGNORE',
  'invoice.usage.beyondLookback': 'Treatment of points older than the look-back: REPORT or NEXT_PERIOD',
  'invoice.usage.negativeDelta': 'Treatment of less usage than billed: CREDIT, IGNORE or FAIL',
  'invoice.usage.overflow': 'Treatment of units beyond the last tier: CAP or LAST_TIER',
  'invoice.usage.collectionInterval': 'Delay of the automatic run after a usage boundary',
  'invoice.trackingIds.maxReturned': "Tracking ids listed in an invoice's JSON",
  'usage.unknownUnitPolicy': 'Whether to ACCEPT or REJECT records of unknown units',
  'usage.duplicatePolicy': 'Default of onDuplicate: FAIL or IGNORE',
  'usage.negativeAmounts': 'If true, negative amounts are accepted',
  'payment.retry.days': 'Days from a declined attempt to the next retry, one entry per retry',
  'payment.failure.retry.start.sec': 'First delay after a plugin failure',
  'payment.failure.retry.multiplier': 'Factor for the delays after the first',
  'payment.failure.retry.max.attempts': 'Maximum number of retries after a plugin failure',
  'payment.janitor.unknown.retries': 'Delays of the re-checks of UNKNOWN transactions',
  'payment.janitor.pending.retries': 'Delays of the re-checks of PENDING transactions',
  'payment.invoice.plugin': 'Payment control plugins added to every call',
  'payment.method.overwrite': 'Allow another payment method on a follow-up transaction',
  'payment.allow.emptyInvoice': 'Allow a payment on an invoice with balance 0',
  'payment.overRefund.allowed': 'If true, only the gateway limits refunds',
  'payment.plugin.timeout': 'Time limit of one gateway call',
  'payment.globalLock.retries':
    'Longest wait of a payment call for a running payment call, in steps of 100 ms',
  'subscription.align.effectiveDateForExistingSubscriptions':
    'Catalog price changes wait for the next start of a recurring period',
  'subscription.trial.noticeDays':
    'Number of days between TRIAL_ENDING and the end of the trial, at most 365; 0 = off',
  rescheduleIntervalOnLock: 'Retry delays of background work that could not lock the account',
  'billing.server.notifications.retries': 'Push delivery retries',
  'billing.server.event.post.type.skip': 'Bus event types that are not stored',
  'billing.server.event.dispatch.type.skip': 'Bus event types that are stored but not dispatched to handlers',
  'billing.server.event.bulk.subscription.aggregate': 'One event for a bulk subscription creation',
  'features.quotaThresholds': 'Percentages of a quota at which QUOTA_THRESHOLD is sent; empty: never',
  'features.account.allowBCDUpdate': 'The bill cycle day may be changed more than once',
  'tags.enforceApplicableTypes': 'If true, user tags are allowed only on their declared types',
  'default.locale': 'Locale of templates and translations for accounts without a locale',
};

/** Returns the descriptions of all per-tenant properties, in the order of platform §4.2. */
export function settingDescriptions(): readonly SettingDescription[] {
  const properties: Readonly<Record<string, Pick<Property<unknown>, 'expectation'>>> = tenantProperties;
  return Object.entries(texts).map(([name, description]) => ({
    name,
    description,
    allowed: properties[name]?.expectation ?? '',
  }));
}
