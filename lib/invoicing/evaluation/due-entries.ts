import type { Account, NewNotification } from '../../records/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import type { Period } from '../../tenants/index.ts';
import {
  addDays,
  addMilliseconds,
  addPeriod,
  BillingPeriod,
  type LocalDate,
} from '../../values/time/index.ts';
import { dueEntry } from './run-trigger.ts';

/** Dates on which an account is due. */
export interface DueDates {
  /** Ascending, each once. */
  readonly dueDates: readonly LocalDate[];
  /** Those of them on which usage is to be billed. */
  readonly usageDates: ReadonlySet<LocalDate>;
  /** How long runs at these wait for stragglers (usage §7.7). */
  readonly collectionInterval: Period;
}

/**
 * The queue entries of the dates. Where usage is collected for a while the entry comes later, and asks for a run at the
 * date all the same.
 */
export function dueEntries(
  account: Account,
  { dueDates, usageDates, collectionInterval }: DueDates,
): readonly NewNotification[] {
  return dueDates.map((date) => {
    const entry = dueEntry(account, date);
    if (!usageDates.has(date)) return entry;
    const { months, days, milliseconds } = collectionInterval;
    const until = atReferenceTime(addDays(addPeriod(date, BillingPeriod.MONTHLY, months), days), account);
    return { ...entry, effectiveDate: addMilliseconds(until.at, milliseconds) };
  });
}
