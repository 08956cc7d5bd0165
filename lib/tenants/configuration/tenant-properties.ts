import {
  DAY_MS,
  HOUR_MS,
  MAX_DAILY_ITEMS_PER_SUBSCRIPTION,
  MAX_LOCK_WAIT_STEPS,
  MAX_STORED_INTEGER,
  MAX_TARGET_DATE_MONTHS,
  MIN_STORED_INTEGER,
} from '../../values/limits.ts';
import {
  flag,
  integer,
  integers,
  locale,
  NO_PERIOD,
  names,
  numberPatterns,
  oneOf,
  period,
  span,
  spans,
  timeOfDay,
} from './property.ts';

/** Time limit of one gateway call (`payment.plugin.timeout`). */
export const GATEWAY_TIMEOUT_MS = 30_000;

const MINUTE_MS = 60_000;

const lastMillisecondOfDay = DAY_MS - 1;
const unbounded = { min: 0, max: MAX_STORED_INTEGER };
const lockWaitSteps = 50;

/** Specifies when a period in arrears is billed (invoicing §5.3): after its end, or as soon as it has begun. */
export const InArrearMode = { DEFAULT: 'DEFAULT', GREEDY: 'GREEDY' } as const;
export type InArrearMode = (typeof InArrearMode)[keyof typeof InArrearMode];

/** The values of `format:profile` for e-invoices (invoicing §22 rule 1). */
const eInvoiceKinds = [
  'UBL:EN16931',
  'UBL:XRECHNUNG',
  'UBL:PEPPOL_BIS3',
  'CII:EN16931',
  'CII:XRECHNUNG',
  'FACTUR_X:EN16931',
  'FACTUR_X:XRECHNUNG',
] as const;

/**
 * Describes every per-tenant property (platform §4.2) by name without prefix, including the properties of future
 * features.
 */
export const tenantProperties = {
  'invoice.enabled': flag(true),
  'invoice.plugin': names(),
  'invoice.maxNumberOfMonthsInFuture': integer(MAX_TARGET_DATE_MONTHS, { min: 0, max: 1_200 }),
  'invoice.sanitySafetyBoundEnabled': flag(true),
  'invoice.maxDailyNumberOfItemsSafetyBound': integer(MAX_DAILY_ITEMS_PER_SUBSCRIPTION, {
    ...unbounded,
    min: -1,
  }),
  'invoice.disable.usage.zero.amount': flag(false),
  'invoice.disable.trial.zero.amount': flag(false),
  'invoice.usage.missing.lenient': flag(false),
  'invoice.parkAccountsWithUnknownUsage': flag(false),
  'invoice.parkAccountsOnAllExceptions': flag(true),
  /** Time between the announcement of an invoice and its run (invoicing §8.1). With 0, invoices are not announced. */
  'invoice.dryRunNotificationSchedule': span(0),
  /** Number of past periods whose usage is read. A negative number means all past periods. */
  'invoice.readMaxRawUsagePreviousPeriod': integer(2, { ...unbounded, min: MIN_STORED_INTEGER }),
  /** This property is accepted but has no effect (invoicing §8.5). */
  'invoice.maxInvoiceLimit': period(null),
  'invoice.parent.commit.local.utc.time': timeOfDay(lastMillisecondOfDay),
  'invoice.item.result.behavior.mode': oneOf(['AGGREGATE', 'DETAIL'], 'AGGREGATE'),
  'invoice.inArrear.mode': oneOf(Object.values(InArrearMode), InArrearMode.DEFAULT),
  'invoice.proration.fixed.days': integer(0, { min: 0, max: 366 }),
  'invoice.numberPattern': numberPatterns(),
  'invoice.creditNotes': flag(false),
  'invoice.creditNoteNumberPattern': numberPatterns(),
  /**
   * Format and profile of the e-invoices that the server sends to the access point (invoicing §22 rule 9). Null means
   * that the server sends none.
   */
  'invoice.eInvoice': oneOf(eInvoiceKinds, null),
  'invoice.eInvoice.retries': spans([0.25, 0.5, 2, 12, 24].map((hours) => hours * HOUR_MS)),
  'invoice.emailNotificationsEnabled': flag(false),
  'invoice.globalLock.retries': integer(lockWaitSteps, { min: 0, max: MAX_LOCK_WAIT_STEPS }),
  'invoice.usage.lateMode': oneOf(['DELTA', 'NEXT_PERIOD', 'IGNORE'], 'DELTA'),
  'invoice.usage.beyondLookback': oneOf(['REPORT', 'NEXT_PERIOD'], 'REPORT'),
  /**
   * Specifies how to treat usage that costs less than was billed. If the property is not set, the value is null and
   * CREDIT applies, or FAIL for a usage source.
   */
  'invoice.usage.negativeDelta': oneOf(['CREDIT', 'IGNORE', 'FAIL'], null),
  'invoice.usage.overflow': oneOf(['CAP', 'LAST_TIER'], 'CAP'),
  'invoice.usage.collectionInterval': period(NO_PERIOD),
  'invoice.trackingIds.maxReturned': integer(10_000, unbounded),
  /**
   * Specifies how to treat unknown units. If the property is not set, the value is null and REJECT applies, or ACCEPT
   * in dialect K.
   */
  'usage.unknownUnitPolicy': oneOf(['ACCEPT', 'REJECT'], null),
  'usage.duplicatePolicy': oneOf(['FAIL', 'IGNORE'], 'FAIL'),
  'usage.negativeAmounts': flag(false),
  'payment.retry.days': integers([8, 8, 8], { min: 0, max: 3_650 }),
  'payment.failure.retry.start.sec': integer(300, { min: 0, max: 31_536_000 }),
  'payment.failure.retry.multiplier': integer(2, { min: 1, max: 100 }),
  'payment.failure.retry.max.attempts': integer(8, { min: 0, max: 100 }),
  'payment.janitor.unknown.retries': spans([5 * MINUTE_MS, HOUR_MS, DAY_MS, DAY_MS, DAY_MS, DAY_MS, DAY_MS]),
  'payment.janitor.pending.retries': spans([HOUR_MS, DAY_MS]),
  'payment.invoice.plugin': names(),
  'payment.method.overwrite': flag(false),
  'payment.allow.emptyInvoice': flag(false),
  'payment.overRefund.allowed': flag(false),
  'payment.plugin.timeout': span(GATEWAY_TIMEOUT_MS, { min: 1, max: HOUR_MS }),
  'payment.globalLock.retries': integer(lockWaitSteps, { min: 0, max: MAX_LOCK_WAIT_STEPS }),
  'subscription.align.effectiveDateForExistingSubscriptions': flag(false),
  /**
   * Number of days between the event TRIAL_ENDING and the end of the trial (subscriptions §21.1). With 0, the event is
   * never sent.
   */
  'subscription.trial.noticeDays': integer(3, { min: 0, max: 365 }),
  /**
   * Intervals after which background work for a busy account is tried again. Before the first interval, the work waits
   * as long as a call would.
   */
  rescheduleIntervalOnLock: spans([0.5, 1, 1, 3, 3, 10].map((minutes) => minutes * MINUTE_MS)),
  'billing.server.notifications.retries': spans([0.25, 0.5, 2, 12, 24].map((hours) => hours * HOUR_MS)),
  'billing.server.event.post.type.skip': names(),
  'billing.server.event.dispatch.type.skip': names(),
  'billing.server.event.bulk.subscription.aggregate': flag(false),
  'features.account.allowBCDUpdate': flag(false),
  /**
   * Percentages of a quota at which the event QUOTA_THRESHOLD is published. Each percentage is published once per
   * period (features §5).
   */
  'features.quotaThresholds': integers([80, 100], { min: 1, max: 100 }),
  'tags.enforceApplicableTypes': flag(true),
  'default.locale': locale('en_US'),
} as const;

/** The name of a per-tenant property without prefix. */
export type TenantPropertyName = keyof typeof tenantProperties;
