import {
  type AutoPayHold,
  BusEventType,
  type EventPayload,
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  type NewBusEvent,
  type NewNotification,
  type OpenStatus,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
  QueueName,
} from '../../records/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import { parseUuid, type Uuid } from '../../values/ids/index.ts';
import { type Currency, ZERO } from '../../values/money/index.ts';
import { addMilliseconds, formatInstant, type Instant, maxInstant } from '../../values/time/index.ts';
import type { PaymentConfig } from './payment-config.ts';

/** A request to check a transaction in `status`. `check` is the number of the check. */
export interface RecoveryJob {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly status: OpenStatus;
  readonly check: number;
}

export interface RetryJob {
  readonly attemptId: Uuid;
  /** The id of the payment, or null if no payment has been created. */
  readonly paymentId: Uuid | null;
  /** The id of the invoice, or null for a direct payment. */
  readonly invoiceId: Uuid | null;
}

export interface InvoiceRetryJob extends RetryJob {
  readonly paymentId: Uuid;
  readonly invoiceId: Uuid;
}

/**
 * Returns the unique key of a transaction's recovery notification. A transaction has at most one such notification in
 * the queue.
 */
export function recoveryKey(transactionId: Uuid): string {
  return `payment-janitor:${transactionId}`;
}

/**
 * Returns the unique key of an attempt's retry notification. An attempt has at most one such notification in the queue.
 */
export function retryKey(attemptId: Uuid): string {
  return `payment-retry:${attemptId}`;
}

export function recoveryNotification(
  {
    id: transactionId,
    paymentId,
    accountRecordId,
  }: Pick<PaymentTransaction, 'id' | 'paymentId' | 'accountRecordId'>,
  { at, status, check }: JanitorCheck,
): NewNotification {
  return {
    queueName: QueueName.PAYMENT_JANITOR,
    accountRecordId,
    effectiveDate: at,
    payload: { paymentId, transactionId, status, check },
    uniqueKey: recoveryKey(transactionId),
  };
}

export function retryNotification(job: RetryJob, accountRecordId: number, at: Instant): NewNotification {
  return {
    queueName: QueueName.PAYMENT_RETRY,
    accountRecordId,
    effectiveDate: at,
    payload: { attemptId: job.attemptId, paymentId: job.paymentId, invoiceId: job.invoiceId },
    uniqueKey: retryKey(job.attemptId),
  };
}

/** Returns the notification that releases a hold. A hold has at most one such notification in the queue. */
export function releaseNotification(hold: AutoPayHold, at: Instant): NewNotification {
  return {
    queueName: QueueName.PAYMENT_RETRY,
    accountRecordId: hold.accountRecordId,
    effectiveDate: at,
    payload: { holdId: hold.id, invoiceId: hold.invoiceId },
    uniqueKey: `payment-hold:${hold.id}`,
  };
}

/** Parses a recovery job. @throws InvariantError for an invalid payload. */
export function readRecoveryJob(payload: EventPayload): RecoveryJob {
  const { status, check: number } = payload;
  const check = Number(number);
  const isOpen = status === 'UNKNOWN' || status === 'PENDING';
  if (!isOpen || !Number.isSafeInteger(check) || check < 0) {
    const message = 'A recovery notification must name an open status and a check number';
    throw new InvariantError(message, { payload });
  }
  const paymentId = uuidOf(payload, 'paymentId');
  return { paymentId, transactionId: uuidOf(payload, 'transactionId'), status, check };
}

/** Parses the retry job of an invoice payment. @throws BillingError or InvariantError for an invalid payload. */
export function readInvoiceRetryJob(payload: EventPayload): InvoiceRetryJob {
  return {
    attemptId: uuidOf(payload, 'attemptId'),
    paymentId: uuidOf(payload, 'paymentId'),
    invoiceId: uuidOf(payload, 'invoiceId'),
  };
}

/** Parses a retry job. @throws BillingError or InvariantError for an invalid payload. */
export function readRetryJob(payload: EventPayload): RetryJob {
  return {
    attemptId: uuidOf(payload, 'attemptId'),
    paymentId: payload.paymentId == null ? null : uuidOf(payload, 'paymentId'),
    invoiceId: payload.invoiceId == null ? null : uuidOf(payload, 'invoiceId'),
  };
}

/**
 * Returns an id from a payload.
 * @throws BillingError INVALID_PARAMETER or InvariantError if the field contains no id.
 */
export function uuidOf(payload: EventPayload, member: string): Uuid {
  const value = payload[member];
  if (typeof value !== 'string') throw new InvariantError(`A queue payload lacks "${member}"`, { payload });
  return parseUuid(value);
}

type JanitorConfig = Pick<PaymentConfig, 'janitorUnknownDelaysMs' | 'janitorPendingDelaysMs'>;

/**
 * A planned check that queries the gateway about a transaction in this status. `check` is the number of the check,
 * starting at 0.
 */
export interface JanitorCheck {
  readonly status: OpenStatus;
  readonly check: number;
  readonly at: Instant;
}

/**
 * Returns check number `check` of a transaction in `status`, based on the time `from` (§7.2 rule 1). The delay of check
 * 0 starts when the status is set. The delay of each later check starts at the previous check. Returns null after the
 * last delay.
 */
export function janitorCheck(
  { status, check, from }: { readonly status: OpenStatus; readonly check: number; readonly from: Instant },
  config: JanitorConfig,
): JanitorCheck | null {
  const { janitorUnknownDelaysMs, janitorPendingDelaysMs } = config;
  const delays = status === 'UNKNOWN' ? janitorUnknownDelaysMs : janitorPendingDelaysMs;
  const delayMs = delays[check];
  return delayMs === undefined ? null : { status, check, at: addMilliseconds(from, delayMs) };
}

/** Returns the next check of the transaction. A change of status starts a new series of checks. */
export function checkAfter(
  done: { readonly status: OpenStatus; readonly check: number },
  { status, now }: { readonly status: OpenStatus; readonly now: Instant },
  config: JanitorConfig,
): JanitorCheck | null {
  const check = done.status === status ? done.check + 1 : 0;
  return janitorCheck({ status, check, from: now }, config);
}

/** Returns the first check of a transaction after the end of its lease. */
export function checkAfterLease(
  { status, leaseUntil }: Pick<PaymentTransaction, 'leaseUntil'> & { readonly status: OpenStatus },
  now: Instant,
  config: JanitorConfig,
): JanitorCheck | null {
  return janitorCheck({ status, check: 0, from: maxInstant(now, leaseUntil ?? now) }, config);
}

// These are the payloads of payment events.
// The payloads contain ids, `metaData` for pushes (platform §10.4), and whether the API requested the payment.

/** Returns the event for a payment: PAYMENT_SUCCESS for SUCCESS and PENDING, PAYMENT_FAILED for all other statuses. */
export function paymentEvent(
  payment: Pick<Payment, 'id' | 'accountId' | 'accountRecordId'>,
  transaction: PaymentTransaction,
  isApiPayment: boolean,
): NewBusEvent {
  const { status } = transaction;
  const succeeded = status === 'SUCCESS' || status === 'PENDING';
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

/** Returns the event that reports the effect of a payment on its invoice (§9.4). */
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

/**
 * Returns the event that reports an automatic payment that could not start. Overdue processing uses this event (§9.2
 * rule 7).
 */
export function noPaymentEvent(input: {
  readonly accountId: Uuid;
  readonly invoiceId: Uuid;
  readonly currency: Currency;
  readonly now: Instant;
  readonly attempt: Omit<PaymentAttempt, 'recordId'>;
}): NewBusEvent {
  const { attempt, invoiceId, currency, now } = input;
  const { accountRecordId, transactionExternalKey } = attempt;
  const row = {
    accountRecordId,
    invoiceId,
    type: InvoicePaymentType.ATTEMPT,
    status: InvoicePaymentStatus.INIT,
    paymentId: null,
    paymentDate: now,
    amount: ZERO,
    currency,
    processedCurrency: currency,
    transactionExternalKey,
    linkedInvoicePaymentId: null,
    createdDate: now,
  };
  const type = BusEventType.INVOICE_PAYMENT_FAILED;
  return invoicePaymentEvent({ type, accountId: input.accountId, row, attempt });
}

/** Returns the internal event that reports an outcome that is still open after the last check (§7.2 rule 5). */
export function unresolvedEvent(
  { id: paymentId, accountId, accountRecordId }: Pick<Payment, 'id' | 'accountId' | 'accountRecordId'>,
  { id: paymentTransactionId, status }: Pick<PaymentTransaction, 'id' | 'status'>,
): NewBusEvent {
  const payload = { accountId, paymentId, paymentTransactionId, status };
  return { type: BusEventType.PAYMENT_UNRESOLVED, accountRecordId, payload };
}
