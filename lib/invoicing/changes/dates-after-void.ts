import type { ReadSession } from '../../ports/storage/index.ts';
import { type Account, type Invoice, type InvoiceItem, itemTypes } from '../../records/index.ts';
import type { TouchedDate } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { addDays, type LocalDate } from '../../values/time/index.ts';

/** An invoice that is voided, of a locked account. */
export interface Voiding {
  readonly account: Account;
  readonly invoice: Invoice;
  readonly items: readonly InvoiceItem[];
}

/** §1.5: the latest target date among the remaining invoices with recurring charges. */
export async function maxTargetDateWithout(session: ReadSession, { account, items }: Voiding) {
  const recurs = items.some(({ itemType }) => itemTypes[itemType].recurs);
  return recurs
    ? new Map([[account.id, await session.invoices.maxTargetDate(account.id)]])
    : new Map<Uuid, null>();
}

/**
 * Where the next run may look at less than an earlier one has, all subscriptions of the account, with the day from which
 * they have to be looked at again. Else the next run would look at the days of its window alone, by an earlier date than
 * they were billed at (§7.3, I3).
 * @param heldFrom the latest target date that still holds later runs; null = none, undefined = the same as before.
 */
export async function daysToEvaluateAgain(
  session: ReadSession,
  { account, invoice }: Voiding,
  heldFrom: LocalDate | null | undefined,
): Promise<readonly TouchedDate[]> {
  const { targetDate, isMigration } = invoice;
  if (heldFrom === undefined || targetDate === null || isMigration) return [];
  if (heldFrom !== null && heldFrom >= targetDate) return [];
  const cursors = await session.invoices.cursorsOfAccounts([account.id]);
  const ids = cursors.map(({ subscriptionId }) => subscriptionId);
  if (heldFrom !== null) return ids.map((subscriptionId) => ({ subscriptionId, date: addDays(heldFrom, 1) }));
  const subscriptions = await session.subscriptions.findByIds(ids);
  return subscriptions.map(({ id, alignStart }) => ({ subscriptionId: id, date: alignStart.date }));
}
