import type { Account } from '../records/index.ts';
import { type NewNotification, QueueName } from '../records/index.ts';
import { atReferenceTime } from '../subscriptions/index.ts';
import { formatLocalDate, type LocalDate } from '../values/time/index.ts';

/** Kind of a due entry: a run that invoices. Leads the key, so that other kinds can join (§1.6 rule 7). */
const INVOICE_RUN = 'invoice-run';

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
