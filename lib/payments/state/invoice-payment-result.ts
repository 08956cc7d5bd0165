import {
  BusEventType,
  type InvoicePayment,
  InvoicePaymentStatus,
  type PaymentTransaction,
  TransactionStatus,
} from '../../records/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import { ZERO } from '../../values/money/index.ts';

export interface InvoicePaymentResult {
  readonly status: InvoicePaymentStatus;
  readonly amount: Decimal;
  readonly processedCurrency: Currency;
  readonly event: typeof BusEventType.INVOICE_PAYMENT_SUCCESS | typeof BusEventType.INVOICE_PAYMENT_FAILED;
}

/**
 * What the status of a PURCHASE makes of its ATTEMPT row, and which bus event tells it (§9.4). An amount in a currency
 * other than the invoice's settles the requested amount.
 */
export function invoicePaymentResult(
  transaction: Pick<PaymentTransaction, 'status' | 'amount' | 'processedAmount' | 'processedCurrency'>,
  invoiceCurrency: Currency,
): InvoicePaymentResult {
  const inInvoiceCurrency = transaction.processedCurrency === invoiceCurrency;
  const settled = (inInvoiceCurrency ? transaction.processedAmount : transaction.amount) ?? ZERO;
  const processedCurrency = transaction.processedCurrency ?? invoiceCurrency;
  switch (transaction.status) {
    case TransactionStatus.SUCCESS:
      return {
        status: InvoicePaymentStatus.SUCCESS,
        amount: settled,
        processedCurrency,
        event: BusEventType.INVOICE_PAYMENT_SUCCESS,
      };
    case TransactionStatus.PENDING:
      return {
        status: InvoicePaymentStatus.PENDING,
        amount: settled,
        processedCurrency,
        event: BusEventType.INVOICE_PAYMENT_FAILED,
      };
    default:
      return {
        status: InvoicePaymentStatus.INIT,
        amount: ZERO,
        processedCurrency,
        event: BusEventType.INVOICE_PAYMENT_FAILED,
      };
  }
}

/** A payment row of an invoice, before and after its transaction was decided. */
export interface ChangedRow {
  readonly before: InvoicePayment;
  readonly after: InvoicePayment;
}

/** The row after its transaction. */
export function changedRow(
  before: InvoicePayment,
  { status, amount, processedCurrency }: InvoicePaymentResult,
): ChangedRow {
  return { before, after: { ...before, status, amount, processedCurrency } };
}
