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
  TransactionStatus,
} from '../../records/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import { parseUuid, type Uuid } from '../../values/ids/index.ts';
import { type Currency, ZERO } from '../../values/money/index.ts';
import { addMilliseconds, formatInstant, type Instant, maxInstant } from '../../values/time/index.ts';
import type { PaymentConfig } from './payment-config.ts';

/** What a recovery notification asks for: check number `check` of a transaction that was in `status`. */
export interface RecoveryJob {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly status: OpenStatus;
  readonly check: number;
}

/** What a retry notification asks for: repeat this attempt. */
export interface RetryJob {
  readonly attemptId: Uuid;
  /** Null where no payment was made. */
  readonly paymentId: Uuid | null;
  /** Null of a payment that pays no invoice. */
  readonly invoiceId: Uuid | null;
}

/** One of an automatic payment of an invoice. */
export interface InvoiceRetryJob extends RetryJob {
  readonly paymentId: Uuid;
  readonly invoiceId: Uuid;
}

/** One live recovery notification per transaction. */
export function recoveryKey(transactionId: Uuid): string {
  return `payment-janitor:${transactionId}`;
}

/** One live retry notification per attempt. */
export function retryKey(attemptId: Uuid): string {
  return `payment-retry:${attemptId}`;
}

export function recoveryNotification(
  transaction: { readonly id: Uuid; readonly paymentId: Uuid; readonly accountRecordId: number },
  check: JanitorCheck,
): NewNotification {
  return {
    queueName: QueueName.PAYMENT_JANITOR,
    accountRecordId: transaction.accountRecordId,
    effectiveDate: check.at,
    payload: {
      paymentId: transaction.paymentId,
      transactionId: transaction.id,
      status: check.status,
      check: check.check,
    },
    uniqueKey: recoveryKey(transaction.id),
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

/** One live release notification per hold. */
export function releaseNotification(hold: AutoPayHold, at: Instant): NewNotification {
  return {
    queueName: QueueName.PAYMENT_RETRY,
    accountRecordId: hold.accountRecordId,
    effectiveDate: at,
    payload: { holdId: hold.id, invoiceId: hold.invoiceId },
    uniqueKey: `payment-hold:${hold.id}`,
  };
}

/** @throws InvariantError if the payload is not one of ours. */
export function readRecoveryJob(payload: EventPayload): RecoveryJob {
  const { status, check: number } = payload;
  const check = Number(number);
  const isOpen = status === TransactionStatus.UNKNOWN || status === TransactionStatus.PENDING;
  if (!isOpen || !Number.isSafeInteger(check) || check < 0) {
    throw new InvariantError('A recovery notification must name an open status and a check number', {
      payload,
    });
  }
  return {
    paymentId: uuidOf(payload, 'paymentId'),
    transactionId: uuidOf(payload, 'transactionId'),
    status,
    check,
  };
}

/** @throws BillingError or InvariantError if the payload is not one of ours. */
export function readInvoiceRetryJob(payload: EventPayload): InvoiceRetryJob {
  return {
    attemptId: uuidOf(payload, 'attemptId'),
    paymentId: uuidOf(payload, 'paymentId'),
    invoiceId: uuidOf(payload, 'invoiceId'),
  };
}

/** The attempt that an operation retry runs again. @throws BillingError or InvariantError as above. */
export function readRetryJob(payload: EventPayload): RetryJob {
  return {
    attemptId: uuidOf(payload, 'attemptId'),
    paymentId: payload.paymentId == null ? null : uuidOf(payload, 'paymentId'),
    invoiceId: payload.invoiceId == null ? null : uuidOf(payload, 'invoiceId'),
  };
}

/**
 * The id in that member of the payload.
 * @throws BillingError INVALID_PARAMETER or InvariantError if there is none.
 */
export function uuidOf(payload: EventPayload, member: string): Uuid {
  const value = payload[member];
  if (typeof value !== 'string') throw new InvariantError(`A queue payload lacks "${member}"`, { payload });
  return parseUuid(value);
}

type JanitorConfig = Pick<PaymentConfig, 'janitorUnknownDelaysMs' | 'janitorPendingDelaysMs'>;

/** A planned question to the gateway: the n-th check (from 0) of a transaction in that status. */
export interface JanitorCheck {
  readonly status: OpenStatus;
  readonly check: number;
  readonly at: Instant;
}

/**
 * The check number `check` of a transaction in `status`, counted from `from` (§7.2 rule 1); null if the list of delays
 * has ended and the transaction stays as it is. Check 0 follows the moment in which the status was recorded, check n the
 * n-th check that changed nothing.
 */
export function janitorCheck(
  input: { readonly status: OpenStatus; readonly check: number; readonly from: Instant },
  config: JanitorConfig,
): JanitorCheck | null {
  const delays =
    input.status === TransactionStatus.UNKNOWN
      ? config.janitorUnknownDelaysMs
      : config.janitorPendingDelaysMs;
  const delayMs = delays[input.check];
  if (delayMs === undefined) return null;
  return { status: input.status, check: input.check, at: addMilliseconds(input.from, delayMs) };
}

/**
 * The check after one that left the transaction in `status`: the next in that status's list; a new status begins its own
 * list.
 */
export function checkAfter(
  done: { readonly status: OpenStatus; readonly check: number },
  { status, now }: { readonly status: OpenStatus; readonly now: Instant },
  config: JanitorConfig,
): JanitorCheck | null {
  const check = done.status === status ? done.check + 1 : 0;
  return janitorCheck({ status, check, from: now }, config);
}

/** The first check of a transaction whose call may still be running: after its lease. */
export function checkAfterLease(
  { status, leaseUntil }: Pick<PaymentTransaction, 'leaseUntil'> & { readonly status: OpenStatus },
  now: Instant,
  config: JanitorConfig,
): JanitorCheck | null {
  return janitorCheck({ status, check: 0, from: maxInstant(now, leaseUntil ?? now) }, config);
}

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
