import { type CountedItem, type CountedPayment, invoiceAmounts } from '../invoicing/index.ts';
import type { Invoice, InvoiceAmounts } from '../records/index.ts';
import { formatDecimal, ZERO } from '../values/money/index.ts';
import { CheckedInvariant, type Finding } from './model.ts';

const sums: readonly (keyof InvoiceAmounts)[] = ['amount', 'creditAdj', 'refundAdj', 'rawBalance'];

/** The stored sums of an invoice that differ from those of its items and payments. */
export function wrongSums(
  invoice: Pick<Invoice, 'id' | 'isMigration'> & InvoiceAmounts,
  items: readonly CountedItem[],
  payments: readonly CountedPayment[],
): readonly Finding[] {
  const counted = invoiceAmounts(items, payments);
  const expected = invoice.isMigration ? { ...counted, rawBalance: ZERO } : counted;
  return sums
    .filter((sum) => !invoice[sum].equals(expected[sum]))
    .map((sum) => ({
      invariant: CheckedInvariant.INVOICE_BALANCE,
      message: `${sum} of invoice ${invoice.id} is ${formatDecimal(invoice[sum])}, its items and payments make ${formatDecimal(expected[sum])}`,
    }));
}
