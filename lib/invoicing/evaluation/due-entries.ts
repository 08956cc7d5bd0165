import type { Account, NewNotification } from '../../records/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import type { Period } from '../../tenants/index.ts';
import {
  addDays,
  addMilliseconds,
  addPeriod,
  BillingPeriod,
  type Instant,
  type LocalDate,
} from '../../values/time/index.ts';
import { noticeEntries } from './invoice-notice.ts';
import { dueEntry } from './run-trigger.ts';

/** Dates on which an account is due. */
export interface DueDates {
  /** Ascending, each once. */
  readonly dueDates: readonly LocalDate[];
  /** Those of them on which usage is to be billed. */
  readonly usageDates: ReadonlySet<LocalDate>;
  /** How long runs at these wait for stragglers (usage §7.7). */
  readonly collectionInterval: Period;
  /** How long before a run its invoice is told of, in milliseconds; 0 = never. */
  readonly noticeLeadMs: number;
}

/**
 * The queue entries of the dates. Where usage is collected for a while the entry comes later, and asks for a run at the
 * date all the same. Those that tell of the invoices come before them.
 */
export function dueEntries(account: Account, due: DueDates, now: Instant): readonly NewNotification[] {
  return due.dueDates.flatMap((date) => {
    const entry = dueEntryOf(account, date, due);
    const told = { targetDate: date, comesAt: entry.effectiveDate };
    return [entry, ...noticeEntries(account, told, { leadMs: due.noticeLeadMs, now })];
  });
}

function dueEntryOf(
  account: Account,
  date: LocalDate,
  { usageDates, collectionInterval }: DueDates,
): NewNotification {
  const entry = dueEntry(account, date);
  if (!usageDates.has(date)) return entry;
  const { months, days, milliseconds } = collectionInterval;
  const until = atReferenceTime(addDays(addPeriod(date, BillingPeriod.MONTHLY, months), days), account);
  return { ...entry, effectiveDate: addMilliseconds(until.at, milliseconds) };
}
