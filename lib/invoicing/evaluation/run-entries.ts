import { hasEffect, TagEffect } from '../../control-tags/index.ts';
import type { ClaimedEntry } from '../../ports/storage/index.ts';
import {
  type Account,
  BusEventType,
  type EventPayload,
  type NewBusEvent,
  type NewNotification,
  QueueName,
} from '../../records/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import type { Period } from '../../tenants/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import {
  addDays,
  addMilliseconds,
  addPeriod,
  BillingPeriod,
  formatInstant,
  formatLocalDate,
  type Instant,
  type LocalDate,
  localDateOf,
  parseLocalDate,
} from '../../values/time/index.ts';

/** Dates on which an account has a run. */
export interface DueDates {
  /** The dates in ascending order, each once. */
  readonly dueDates: readonly LocalDate[];
  /** The dates on which usage is billed. */
  readonly usageDates: ReadonlySet<LocalDate>;
  /** How long a run on a usage date waits for late usage (usage §7.7). */
  readonly collectionInterval: Period;
  /** Milliseconds between the announcement of an invoice and its run; 0 means no announcements. */
  readonly noticeLeadMs: number;
}

/**
 * Returns the queue entries for the given dates. Each date's announcement precedes its entry. Entries that wait for
 * late usage run later.
 */
export function dueEntries(account: Account, due: DueDates, now: Instant): readonly NewNotification[] {
  return due.dueDates.flatMap((date) => {
    const entry = dueEntryOf(account, date, due);
    const told = { targetDate: date, comesAt: entry.effectiveDate };
    return [entry, ...noticeEntries(account, told, { leadMs: due.noticeLeadMs, now })];
  });
}

function dueEntryOf(account: Account, date: LocalDate, { usageDates, collectionInterval }: DueDates) {
  const entry = dueEntry(account, date);
  if (!usageDates.has(date)) return entry;
  const { months, days, milliseconds } = collectionInterval;
  const until = atReferenceTime(addDays(addPeriod(date, BillingPeriod.MONTHLY, months), days), account);
  return { ...entry, effectiveDate: addMilliseconds(until.at, milliseconds) };
}

/** Topics that can start an automatic run (§8.1). */
export const RUN_TOPICS: readonly string[] = [
  BusEventType.SUBSCRIPTION_CREATION,
  BusEventType.SUBSCRIPTION_CHANGE,
  BusEventType.SUBSCRIPTION_PHASE,
  BusEventType.SUBSCRIPTION_CANCEL,
  BusEventType.SUBSCRIPTION_BCD_CHANGE,
  BusEventType.SUBSCRIPTION_QUANTITY,
  BusEventType.BUNDLE_PAUSE,
  BusEventType.BUNDLE_RESUME,
  BusEventType.BLOCKING_STATE,
  BusEventType.COUPON_REDEEMED,
  BusEventType.COUPON_ENDED,
  BusEventType.TAG_DELETION,
  QueueName.NEXT_BILLING_DATE,
];

/**
 * The invoice run that a queue entry requests, with its target date (null means today). If the kind is `none`, the
 * entry requests no run.
 */
type RunTrigger = { readonly kind: 'run'; readonly targetDate: LocalDate | null } | { readonly kind: 'none' };

/** Topics of events that start a run only if they change billed days. */
const TOPICS_WITH_CHANGES: ReadonlySet<string> = new Set([
  BusEventType.COUPON_REDEEMED,
  BusEventType.COUPON_ENDED,
  BusEventType.BUNDLE_PAUSE,
  BusEventType.BUNDLE_RESUME,
  BusEventType.BLOCKING_STATE,
]);

const NOTHING: RunTrigger = Object.freeze({ kind: 'none' });

/**
 * Returns the run that an entry starts. A due entry starts a run on its date. A subscription event starts a run if the
 * event is effective and is the last event of its operation (§8.1), but EXPIRED never starts a run. A run also starts
 * when AUTO_INVOICING_OFF is removed, for the skipped items, and when a blocking state or a coupon changes billing.
 */
export function runTrigger(entry: Pick<ClaimedEntry, 'topic' | 'payload'>): RunTrigger {
  const { targetDate, actionType, isLastOfOperation, tagDefinitionId } = entry.payload;
  if (entry.topic === BusEventType.TAG_DELETION) {
    return hasEffect(tagDefinitionId, TagEffect.STOPS_INVOICING)
      ? { kind: 'run', targetDate: null }
      : NOTHING;
  }
  if (TOPICS_WITH_CHANGES.has(entry.topic)) {
    if (entry.payload.changesBilling !== true) return NOTHING;
    return { kind: 'run', targetDate: typeof targetDate === 'string' ? parseLocalDate(targetDate) : null };
  }
  if (typeof targetDate !== 'string') return NOTHING;
  const isDue = entry.topic === QueueName.NEXT_BILLING_DATE;
  if (!isDue && (actionType !== 'EFFECTIVE' || isLastOfOperation !== true)) return NOTHING;
  return { kind: 'run', targetDate: parseLocalDate(targetDate) };
}

/** Kind of the due entries of invoice runs. The entry keys begin with this text (§1.6 rule 7). */
const INVOICE_RUN = 'invoice-run';

const RESCHEDULED_RUN = 'rescheduled-run';

/** Returns the queue entry of a run at an instant that a plugin requested (§8.1). */
export function rescheduledEntry(account: Account, at: Instant): NewNotification {
  const targetDate = formatLocalDate(localDateOf(at, account.timeZone));
  return {
    queueName: QueueName.NEXT_BILLING_DATE,
    accountRecordId: account.recordId,
    effectiveDate: at,
    payload: { accountId: account.id, targetDate, isRescheduled: true },
    uniqueKey: `${RESCHEDULED_RUN}:${account.recordId}:${targetDate}`,
  };
}

/**
 * Returns the queue entry of a run on a date, due at the date's `toInstant` (§2 rule 5). There is one entry per
 * account, local date and kind.
 */
export function dueEntry(account: Account, date: LocalDate): NewNotification {
  const targetDate = formatLocalDate(date);
  return {
    queueName: QueueName.NEXT_BILLING_DATE,
    accountRecordId: account.recordId,
    effectiveDate: atReferenceTime(date, account).at,
    payload: { accountId: account.id, targetDate },
    uniqueKey: `${INVOICE_RUN}:${account.recordId}:${targetDate}`,
  };
}

interface RunAhead {
  readonly targetDate: LocalDate;
  readonly comesAt: Instant;
}

export interface NoticeTerms {
  /** Milliseconds between the announcement and the run; 0 means no announcement. */
  readonly leadMs: number;
  readonly now: Instant;
}

/**
 * Returns the entries that announce the invoice of a run (§8.1). An entry is due now if the lead time has already
 * begun.
 */
export function noticeEntries(
  account: Account,
  { targetDate, comesAt }: RunAhead,
  { leadMs, now }: NoticeTerms,
): readonly NewNotification[] {
  if (leadMs === 0 || comesAt <= now) return [];
  const noticeAt = addMilliseconds(comesAt, -leadMs);
  const date = formatLocalDate(targetDate);
  return [
    {
      queueName: QueueName.INVOICE_NOTIFICATIONS,
      accountRecordId: account.recordId,
      effectiveDate: noticeAt > now ? noticeAt : now,
      payload: { accountId: account.id, targetDate: date },
      uniqueKey: `invoice-notification:${account.recordId}:${date}`,
    },
  ];
}

export function runOfChange(account: Account, at: Instant): RunAhead {
  return { targetDate: localDateOf(at, account.timeZone), comesAt: at };
}

/** Returns the date of the announced invoice, or null if the entry does not announce an invoice. */
export function noticedDate({ targetDate }: EventPayload): LocalDate | null {
  return typeof targetDate === 'string' ? parseLocalDate(targetDate) : null;
}

/** Returns the INVOICE_NOTIFICATION event (§16) for a future invoice. Such an invoice has no id yet. */
export function invoiceNotificationEvent(
  account: Account,
  of: { readonly targetDate: LocalDate; readonly amountOwed: Decimal; readonly currency: string },
): NewBusEvent {
  const metaData = { ...of, targetDate: formatInstant(atReferenceTime(of.targetDate, account).at) };
  return {
    type: BusEventType.INVOICE_NOTIFICATION,
    accountRecordId: account.recordId,
    payload: { accountId: account.id, invoiceId: null, metaData },
  };
}
