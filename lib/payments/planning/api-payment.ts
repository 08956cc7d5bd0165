import {
  isUnresolved,
  type Payment,
  type PaymentAttempt,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import { type BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortened } from '../../values/text/index.ts';
import { paymentError, paymentOfOther, transactionOfOther } from '../state/payment-errors.ts';
import type { ApiPayment, KeyedRecords, ReservationFacts } from './reservation-facts.ts';

/** A payment whose transactions have all failed: it is tried again (§4.2). */
export interface FailedPayment {
  readonly payment: Payment;
  /** The run that is repeated under its key; null = the payment goes on under a key of its own. */
  readonly origin: PaymentAttempt | null;
}

/** A payment whose transaction has no outcome yet. */
export interface OpenPayment {
  readonly payment: Payment;
  readonly transaction: PaymentTransaction;
}

/** The failed payment of this invoice that has a key that is given; null = a new one is made. */
export function failedPaymentOf(
  { paymentKey, transactionKey }: ApiPayment,
  { payments, transactions, attempts, rows }: ReservationFacts,
): FailedPayment | null {
  const payment =
    payments.find(({ externalKey }) => externalKey === paymentKey) ??
    payments.find(({ id }) =>
      transactions.some((each) => each.paymentId === id && each.externalKey === transactionKey),
    );
  if (!payment || transactions.some((each) => each.paymentId === payment.id && !hasFailed(each))) return null;
  const tried = new Set(
    rows.flatMap((row) => (row.paymentId === payment.id ? row.transactionExternalKey : [])),
  );
  const origin = attempts.findLast(
    (attempt) =>
      attempt.paymentExternalKey === payment.externalKey &&
      tried.has(attempt.transactionExternalKey) &&
      (transactionKey === null || attempt.transactionExternalKey === transactionKey),
  );
  return { payment, origin: origin ?? null };
}

/**
 * The payment of this invoice that is asked for once more under the key of its transaction while the outcome of that is
 * open; null = none is. With the key of another payment it is not the same one.
 */
export function openPaymentOf(
  { paymentKey, transactionKey }: ApiPayment,
  { payments, transactions }: ReservationFacts,
): OpenPayment | null {
  const transaction = transactions.find(
    (each) =>
      each.externalKey === transactionKey &&
      each.transactionType === TransactionType.PURCHASE &&
      isUnresolved(each),
  );
  const payment = payments.find(({ id }) => id === transaction?.paymentId);
  if (!transaction || !payment || (paymentKey ?? payment.externalKey) !== payment.externalKey) return null;
  return { payment, transaction };
}

/**
 * A key leads to what its own account has only (§4.1 rule 3).
 * @throws BillingError PAYMENT_DIFFERENT_ACCOUNT_ID (7034), PAYMENT_TRANSACTION_DIFFERENT_ACCOUNT_ID (7035).
 */
export function checkKeysAreOwn(
  { paymentKey, transactionKey }: ApiPayment,
  { account, keyed: { payments, transactions } }: Pick<ReservationFacts, 'account' | 'keyed'>,
): void {
  const payment = payments.find(({ externalKey }) => externalKey === paymentKey);
  if (payment && payment.accountId !== account.id) throw paymentOfOther(payment.id, account.id);
  const stranger = transactions.find(
    ({ externalKey, accountRecordId }) =>
      externalKey === transactionKey && accountRecordId !== account.recordId,
  );
  if (!stranger) return;
  throw paymentKey === null ? paymentOfOther(stranger.paymentId, account.id) : transactionOfOther(account.id);
}

/** @throws BillingError for a key that something else has (§4.2). */
export function checkKeysAreFree(
  { paymentKey, transactionKey }: ApiPayment,
  { payments, transactions }: KeyedRecords,
): void {
  checkTransactionKeyIsFree({ transactionKey }, { transactions });
  if (payments.some(({ externalKey }) => externalKey === paymentKey)) {
    throw taken('paymentExternalKey', paymentKey ?? '');
  }
}

/** @throws BillingError for a transaction's key that another transaction has. */
export function checkTransactionKeyIsFree(
  { transactionKey }: Pick<ApiPayment, 'transactionKey'>,
  { transactions }: Pick<KeyedRecords, 'transactions'>,
): void {
  const ofKey = transactions.filter(({ externalKey }) => externalKey === transactionKey);
  const [first] = ofKey;
  const succeeded = ofKey.find(({ status }) => status === TransactionStatus.SUCCESS);
  if (succeeded) {
    throw paymentError(
      ErrorCode.PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS,
      `Transaction ${succeeded.id} with this external key has succeeded already`,
      { transactionId: succeeded.id, paymentId: succeeded.paymentId },
    );
  }
  if (first) throw taken('transactionExternalKey', first.externalKey);
}

export function noDefaultMethod(accountId: Uuid): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_NO_DEFAULT_PAYMENT_METHOD,
    `Account ${accountId} has no default payment method, and the payment names none`,
    { accountId },
  );
}

function hasFailed({ status }: PaymentTransaction): boolean {
  return status === TransactionStatus.PAYMENT_FAILURE || status === TransactionStatus.PLUGIN_FAILURE;
}

function taken(parameter: string, key: string): BillingError {
  return paymentError(
    ErrorCode.PAYMENT_INVALID_PARAMETER,
    `${parameter} "${shortened(key)}" is used by another payment already`,
    { parameter, key },
  );
}
