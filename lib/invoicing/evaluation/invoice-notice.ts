import {
  type Account,
  BusEventType,
  type EventPayload,
  type NewBusEvent,
  type NewNotification,
  QueueName,
} from '../../records/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import {
  addMilliseconds,
  formatInstant,
  formatLocalDate,
  type Instant,
  type LocalDate,
  localDateOf,
  parseLocalDate,
} from '../../values/time/index.ts';

/** A run to come. */
export interface RunAhead {
  readonly targetDate: LocalDate;
  readonly comesAt: Instant;
}

export interface NoticeTerms {
  /** How long before the run it is told of, in milliseconds; 0 = never. */
  readonly leadMs: number;
  readonly now: Instant;
}

/** The entry that foresees the invoice of a run and tells of it (§8.1), at once where the lead time has begun. */
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

/** The run at the instant at which a subscription changes. */
export function runOfChange(account: Account, at: Instant): RunAhead {
  return { targetDate: localDateOf(at, account.timeZone), comesAt: at };
}

/** The date whose invoice an entry asks to foresee; null: that of no entry of `noticeEntries`. */
export function noticedDate({ targetDate }: EventPayload): LocalDate | null {
  return typeof targetDate === 'string' ? parseLocalDate(targetDate) : null;
}

/** INVOICE_NOTIFICATION (§16): an invoice that there is not yet, hence without an id. */
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
