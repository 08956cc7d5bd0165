import {
  BusEventType,
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  type NewBusEvent,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
  TransactionStatus,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, ZERO } from '../../values/money/index.ts';
import { formatInstant, type Instant } from '../../values/time/index.ts';

// Payloads of payment events: the ids of the object, `metaData` exactly as platform §10.4 lists its members (what a push
// carries), and, for handlers of the engine, whether the API requested the payment.

/** PAYMENT_SUCCESS for SUCCESS and PENDING, PAYMENT_FAILED for everything else. */
export function paymentEvent(
  payment: Pick<Payment, 'id' | 'accountId' | 'accountRecordId'>,
  transaction: PaymentTransaction,
  isApiPayment: boolean,
): NewBusEvent {
  const { status } = transaction;
  const succeeded = status === TransactionStatus.SUCCESS || status === TransactionStatus.PENDING;
  return {
    type: succeeded ? BusEventType.PAYMENT_SUCCESS : BusEventType.PAYMENT_FAILED,
    accountRecordId: payment.accountRecordId,
    payload: {
      accountId: payment.accountId,
      paymentId: payment.id,
      metaData: {
        paymentTransactionId: transaction.id,
        amount: transaction.processedAmount,
        currency: transaction.processedCurrency ?? transaction.currency,
        status,
        transactionType: transaction.transactionType,
        effectiveDate: formatInstant(transaction.effectiveDate),
      },
      isApiPayment,
    },
  };
}

/** The bus event that tells what a payment did to its invoice (§9.4). */
export function invoicePaymentEvent(input: {
  readonly type: typeof BusEventType.INVOICE_PAYMENT_SUCCESS | typeof BusEventType.INVOICE_PAYMENT_FAILED;
  readonly accountId: Uuid;
  readonly row: Omit<InvoicePayment, 'recordId' | 'id'>;
  readonly attempt: Pick<PaymentAttempt, 'id' | 'isApiPayment'> | null;
}): NewBusEvent {
  const { type, accountId, row, attempt } = input;
  return {
    type,
    accountRecordId: row.accountRecordId,
    payload: {
      accountId,
      invoiceId: row.invoiceId,
      metaData: {
        paymentId: row.paymentId,
        paymentAttemptId: attempt?.id ?? null,
        invoicePaymentType: row.type,
        paymentDate: formatInstant(row.paymentDate),
        amount: row.amount,
        currency: row.currency,
        linkedInvoicePaymentId: row.linkedInvoicePaymentId,
        paymentCookieId: row.transactionExternalKey,
        processedCurrency: row.processedCurrency,
      },
      isApiPayment: attempt?.isApiPayment ?? false,
    },
  };
}

/** The bus event of an automatic payment that could not start: no payment, no amount; overdue needs to know (§9.2 rule 7). */
export function noPaymentEvent(input: {
  readonly accountId: Uuid;
  readonly invoiceId: Uuid;
  readonly currency: Currency;
  readonly now: Instant;
  readonly attempt: Pick<
    PaymentAttempt,
    'id' | 'isApiPayment' | 'accountRecordId' | 'transactionExternalKey'
  >;
}): NewBusEvent {
  const { attempt, invoiceId, currency, now } = input;
  const row = {
    accountRecordId: attempt.accountRecordId,
    invoiceId,
    type: InvoicePaymentType.ATTEMPT,
    status: InvoicePaymentStatus.INIT,
    paymentId: null,
    paymentDate: now,
    amount: ZERO,
    currency,
    processedCurrency: currency,
    transactionExternalKey: attempt.transactionExternalKey,
    linkedInvoicePaymentId: null,
    createdDate: now,
  };
  const type = BusEventType.INVOICE_PAYMENT_FAILED;
  return invoicePaymentEvent({ type, accountId: input.accountId, row, attempt });
}

/** Internal: recovery has run out of checks and the outcome is still open (§7.2 rule 5). */
export function unresolvedEvent(
  payment: Pick<Payment, 'id' | 'accountId' | 'accountRecordId'>,
  transaction: Pick<PaymentTransaction, 'id' | 'status'>,
): NewBusEvent {
  return {
    type: BusEventType.PAYMENT_UNRESOLVED,
    accountRecordId: payment.accountRecordId,
    payload: {
      accountId: payment.accountId,
      paymentId: payment.id,
      paymentTransactionId: transaction.id,
      status: transaction.status,
    },
  };
}
