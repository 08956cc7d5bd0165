import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import type { ChangedInvoice } from '../credit/changed-invoice.ts';
import { amountsAfterItems } from '../invoices/invoice-amounts.ts';
import { afterAdjustment, isAdjustable, itemAdjustment } from '../invoices/item-adjustment.ts';
import { loadUnpaidInvoices } from '../loading/load-open-invoices.ts';
import { changeInvoices } from './change-invoices.ts';

/**
 * Adjusts to 0 every adjustable item of the unpaid invoices of a locked account (§9 rule 11); what was paid for them
 * becomes account credit. A constant number of statements.
 */
export async function adjustUnpaidItems(
  session: WriteSession,
  { account, description }: { readonly account: Account; readonly description: string },
  ids: IdGenerator,
): Promise<void> {
  const unpaid = await loadUnpaidInvoices(session, [account.id]);
  if (unpaid.length === 0) return;
  const stored = await session.invoices.findItems(unpaid.map(({ id }) => id));
  const adjusted = stored.filter((item) => isAdjustable(item) && item.repairable.greaterThan(0));
  const date = localDateOf(session.authorship.createdDate, account.timeZone);
  const adjustments = adjusted.map((item) => ({
    invoiceId: item.invoiceId,
    item: itemAdjustment(item, { id: ids.next(), amount: item.repairable, date, description }),
  }));
  const changes = unpaid.flatMap((before): readonly ChangedInvoice[] => {
    const newItems = adjustments.flatMap(({ invoiceId, item }) => (invoiceId === before.id ? [item] : []));
    if (newItems.length === 0) return [];
    return [
      { before, after: { ...before, ...amountsAfterItems(before, newItems) }, newItems, tellsEachItem: true },
    ];
  });
  await session.invoices.setRepairable(adjusted.map((item) => afterAdjustment(item, item.repairable)));
  await changeInvoices(session, { changes, accounts: [account] }, ids);
}
