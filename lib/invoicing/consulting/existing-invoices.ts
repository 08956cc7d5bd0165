import type { SeenInvoice } from '../../ports/index.ts';
import type { Storage } from '../../ports/storage/index.ts';
import type { TenantRef } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { seenInvoice } from '../plugins/seen-invoice.ts';

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
