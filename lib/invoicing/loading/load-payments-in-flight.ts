import type { ReadSession } from '../../ports/storage/index.ts';
import { InvoicePaymentType, isUnresolved, TransactionType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/**
 * Those of these invoices that have a payment in flight: credit and card would both pay them (§10 rule 2). A leased
 * transaction is UNKNOWN until its answer is recorded.
 */
export async function invoicesBeingPaid(
  session: ReadSession,
  invoiceIds: readonly Uuid[],
): Promise<ReadonlySet<Uuid>> {
  if (invoiceIds.length === 0) return new Set();
  const rows = (await session.payments.findInvoicePaymentsByInvoices(invoiceIds)).filter(
    ({ type }) => type === InvoicePaymentType.ATTEMPT,
  );
  const paymentIds = [...new Set(rows.flatMap(({ paymentId }) => paymentId ?? []))];
  if (paymentIds.length === 0) return new Set();
  const open = (await session.payments.findTransactions(paymentIds)).filter(
    (each) => each.transactionType === TransactionType.PURCHASE && isUnresolved(each),
  );
  const unresolved = new Set(open.map(({ paymentId }) => paymentId));
  return new Set(
    rows.flatMap(({ paymentId, invoiceId }) =>
      paymentId !== null && unresolved.has(paymentId) ? invoiceId : [],
    ),
  );
}
