import type { Invoice, InvoiceAmounts } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** The kept sums of an invoice, as they are stored. */
export function storedAmounts(
  invoice: Pick<Invoice, 'id' | keyof InvoiceAmounts>,
): InvoiceAmounts & { readonly invoiceId: Uuid } {
  const { id, amount, creditAdj, refundAdj, rawBalance } = invoice;
  return { invoiceId: id, amount, creditAdj, refundAdj, rawBalance };
}
