import { decidingTransaction, isRowOf } from '../payments/index.ts';
import {
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../records/index.ts';
import { CheckedInvariant, type Finding } from './model.ts';

type Row = Pick<
  InvoicePayment,
  'id' | 'invoiceId' | 'type' | 'status' | 'paymentId' | 'transactionExternalKey'
>;
type Transaction = Pick<
  PaymentTransaction,
  'id' | 'paymentId' | 'externalKey' | 'transactionType' | 'status' | 'amount' | 'invoiceRefund'
>;

/** Which transactions a row of each type counts. */
const countedBy: Readonly<Record<InvoicePaymentType, readonly TransactionType[]>> = {
  ATTEMPT: [TransactionType.PURCHASE],
  REFUND: [TransactionType.REFUND, TransactionType.CREDIT],
  CHARGED_BACK: [TransactionType.CHARGEBACK],
};

/**
 * Finds rows that count what no transaction has done, and transactions that have done what no row counts; `rows` and
 * `transactions` are all of the payments of one account.
 */
export function miscounted(rows: readonly Row[], transactions: readonly Transaction[]): readonly Finding[] {
  const paying = new Set(
    rows.flatMap(({ type, paymentId }) => (type === InvoicePaymentType.ATTEMPT ? (paymentId ?? []) : [])),
  );
  return [...rows.flatMap((row) => untold(row, transactions)), ...uncounted(rows, transactions, paying)];
}

function untold(row: Row, transactions: readonly Transaction[]): readonly Finding[] {
  if (row.status !== InvoicePaymentStatus.SUCCESS) return [];
  const keyed = transactions.filter(
    (each) => countedBy[row.type].includes(each.transactionType) && isRowOf(row, each),
  );
  const own = keyed[0] && decidingTransaction(keyed[0], keyed);
  if (own?.status === TransactionStatus.SUCCESS) return [];
  const told = own === undefined ? 'there is no such transaction' : `transaction ${own.id} is ${own.status}`;
  const message = `invoice ${row.invoiceId} counts ${row.type} ${row.id}, but ${told}`;
  return [{ invariant: CheckedInvariant.INVOICE_PAYMENT, message }];
}

function uncounted(
  rows: readonly Row[],
  transactions: readonly Transaction[],
  paying: ReadonlySet<PaymentTransaction['paymentId']>,
): readonly Finding[] {
  return transactions.flatMap((transaction) => {
    const type = typeOfRow(transaction, paying);
    if (type === null || transaction.status !== TransactionStatus.SUCCESS) return [];
    const row = rows.find((each) => each.type === type && isRowOf(each, transaction));
    if (row?.status === InvoicePaymentStatus.SUCCESS) return [];
    if (decidingTransaction(transaction, transactions) !== transaction) return [];
    const message = `transaction ${transaction.id} of payment ${transaction.paymentId} has succeeded, but its invoice does not count it`;
    return [{ invariant: CheckedInvariant.INVOICE_PAYMENT, message }];
  });
}

/** The type of row that the transaction must have; null = none, for its payment pays no invoice. */
function typeOfRow(
  { transactionType, paymentId, invoiceRefund }: Transaction,
  paying: ReadonlySet<PaymentTransaction['paymentId']>,
): InvoicePaymentType | null {
  if (invoiceRefund !== null) return InvoicePaymentType.REFUND;
  if (!paying.has(paymentId)) return null;
  if (transactionType === TransactionType.REFUND) return InvoicePaymentType.REFUND;
  if (transactionType === TransactionType.CHARGEBACK) return InvoicePaymentType.CHARGED_BACK;
  return transactionType === TransactionType.PURCHASE ? InvoicePaymentType.ATTEMPT : null;
}
