import type { SeenInvoice, SeenInvoiceItem } from '../../ports/index.ts';
import type { Storage } from '../../ports/storage/index.ts';
import type { AddedItem, Invoice, InvoiceItem, New, TenantRef } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
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

/** Invoices that a plugin's look at those of an account reads at once. */
const INVOICES_SEEN_AT_ONCE = 100;

/** The stored invoices of an account in creation order, read some at a time as they are asked for. */
export async function* existingInvoices(
  storage: Pick<Storage, 'read'>,
  tenant: TenantRef,
  accountId: Uuid,
): AsyncGenerator<SeenInvoice> {
  const limit = INVOICES_SEEN_AT_ONCE;
  for (let offset = 0; ; offset += limit) {
    const seen = await storage.read(tenant, async (session) => {
      const { rows } = await session.invoices.pageOfAccount(accountId, { offset, limit });
      const items = await session.invoices.findItems(rows.map(({ id }) => id));
      const itemsOf = Map.groupBy(items, ({ invoiceId }) => invoiceId);
      return rows.map((invoice) => seenInvoice(invoice, itemsOf.get(invoice.id) ?? []));
    });
    yield* seen;
    if (seen.length < limit) return;
  }
}

/** Stored invoices as plugins see them, by id. */
export async function loadSeenInvoices(
  storage: Pick<Storage, 'read'>,
  tenant: TenantRef,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, SeenInvoice>> {
  if (ids.length === 0) return new Map();
  return storage.read(tenant, async (session) => {
    const invoices = await session.invoices.findByIds(ids);
    const items = Map.groupBy(await session.invoices.findItems(ids), ({ invoiceId }) => invoiceId);
    return new Map(
      invoices.map((invoice) => [invoice.id, seenInvoice(invoice, items.get(invoice.id) ?? [])]),
    );
  });
}
