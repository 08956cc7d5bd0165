import type { PaymentGateway } from '../../ports/index.ts';
import {
  type Account,
  type InvoicePayment,
  type Payment,
  type PaymentMethod,
  type PaymentTransaction,
  type PluginProperty,
  TransactionStatus,
} from '../../records/index.ts';
import { ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import {
  badParameter,
  noPaymentOfKey,
  noSuchPayment,
  paymentError,
  paymentOfOther,
  transactionOfOther,
} from '../state/payment-errors.ts';
import { isFirstOperation, type OperationTable, type PaymentOperation } from '../state/payment-state.ts';

/** All that an operation is decided on. */
export interface OperationFacts {
  readonly account: Account;
  /** Null = a new one. */
  readonly payment: Payment | null;
  /** Of the payment, in creation order. */
  readonly transactions: readonly PaymentTransaction[];
  /** Of the tenant, with the key that is asked for. */
  readonly keyTransactions: readonly PaymentTransaction[];
  /** What the payment has paid of invoices, and what was taken back. */
  readonly rows: readonly InvoicePayment[];
  /** Of the account, refunds of invoices' payments whose outcome is open; empty where nothing is to be taken back. */
  readonly openInvoiceRefunds: readonly PaymentTransaction[];
  /** The method of the payment, or the one that a new payment is to be made with. */
  readonly method: PaymentMethod | null;
}

export interface OperationRules {
  readonly now: Instant;
  readonly gateways: ReadonlyMap<string, PaymentGateway>;
  readonly allowsOverRefund: boolean;
  /** Whether the caller's amounts may carry noise of binary floating point; default false. */
  readonly roundsFloatNoise?: boolean | undefined;
  /** The tenant's own tables of operations, by plugin name (§3.1). */
  readonly stateMachines: ReadonlyMap<string, OperationTable>;
  /** True: control plugins are still to be asked, one of which may name the method of a new payment (§4.1). */
  readonly awaitsMethod?: boolean;
}

/** One operation on a payment, as it is asked for (§4.1): what is not given is null. */
export interface OperationRequest {
  readonly operation: PaymentOperation;
  /** Whose payment it is to be; null where the payment says so. */
  readonly accountId: Uuid | null;
  readonly paymentId: Uuid | null;
  readonly paymentExternalKey: string | null;
  readonly transactionExternalKey: string | null;
  readonly paymentMethodId: Uuid | null;
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  readonly effectiveDate: Instant | null;
  readonly properties: readonly PluginProperty[];
  /** Control plugins by name, in their order; null = those of the tenant (§2.3 rule 9). */
  readonly controlPlugins: readonly string[] | null;
}

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
    throw paymentError(
      ErrorCode.PAYMENT_INTERNAL_ERROR,
      `Several payments have transactions with the external key "${key}"; name the payment`,
      { transactionExternalKey: key },
    );
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
