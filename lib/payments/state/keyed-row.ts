import {
  type InvoicePayment,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';

type Keyed = Pick<PaymentTransaction, 'externalKey' | 'paymentId' | 'invoiceRefund'>;
type Told = Keyed & Pick<PaymentTransaction, 'transactionType' | 'status'>;

/** Whether the row, of the type that the transaction has one of, is the transaction's (§1.7 rule 4). */
export function isRowOf(
  { paymentId, transactionExternalKey }: Pick<InvoicePayment, 'paymentId' | 'transactionExternalKey'>,
  transaction: Keyed,
): boolean {
  return transactionExternalKey === transaction.externalKey && paymentId === paidPaymentOf(transaction);
}

/**
 * The transaction that the row of this one follows, of those with its key: the one that has succeeded, else the one that
 * may, else the newest; of a chargeback and its reversals the newest that stands or was taken back.
 * @param transactions in creation order.
 */
export function decidingTransaction<T extends Told>(transaction: T, transactions: readonly T[]): T {
  const keyed = transactions.filter((each) => hasSameRow(each, transaction));
  const newest = (...statuses: TransactionStatus[]) =>
    keyed.findLast(({ status }) => statuses.includes(status));
  if (transaction.transactionType === TransactionType.CHARGEBACK)
    return newest(TransactionStatus.SUCCESS, TransactionStatus.PAYMENT_FAILURE) ?? transaction;
  return (
    newest(TransactionStatus.SUCCESS) ?? newest(TransactionStatus.PENDING) ?? keyed.at(-1) ?? transaction
  );
}

function hasSameRow(one: Told, other: Told): boolean {
  return (
    one.transactionType === other.transactionType &&
    one.externalKey === other.externalKey &&
    paidPaymentOf(one) === paidPaymentOf(other)
  );
}

/** The payment of the row: that of which an external refund takes back, else the transaction's own. */
function paidPaymentOf({ invoiceRefund, paymentId }: Keyed) {
  return invoiceRefund?.paymentId ?? paymentId;
}
