import type { SeenInvoice, SeenInvoiceItem } from '../../ports/index.ts';
import type { AddedItem, Invoice, InvoiceItem, New } from '../../records/index.ts';
import { invoiceAmounts } from '../invoices/invoice-amounts.ts';
import { itemOf } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { AskedInvoice } from './additional-items.ts';

type AnyItem = (AddedItem | InvoiceItem) & { readonly recordId?: number };

/** A frozen copy of an invoice for plugins. */
export function seenInvoice(
  invoice: New<Invoice> & { readonly recordId?: number },
  items: readonly AnyItem[],
): SeenInvoice {
  const { recordId: _, accountRecordId: __, ...shown } = invoice;
  return Object.freeze({ ...shown, items: Object.freeze(items.map(seenItem)) });
}

function seenItem({
  recordId: _,
  accountRecordId: __,
  basis: ___,
  ...item
}: AnyItem & { basis?: unknown }): SeenInvoiceItem {
  return Object.freeze(item);
}

/**
 * The invoice at hand as the next plugin sees it: what is stored of it, what it gets, and the account credit that it would
 * have without plugins, with the amounts of them all while it is unpaid.
 */
export function seenAsked(
  invoice: New<Invoice>,
  { existing, items }: AskedInvoice,
  credit: readonly NewInvoiceItem[],
): SeenInvoice {
  const added = [...items, ...credit].map((item) => itemOf(invoice, item, invoice.createdDate));
  const all = [...existing, ...added];
  return seenInvoice({ ...invoice, ...invoiceAmounts(all) }, all);
}
