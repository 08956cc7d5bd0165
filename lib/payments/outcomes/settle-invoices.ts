import { changeInvoices } from '../../invoicing/change-invoices.ts';
import { amountsAfterPayment } from '../../invoicing/invoice-amounts.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Invoice, InvoicePayment } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { countedAmount } from '../state/invoice-payment-result.ts';

export interface ChangedRow {
  readonly before: InvoicePayment;
  readonly after: InvoicePayment;
}

export interface ChangedPayments {
  readonly rows: readonly ChangedRow[];
  readonly invoices: ReadonlyMap<Uuid, Invoice>;
  /** Invoices whose payment has ended without success: they may be offered credit again. */
  readonly released?: ReadonlySet<Uuid>;
}

/**
 * Takes what the rows newly count off their invoices and accounts, and applies the accounts' credit (invoicing §1.4,
 * §1.6 rule 8, §10): what was paid beyond the balance becomes credit.
 */
export async function settleInvoices(
  session: WriteSession,
  { rows, invoices, released = new Set() }: ChangedPayments,
  tools: { readonly ids: IdGenerator },
): Promise<void> {
  const settled = new Map([...released].flatMap((id) => entryOf(invoices.get(id))));
  for (const row of rows) {
    const known = settled.get(row.after.invoiceId) ?? invoices.get(row.after.invoiceId);
    if (known && !countedChange(row).isZero()) settled.set(known.id, settleInvoice(known, row));
  }
  const changes = [...settled].flatMap(([id, after]) => {
    const before = invoices.get(id);
    return before ? [{ before, after }] : [];
  });
  await changeInvoices(session, { changes }, tools.ids);
}

/** The invoice with what the row newly counts taken off; the raw balance of a migration invoice is 0 by definition. */
export function settleInvoice(invoice: Invoice, row: ChangedRow): Invoice {
  if (invoice.isMigration) return invoice;
  const payment = { ...row.after, status: 'SUCCESS', amount: countedChange(row) } as const;
  return { ...invoice, ...amountsAfterPayment(invoice, payment) };
}

function countedChange({ before, after }: ChangedRow) {
  return countedAmount(after).minus(countedAmount(before));
}

function entryOf(invoice: Invoice | undefined): readonly (readonly [Uuid, Invoice])[] {
  return invoice ? [[invoice.id, invoice]] : [];
}
