import { balanceOf } from '../../invoicing/index.ts';
import {
  type Account,
  type Invoice,
  type InvoicePayment,
  isUnresolved,
  type Payment,
  type PaymentAttempt,
  type PaymentMethod,
  type PaymentTransaction,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, formatDecimal, sum, ZERO } from '../../values/money/index.ts';
import { shortenText } from '../../values/text/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { atLeastNothing, isRowOf } from '../state/invoice-remainder.ts';
import {
  badParameter,
  paymentOfOther,
  succeededKeyError,
  transactionOfOther,
} from '../state/payment-errors.ts';
import type { ApiPayment, KeyedRecords, ReservationFacts } from './reservation.ts';

type AbortReason =
  | 'NOT_COMMITTED'
  | 'DELEGATED_TO_PARENT'
  | 'NOTHING_DUE'
  | 'NOTHING_ASKED'
  | 'NO_PAYMENT_METHOD'
  | 'UNRESOLVED_TRANSACTION'
  | 'RESERVED_BY_PENDING';

export type InvoicePaymentDecision =
  | { readonly kind: 'PAY'; readonly amount: Decimal; readonly method: PaymentMethod }
  | { readonly kind: 'ABORT'; readonly reason: AbortReason }
  /** A tag of the account holds automatic payments. */
  | { readonly kind: 'HOLD'; readonly amount: Decimal }
  /** A call for this invoice is running. The check must be repeated later. */
  | { readonly kind: 'WAIT'; readonly leaseUntil: Instant };

export interface InvoicePaymentCheckInput {
  readonly account: Pick<Account, 'parentAccountId' | 'isPaymentDelegatedToParent'>;
  readonly invoice: Invoice;
  readonly method: PaymentMethod | null;
  readonly requestedAmount: Decimal | null;
  readonly isApiPayment: boolean;
  /** If true, rejects a payment of more than the balance. If false, reduces the payment to the balance (rule 5). */
  readonly refusesExcess: boolean;
  /** True if the account has the tag AUTO_PAY_OFF or MANUAL_PAY. */
  readonly isHeldBack: boolean;
  /** Payment rows of this invoice. The transactions of their payments are included. */
  readonly rows: readonly InvoicePayment[];
  readonly transactions: readonly PaymentTransaction[];
  readonly allowEmptyInvoice: boolean;
  readonly now: Instant;
}

/**
 * Checks a PURCHASE on an invoice in the order of §9.2. The caller first repairs `lostSuccesses` (rule 2), then passes
 * the invoice with the resulting balance.
 * @throws BillingError PAYMENT_PLUGIN_EXCEPTION (7199) for an API payment of more than the balance (rule 5).
 */
export function checkInvoicePayment(input: InvoicePaymentCheckInput): InvoicePaymentDecision {
  const { invoice, account } = input;
  if (invoice.status !== 'COMMITTED') return abort('NOT_COMMITTED');
  const isDelegated = account.isPaymentDelegatedToParent && account.parentAccountId !== null;
  if (isDelegated || invoice.parentInvoiceId !== null || invoice.contributedAmount !== null) {
    return abort('DELEGATED_TO_PARENT');
  }
  const balance = balanceOf(invoice);
  if (balance.lessThanOrEqualTo(ZERO) && !input.allowEmptyInvoice) return abort('NOTHING_DUE');
  const amount = effectiveAmount(input, atLeastNothing(balance));
  if (isNothing(amount) && balance.greaterThan(ZERO)) return abort('NOTHING_ASKED');
  if (input.isHeldBack && !input.isApiPayment) return { kind: 'HOLD', amount };
  if (input.method === null) return abort('NO_PAYMENT_METHOD');
  return checkOpenTransactions(input, amount, input.method);
}

/**
 * Checks the amount.
 * @throws BillingError PAYMENT_INVALID_PARAMETER (7031) for 0, unless the invoice is empty and the tenant allows it
 * (§4.3 rule 2).
 */
export function checkRequestedAmount(
  amount: Decimal | null,
  { invoice, allowEmptyInvoice }: Pick<InvoicePaymentCheckInput, 'invoice' | 'allowEmptyInvoice'>,
): void {
  if (amount === null || !isNothing(amount)) return;
  const isEmpty = allowEmptyInvoice && atLeastNothing(balanceOf(invoice)).equals(amount);
  if (!isEmpty) throw badParameter('amount', 'must be more than 0');
}

function isNothing(amount: Decimal) {
  return amount.lessThanOrEqualTo(ZERO);
}

/** Returns the amount to charge. It is the requested amount, limited to the balance (§9.2 rule 5). */
function effectiveAmount(input: InvoicePaymentCheckInput, balance: Decimal) {
  const requested = input.requestedAmount;
  if (requested === null || requested.equals(balance)) return balance;
  if (requested.lessThan(balance)) return requested;
  if (!input.refusesExcess) return balance;
  throw billingError(
    ErrorCode.PAYMENT_PLUGIN_EXCEPTION,
    `Amount ${formatDecimal(requested)} is more than the balance ${formatDecimal(balance)} ` +
      `of invoice ${input.invoice.id}`,
    { invoiceId: input.invoice.id, amount: formatDecimal(requested), balance: formatDecimal(balance) },
  );
}

/** Checks for running calls, unknown outcomes, and amounts that PENDING payments reserve (rule 8). */
function checkOpenTransactions(
  input: InvoicePaymentCheckInput,
  amount: Decimal,
  method: PaymentMethod,
): InvoicePaymentDecision {
  const { transactions, now } = input;
  for (const { leaseUntil } of transactions)
    if (leaseUntil !== null && leaseUntil > now) return { kind: 'WAIT', leaseUntil };
  if (transactions.some(({ status }) => status === 'UNKNOWN')) return abort('UNRESOLVED_TRANSACTION');
  const pending = transactions.filter(
    ({ status, transactionType }) => status === 'PENDING' && transactionType === 'PURCHASE',
  );
  if (pending.length === 0) return { kind: 'PAY', amount, method };
  const reserved = sum(pending.map((transaction) => findReservedAmount(transaction, input.rows)));
  const payable = balanceOf(input.invoice).minus(reserved);
  if (payable.lessThanOrEqualTo(ZERO)) return abort('RESERVED_BY_PENDING');
  return { kind: 'PAY', amount: payable.lessThan(amount) ? payable : amount, method };
}

/**
 * Returns the amount that a pending payment will settle. It is in the invoice's currency if the payment's row contains
 * that amount (§9.4).
 */
function findReservedAmount(transaction: PaymentTransaction, rows: readonly InvoicePayment[]) {
  const row = rows.find((each) => each.type === 'ATTEMPT' && isRowOf(each, transaction));
  if (row?.status === 'PENDING') return row.amount;
  return transaction.amount ?? ZERO;
}

function abort(reason: AbortReason): InvoicePaymentDecision {
  return { kind: 'ABORT', reason };
}

/** A payment whose transactions have all failed and that is now retried (§4.2). */
export interface FailedPayment {
  readonly payment: Payment;
  /** The attempt that is retried with the same key, or null if the payment gets a new key. */
  readonly origin: PaymentAttempt | null;
}

export interface OpenPayment {
  readonly payment: Payment;
  readonly transaction: PaymentTransaction;
}

/** Returns the failed payment of this invoice that has the given key. Returns null if a new payment must be created. */
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

/** Returns the payment of this invoice that has an open transaction with the given key, or null. */
export function openPaymentOf(
  { paymentKey, transactionKey }: ApiPayment,
  { payments, transactions }: ReservationFacts,
): OpenPayment | null {
  const transaction = transactions.find(
    (each) =>
      each.externalKey === transactionKey && each.transactionType === 'PURCHASE' && isUnresolved(each),
  );
  const payment = payments.find(({ id }) => id === transaction?.paymentId);
  if (!transaction || !payment || (paymentKey ?? payment.externalKey) !== payment.externalKey) return null;
  return { payment, transaction };
}

/**
 * Checks that no other account uses the keys (§4.1 rule 3).
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

/** Checks that the keys are unused. @throws BillingError for a key that is already used (§4.2). */
export function checkKeysAreFree(
  { paymentKey, transactionKey }: ApiPayment,
  { payments, transactions }: KeyedRecords,
): void {
  checkTransactionKeyIsFree({ transactionKey }, { transactions });
  if (payments.some(({ externalKey }) => externalKey === paymentKey))
    throw keyInUseError('paymentExternalKey', paymentKey ?? '');
}

/** Checks that no other transaction has the key. @throws BillingError if the key is already used. */
export function checkTransactionKeyIsFree(
  { transactionKey }: Pick<ApiPayment, 'transactionKey'>,
  { transactions }: Pick<KeyedRecords, 'transactions'>,
): void {
  const ofKey = transactions.filter(({ externalKey }) => externalKey === transactionKey);
  const succeeded = ofKey.find(({ status }) => status === 'SUCCESS');
  if (succeeded) throw succeededKeyError(succeeded);
  if (ofKey[0]) throw keyInUseError('transactionExternalKey', ofKey[0].externalKey);
}

export function noDefaultMethod(accountId: Uuid): BillingError {
  const message = `Account ${accountId} has no default payment method, and the payment names none`;
  return billingError(ErrorCode.PAYMENT_NO_DEFAULT_PAYMENT_METHOD, message, { accountId });
}

function hasFailed({ status }: PaymentTransaction) {
  return status === 'PAYMENT_FAILURE' || status === 'PLUGIN_FAILURE';
}

function keyInUseError(parameter: string, key: string) {
  const message = `${parameter} "${shortenText(key)}" is already used by another payment; choose a different key`;
  return billingError(ErrorCode.PAYMENT_INVALID_PARAMETER, message, { parameter, key });
}
