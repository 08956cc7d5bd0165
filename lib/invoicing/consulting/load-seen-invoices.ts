import type { SeenInvoice } from '../../ports/index.ts';
import type { Storage } from '../../ports/storage/index.ts';
import type { TenantRef } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { seenInvoice } from '../plugins/seen-invoice.ts';

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
