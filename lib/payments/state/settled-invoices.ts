import { amountsAfterPayment } from '../../invoicing/index.ts';
import { type Invoice, type InvoicePayment, InvoicePaymentStatus } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import type { ChangedRow } from './invoice-payment-result.ts';

/**
 * The invoices before and after these rows are counted (invoicing §1.4, §1.6 rule 8): what was paid beyond the balance
 * becomes credit. `released` are invoices whose payment ended without success: they may be offered credit again.
 */
export function settledInvoices(
  rows: readonly ChangedRow[],
  invoices: ReadonlyMap<Uuid, Invoice>,
  released: ReadonlySet<Uuid> = new Set(),
): readonly { readonly before: Invoice; readonly after: Invoice }[] {
  const settled = new Map<Uuid, Invoice>();
  for (const id of released) {
    const invoice = invoices.get(id);
    if (invoice) settled.set(id, invoice);
  }
  for (const row of rows) {
    const known = settled.get(row.after.invoiceId) ?? invoices.get(row.after.invoiceId);
    if (known && !countedChange(row).isZero()) settled.set(known.id, settleInvoice(known, row));
  }
  return [...settled].flatMap(([id, after]) => {
    const before = invoices.get(id);
    return before ? [{ before, after }] : [];
  });
}

/** The invoice less what the row newly counts; the raw balance of a migration invoice is 0 by definition. */
export function settleInvoice(invoice: Invoice, row: ChangedRow): Invoice {
  if (invoice.isMigration) return invoice;
  const payment = { ...row.after, status: InvoicePaymentStatus.SUCCESS, amount: countedChange(row) } as const;
  return { ...invoice, ...amountsAfterPayment(invoice, payment) };
}

function countedChange({ before, after }: ChangedRow): Decimal {
  return countedAmount(after).minus(countedAmount(before));
}

/** What a row takes off its invoice's balance: only SUCCESS rows count (§9.4). */
function countedAmount(row: Omit<InvoicePayment, 'recordId'> | null): Decimal {
  return row?.status === InvoicePaymentStatus.SUCCESS ? row.amount : ZERO;
}
