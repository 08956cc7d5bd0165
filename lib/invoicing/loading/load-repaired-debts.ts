import type { ReadSession } from '../../ports/storage/index.ts';
import { type Invoice, InvoiceItemType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { isPaidWhole, isSettled } from '../invoices/parent-standing.ts';
import { loadParentInvoices } from './load-open-invoices.ts';

/**
 * By item, its invoice, for those of these items that a parent is to pay and has not paid (§10 rule 8). One statement
 * where no parent pays any of them, else a constant number.
 */
export async function loadRepairedDebts(
  session: ReadSession,
  itemIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, Invoice>> {
  const items = await session.invoices.findDelegated(itemIds);
  if (items.length === 0) return new Map();
  const invoices = await session.invoices.findByIds([...new Set(items.map(({ invoiceId }) => invoiceId))]);
  const summaries = await loadParentInvoices(session, invoices);
  const settled = [...summaries.values()].filter(isSettled);
  const shares = (await session.invoices.findItems(settled.map(({ id }) => id))).filter(
    ({ itemType }) => itemType === InvoiceItemType.PARENT_SUMMARY,
  );
  const shareOf = new Map(shares.map((item) => [keyOf(item.invoiceId, item.childAccountId), item]));
  const isDebt = ({ accountId, parentInvoiceId }: Invoice): boolean => {
    const summary = parentInvoiceId === null ? undefined : summaries.get(parentInvoiceId);
    if (summary === undefined) return true;
    return !isPaidWhole(summary, shareOf.get(keyOf(summary.id, accountId)));
  };
  const debts = new Map(invoices.filter(isDebt).map((invoice) => [invoice.id, invoice]));
  return new Map(
    items.flatMap(({ itemId, invoiceId }) => {
      const debt = debts.get(invoiceId);
      return debt === undefined ? [] : [[itemId, debt] as const];
    }),
  );
}

function keyOf(summaryId: Uuid, childAccountId: Uuid | null): string {
  return `${summaryId} ${childAccountId}`;
}
