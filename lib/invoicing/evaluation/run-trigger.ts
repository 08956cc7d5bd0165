import { hasEffect, TagEffect } from '../../control-tags/index.ts';
import type { ClaimedEntry } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { BusEventType, type NewNotification, QueueName } from '../../records/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import {
  formatLocalDate,
  type Instant,
  type LocalDate,
  localDateOf,
  parseLocalDate,
} from '../../values/time/index.ts';

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

/** What a queue entry asks of invoicing: a run up to a local date (null = today), or nothing. */
export type RunTrigger =
  | { readonly kind: 'run'; readonly targetDate: LocalDate | null }
  | { readonly kind: 'none' };

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

/** The queue entry that runs an account at the instant that a plugin has asked for (§8.1). */
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
