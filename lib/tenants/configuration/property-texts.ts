import { tenantProperties } from './tenant-properties.ts';

/** A per-tenant property in words. */
export interface SettingDescription {
  /** Name of the property without its prefix, such as `payment.retry.days`. */
  readonly name: string;
  readonly description: string;
  /** Describes the valid values. The text completes the sentence "The value must be …". */
  readonly allowed: string;
  /** The default value as it would be written in a configuration, such as `8,8,8`, or `none` if there is no default. */
  readonly fallback: string;
}

/** Descriptions of the effects of the per-tenant properties (platform §4.2). */
const texts: Readonly<Record<keyof typeof tenantProperties, string>> = {
  'invoice.enabled': 'If false, no automatic invoicing; due accounts are parked',
  'invoice.plugin': 'Names of invoice plugins to call, in order; empty: all registered, by name',
  'invoice.maxNumberOfMonthsInFuture': 'Latest accepted target date, in months after today',
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
  'invoice.usage.negativeDelta':
    'Treatment of less usage than billed: CREDIT, IGNORE or FAIL. By default CREDIT, but FAIL with a usage source',
  'invoice.usage.overflow': 'Treatment of units beyond the last tier: CAP or LAST_TIER',
  'invoice.usage.collectionInterval': 'Delay of the automatic run after a usage boundary',
  'invoice.trackingIds.maxReturned': "Tracking ids listed in an invoice's JSON",
  'usage.unknownUnitPolicy':
    'Whether to ACCEPT or REJECT records of unknown units. By default REJECT, but ACCEPT in dialect K',
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
  'payment.plugin.timeout': 'Time limit of one gateway call; 5s by default in test mode',
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

/** Returns the descriptions of all per-tenant properties. */
export function settingDescriptions(): readonly SettingDescription[] {
  return typedEntries(tenantProperties).map(([name, { fallback, expectation }]) => ({
    name,
    description: texts[name],
    allowed: expectation,
    fallback: valueText(fallback, expectation) || 'none',
  }));
}

function typedEntries<K extends string, V>(record: Readonly<Record<K, V>>): readonly (readonly [K, V])[] {
  return Object.entries(record) as [K, V][];
}

/** Returns a value as it would be written in a configuration. */
function valueText(value: unknown, expectation: string): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map((each) => valueText(each, expectation)).join(',');
  if (typeof value === 'object') return 'P0D';
  if (typeof value !== 'number') return String(value);
  if (expectation.includes('time of day')) return timeText(value);
  return expectation.includes('time span') ? spanText(value) : String(value);
}

function timeText(milliseconds: number): string {
  const [hours, minutes, seconds] = [3_600_000, 60_000, 1_000].map((unit, index) =>
    String(Math.floor(milliseconds / unit) % (index === 0 ? 24 : 60)).padStart(2, '0'),
  );
  return `${hours}:${minutes}:${seconds}.${String(milliseconds % 1_000).padStart(3, '0')}`;
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

function spanText(milliseconds: number): string {
  const [unit, size] = units.find(([, each]) => milliseconds > 0 && milliseconds % each === 0) ?? [
    's',
    1_000,
  ];
  return `${milliseconds / size}${unit}`;
}
