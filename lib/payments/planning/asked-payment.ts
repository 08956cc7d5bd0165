import { type Payment, type PaymentTransaction, TransactionStatus } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  badParameter,
  noPaymentOfKey,
  noSuchPayment,
  paymentOfOther,
  transactionOfOther,
} from '../state/payment-errors.ts';
import { isFirstOperation } from '../state/payment-state.ts';
import type { OperationRequest } from './operation-request.ts';

/** What the id and the keys of a request lead to. */
export interface KeyedPayments {
  readonly byId: Payment | undefined;
  readonly byKey: Payment | undefined;
  /** Transactions of the tenant with the transaction's key, and their payments. */
  readonly transactions: readonly PaymentTransaction[];
  readonly payments: readonly Payment[];
}

type Asked = Pick<
  OperationRequest,
  'operation' | 'accountId' | 'paymentId' | 'paymentExternalKey' | 'transactionExternalKey'
>;

/**
 * The payment that is meant (§4.1 rules 2 and 3): by its id, else by its key, else by the key of a transaction; null =
 * a new one.
 * @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020), PAYMENT_DIFFERENT_ACCOUNT_ID (7034),
 * PAYMENT_TRANSACTION_DIFFERENT_ACCOUNT_ID (7035), PAYMENT_INTERNAL_ERROR (7019) when failed transactions of several
 * payments have the key, PAYMENT_INVALID_PARAMETER (7031) without any of them where one is needed.
 */
export function askedPayment(request: Asked, found: KeyedPayments): Payment | null {
  const payment = namedPayment(request, found);
  const accountId = request.accountId ?? payment?.accountId ?? null;
  if (payment !== null && payment.accountId !== accountId) throw paymentOfOther(payment.id, accountId);
  checkTransactionsOf(accountId, { payment, found });
  return payment;
}

function namedPayment(request: Asked, found: KeyedPayments): Payment | null {
  const { paymentId, paymentExternalKey, transactionExternalKey, operation } = request;
  if (paymentId !== null) {
    if (found.byId === undefined) throw noSuchPayment(paymentId);
    return found.byId;
  }
  const isFirst = isFirstOperation(operation);
  if (paymentExternalKey !== null) {
    if (found.byKey === undefined && !isFirst) throw noPaymentOfKey(paymentExternalKey);
    return found.byKey ?? null;
  }
  if (transactionExternalKey === null) {
    if (isFirst) return null;
    throw badParameter('paymentId', 'or paymentExternalKey is needed to know the payment');
  }
  const payment = ofTransactions(transactionExternalKey, found);
  if (payment === null && !isFirst) throw noPaymentOfKey(transactionExternalKey);
  return payment;
}

/** A transaction that is not failed decides, else the one payment that holds failed ones. */
function ofTransactions(key: string, { transactions, payments }: KeyedPayments): Payment | null {
  const deciding = transactions.filter(({ status }) => !failed.has(status));
  const ids = new Set((deciding.length > 0 ? deciding : transactions).map(({ paymentId }) => paymentId));
  const [first, second] = payments.filter(({ id }) => ids.has(id));
  if (second !== undefined) {
    throw new BillingError({
      code: ErrorCode.PAYMENT_INTERNAL_ERROR,
      message: `Several payments have transactions with the external key "${key}"; name the payment`,
      facts: { transactionExternalKey: key },
    });
  }
  return first ?? null;
}

const failed: ReadonlySet<TransactionStatus> = new Set([
  TransactionStatus.PAYMENT_FAILURE,
  TransactionStatus.PLUGIN_FAILURE,
]);

function checkTransactionsOf(
  accountId: Uuid | null,
  { payment, found }: { readonly payment: Payment | null; readonly found: KeyedPayments },
): void {
  if (accountId === null) return;
  const stranger = found.payments.find((each) => each.accountId !== accountId);
  if (stranger === undefined || stranger.id === payment?.id) return;
  throw transactionOfOther(accountId);
}
