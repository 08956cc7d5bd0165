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

/** Dates on which an account is due. */
export interface DueDates {
  /** Ascending, each once. */
  readonly dueDates: readonly LocalDate[];
  /** Those that bill usage. */
  readonly usageDates: ReadonlySet<LocalDate>;
  /** How long runs at these wait for stragglers (usage §7.7). */
  readonly collectionInterval: Period;
  /** How long before a run its invoice is reported, in milliseconds; 0 = never. */
  readonly noticeLeadMs: number;
}

/**
 * Returns the queue entries of the dates. An entry that waits for usage comes later but requests a run at the date.
 * Notice entries come before them.
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
  BusEventType.TAG_DELETION,
  QueueName.NEXT_BILLING_DATE,
];

/** The run that a queue entry requests, up to a local date (null = today), or none. */
type RunTrigger = { readonly kind: 'run'; readonly targetDate: LocalDate | null } | { readonly kind: 'none' };

const BLOCKING_TOPICS: ReadonlySet<string> = new Set([
  BusEventType.BUNDLE_PAUSE,
  BusEventType.BUNDLE_RESUME,
  BusEventType.BLOCKING_STATE,
]);

const NOTHING: RunTrigger = Object.freeze({ kind: 'none' });

/**
 * A due entry asks for a run at its date. A subscription event asks for one once it is effective and if it is the last of
 * its operation (§8.1); EXPIRED never does. The end of AUTO_INVOICING_OFF asks for what was missed, and a blocking state
 * for the billing that it changes.
 */
export function runTrigger(entry: Pick<ClaimedEntry, 'topic' | 'payload'>): RunTrigger {
  const { targetDate, actionType, isLastOfOperation, tagDefinitionId } = entry.payload;
  if (entry.topic === BusEventType.TAG_DELETION) {
    return hasEffect(tagDefinitionId, TagEffect.STOPS_INVOICING)
      ? { kind: 'run', targetDate: null }
      : NOTHING;
  }
  if (BLOCKING_TOPICS.has(entry.topic)) {
    if (entry.payload.changesBilling !== true) return NOTHING;
    return { kind: 'run', targetDate: typeof targetDate === 'string' ? parseLocalDate(targetDate) : null };
  }
  if (typeof targetDate !== 'string') return NOTHING;
  if (entry.topic === QueueName.NEXT_BILLING_DATE)
    return { kind: 'run', targetDate: parseLocalDate(targetDate) };
  if (actionType !== 'EFFECTIVE' || isLastOfOperation !== true) return NOTHING;
  return { kind: 'run', targetDate: parseLocalDate(targetDate) };
}

/**
 * Kind of a due entry that asks for an invoice run. The key begins with the kind, so that other kinds can be added (§1.6
 * rule 7).
 */
const INVOICE_RUN = 'invoice-run';

const RESCHEDULED_RUN = 'rescheduled-run';

/** The queue entry that runs an account at an instant requested by a plugin (§8.1). */
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
 * The queue entry that runs an account on a date, fired at the `toInstant` of the date (§2 rule 5). At most
 * one is pending per account, local date and kind.
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
  /** How long before the run it is reported, in milliseconds; 0 = never. */
  readonly leadMs: number;
  readonly now: Instant;
}

/** The entry that previews and reports the invoice of a run (§8.1), at once if the lead time has begun. */
export function noticeEntries(
  account: Account,
  { targetDate, comesAt }: RunAhead,
  { leadMs, now }: NoticeTerms,
): readonly NewNotification[] {
  if (leadMs === 0 || comesAt <= now) return [];
  const toldAt = addMilliseconds(comesAt, -leadMs);
  const date = formatLocalDate(targetDate);
  return [
    {
      queueName: QueueName.INVOICE_NOTIFICATIONS,
      accountRecordId: account.recordId,
      effectiveDate: toldAt > now ? toldAt : now,
      payload: { accountId: account.id, targetDate: date },
      uniqueKey: `invoice-notification:${account.recordId}:${date}`,
    },
  ];
}

export function runOfChange(account: Account, at: Instant): RunAhead {
  return { targetDate: localDateOf(at, account.timeZone), comesAt: at };
}

/** The date of the previewed invoice; null: not a notice entry. */
export function noticedDate({ targetDate }: EventPayload): LocalDate | null {
  return typeof targetDate === 'string' ? parseLocalDate(targetDate) : null;
}

/** INVOICE_NOTIFICATION (§16): a future invoice, without an id. */
export function invoiceNotificationEvent(
  account: Account,
  {
    targetDate,
    amountOwed,
    currency,
  }: { readonly targetDate: LocalDate; readonly amountOwed: Decimal; readonly currency: string },
): NewBusEvent {
  const metaData = {
    targetDate: formatInstant(atReferenceTime(targetDate, account).at),
    amountOwed,
    currency,
  };
  return {
    type: BusEventType.INVOICE_NOTIFICATION,
    accountRecordId: account.recordId,
    payload: { accountId: account.id, invoiceId: null, metaData },
  };
}
