import {
  BusEventType,
  type Invoice,
  type InvoicePayment,
  InvoicePaymentStatus,
  type New,
  type PaymentAttempt,
  type PaymentTransaction,
  TransactionStatus,
} from '../../records/index.ts';
import { type Currency, type Decimal, ZERO } from '../../values/money/index.ts';

export interface InvoicePaymentResult {
  readonly status: InvoicePaymentStatus;
  readonly amount: Decimal;
  readonly processedCurrency: Currency;
}

type Outcome = Pick<
  PaymentTransaction,
  'status' | 'amount' | 'processedAmount' | 'processedCurrency' | 'transactionType'
>;

/**
 * The transaction with what it was to settle of the invoice: of one in another currency its attempt keeps that (§8.1 rule
 * 3), and its row while it is not settled.
 */
export function asSettled(
  transaction: PaymentTransaction,
  {
    row,
    invoice,
    attempt,
  }: {
    readonly row: InvoicePayment;
    readonly invoice: Pick<Invoice, 'currency'>;
    readonly attempt: PaymentAttempt | undefined;
  },
): PaymentTransaction {
  const { currency } = invoice;
  if (transaction.currency === null || transaction.currency === currency) return transaction;
  const kept = attempt?.currency === currency ? attempt.amount : null;
  return { ...transaction, amount: kept ?? row.amount };
}

/**
 * What the status of a PURCHASE makes of its ATTEMPT row, and that of a refund of its REFUND row, whose amount is
 * negative (§9.4, §9.5). An amount in another currency than the invoice's settles what was requested.
 */
export function invoicePaymentResult(
  transaction: Pick<Outcome, 'status' | 'amount' | 'processedAmount' | 'processedCurrency'>,
  invoiceCurrency: Currency,
): InvoicePaymentResult {
  const inInvoiceCurrency = transaction.processedCurrency === invoiceCurrency;
  const settled = (inInvoiceCurrency ? transaction.processedAmount : transaction.amount) ?? ZERO;
  const processedCurrency = transaction.processedCurrency ?? invoiceCurrency;
  switch (transaction.status) {
    case TransactionStatus.SUCCESS:
      return { status: InvoicePaymentStatus.SUCCESS, amount: settled, processedCurrency };
    case TransactionStatus.PENDING:
      return { status: InvoicePaymentStatus.PENDING, amount: settled, processedCurrency };
    default:
      return { status: InvoicePaymentStatus.INIT, amount: ZERO, processedCurrency };
  }
}

/** Which event tells what became of an invoice's payment, refund or chargeback (§9.4). */
export function eventOfResult({ status }: Pick<InvoicePayment, 'status'>) {
  return status === InvoicePaymentStatus.SUCCESS
    ? BusEventType.INVOICE_PAYMENT_SUCCESS
    : BusEventType.INVOICE_PAYMENT_FAILED;
}

/** A payment row of an invoice before and after its transaction was decided; null before = it is new. */
export type ChangedRow =
  | { readonly before: InvoicePayment; readonly after: InvoicePayment }
  | { readonly before: null; readonly after: New<InvoicePayment> };

/** The row with what its transaction has made of it. */
export function changedRow(
  before: InvoicePayment,
  { status, amount, processedCurrency }: InvoicePaymentResult,
): { readonly before: InvoicePayment; readonly after: InvoicePayment } {
  return { before, after: { ...before, status, amount, processedCurrency } };
}
