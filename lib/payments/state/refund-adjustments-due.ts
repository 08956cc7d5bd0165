import { type InvoiceRefund, type PaymentTransaction, TransactionStatus } from '../../records/index.ts';

/**
 * What a refund takes off items of its invoice (§9.5 rule 1 e): all that was asked for when it first succeeds, however
 * long its outcome was open; nothing when it is corrected later, for issued adjustments stand.
 */
export function adjustmentsDue(
  before: PaymentTransaction,
  after: PaymentTransaction,
): InvoiceRefund['adjustments'] {
  const { invoiceRefund } = before;
  if (invoiceRefund === null || invoiceRefund.isApplied || after.status !== TransactionStatus.SUCCESS)
    return [];
  return invoiceRefund.adjustments;
}

/** The decided transaction, which remembers that its adjustments are made. */
export function withAdjustmentsNoted(
  before: PaymentTransaction,
  after: PaymentTransaction,
): PaymentTransaction {
  const { invoiceRefund } = after;
  if (invoiceRefund === null || adjustmentsDue(before, after).length === 0) return after;
  return { ...after, invoiceRefund: { ...invoiceRefund, isApplied: true } };
}
