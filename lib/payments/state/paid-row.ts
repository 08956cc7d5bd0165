import { type InvoicePayment, InvoicePaymentStatus, InvoicePaymentType } from '../../records/index.ts';

/**
 * What a payment has paid of its invoice. One that was tried under several keys has a row for each: the one that has
 * succeeded counts, else the one that may, else the latest.
 * @param rows of one payment, in creation order.
 */
export function paidRowOf(rows: readonly InvoicePayment[]): InvoicePayment | undefined {
  const tried = rows.filter(({ type }) => type === InvoicePaymentType.ATTEMPT);
  const inState = (state: InvoicePaymentStatus) => tried.findLast(({ status }) => status === state);
  return inState(InvoicePaymentStatus.SUCCESS) ?? inState(InvoicePaymentStatus.PENDING) ?? tried.at(-1);
}
