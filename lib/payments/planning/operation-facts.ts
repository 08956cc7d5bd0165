import type { PaymentGateway } from '../../ports/index.ts';
import {
  type Account,
  type InvoicePayment,
  isUnresolved,
  type Payment,
  type PaymentMethod,
  type PaymentTransaction,
  type PluginProperty,
  TransactionStatus,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  type Currency,
  type Decimal,
  formatDecimal,
  statedAmount,
  sum,
  ZERO,
} from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import {
  checkDisputable,
  checkRefundable,
  isRowOf,
  type PaidRows,
  paidRowOf,
  refundRemainderOf,
  remainderOf,
} from '../state/invoice-remainder.ts';
import {
  badParameter,
  noPaymentOfKey,
  noSuchPayment,
  paymentOfOther,
  transactionOfOther,
} from '../state/payment-errors.ts';
import {
  currencyOf,
  isFirstOperation,
  type OperationTable,
  type PaymentOperation,
  paymentTotals,
  refundable,
} from '../state/payment-state.ts';

export interface OperationFacts {
  readonly account: Account;
  readonly payment: Payment | null;
  readonly transactions: readonly PaymentTransaction[];
  /** The tenant's transactions with the requested key. */
  readonly keyTransactions: readonly PaymentTransaction[];
  /** The invoice payments of the payment, including refunds and chargebacks. */
  readonly rows: readonly InvoicePayment[];
  /** Open refunds of invoice payments of the account. Loaded only for operations that return money. */
  readonly openInvoiceRefunds: readonly PaymentTransaction[];
  readonly method: PaymentMethod | null;
}

export interface OperationRules {
  readonly now: Instant;
  readonly gateways: ReadonlyMap<string, PaymentGateway>;
  readonly allowsOverRefund: boolean;
  /** True if the caller's amounts may contain binary floating-point errors. Defaults to false. */
  readonly roundsFloatNoise?: boolean | undefined;
  /** The tenant's own operation tables by plugin name (§3.1). */
  readonly stateMachines: ReadonlyMap<string, OperationTable>;
  /** True if a control plugin can still select the payment method of a new payment (§4.1). */
  readonly awaitsMethod?: boolean;
}

/** A requested operation on a payment (§4.1). Missing values are null. */
export interface OperationRequest {
  readonly operation: PaymentOperation;
  /** The account of the payment, or null if the payment identifies the account. */
  readonly accountId: Uuid | null;
  readonly paymentId: Uuid | null;
  readonly paymentExternalKey: string | null;
  readonly transactionExternalKey: string | null;
  readonly paymentMethodId: Uuid | null;
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  readonly effectiveDate: Instant | null;
  readonly properties: readonly PluginProperty[];
  /** The tenant's transactions that have the requested transaction key, and their payments. */
  readonly controlPlugins: readonly string[] | null;
}

export interface KeyedPayments {
  readonly byId: Payment | undefined;
  readonly byKey: Payment | undefined;
  /** The tenant's transactions with the transaction key, and their payments. */
  readonly transactions: readonly PaymentTransaction[];
  readonly payments: readonly Payment[];
}

type PaymentReference = Pick<
  OperationRequest,
  'operation' | 'accountId' | 'paymentId' | 'paymentExternalKey' | 'transactionExternalKey'
>;

/**
 * Returns the payment by its id, its key, or the key of a transaction (§4.1 rules 2 and 3). Null for a new payment.
 * @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020), PAYMENT_DIFFERENT_ACCOUNT_ID (7034),
 * PAYMENT_TRANSACTION_DIFFERENT_ACCOUNT_ID (7035), PAYMENT_INTERNAL_ERROR (7019) if failed transactions of several
 * payments have the key, PAYMENT_INVALID_PARAMETER (7031) if an operation on an existing payment does not identify
 * the payment.
 */
export function findRequestedPayment(request: PaymentReference, found: KeyedPayments): Payment | null {
  const payment = namedPayment(request, found);
  const accountId = request.accountId ?? payment?.accountId ?? null;
  if (payment !== null && payment.accountId !== accountId) throw paymentOfOther(payment.id, accountId);
  checkTransactionsOf(accountId, payment, found);
  return payment;
}

function namedPayment(request: PaymentReference, found: KeyedPayments) {
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
    throw badParameter('paymentId', 'or paymentExternalKey is required to identify the payment');
  }
  const payment = ofTransactions(transactionExternalKey, found);
  if (payment === null && !isFirst) throw noPaymentOfKey(transactionExternalKey);
  return payment;
}

/**
 * Returns the payment of a transaction that has not failed. Without such a transaction, returns the only payment with
 * failed transactions.
 */
function ofTransactions(key: string, { transactions, payments }: KeyedPayments) {
  const deciding = transactions.filter(({ status }) => !failed.has(status));
  const ids = new Set((deciding.length > 0 ? deciding : transactions).map(({ paymentId }) => paymentId));
  const [first, second] = payments.filter(({ id }) => ids.has(id));
  if (second !== undefined) {
    const message = `Several payments have transactions with the external key "${key}"; name the payment`;
    throw billingError(ErrorCode.PAYMENT_INTERNAL_ERROR, message, { transactionExternalKey: key });
  }
  return first ?? null;
}

const failed: ReadonlySet<TransactionStatus> = new Set([
  TransactionStatus.PAYMENT_FAILURE,
  TransactionStatus.PLUGIN_FAILURE,
]);

function checkTransactionsOf(accountId: Uuid | null, payment: Payment | null, found: KeyedPayments) {
  const stranger = found.payments.find((each) => each.accountId !== accountId);
  if (accountId !== null && stranger && stranger.id !== payment?.id) throw transactionOfOther(accountId);
}

export interface OperationAmount {
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
}

export type AmountRules = Pick<OperationRules, 'allowsOverRefund' | 'roundsFloatNoise'>;

const NONE: OperationAmount = { amount: null, currency: null };

/**
 * Returns the currency and amount of an operation (§4.3).
 * @throws BillingError PAYMENT_INVALID_PARAMETER (7031), MISSING_OR_INVALID_FIELD (60003) for too many digits.
 */
export function checkAmount(
  request: OperationRequest,
  facts: OperationFacts,
  rules: AmountRules,
): OperationAmount {
  const { operation } = request;
  if (operation === 'VOID' || operation === 'CHARGEBACK_REVERSAL') return NONE;
  const currency = request.currency ?? facts.account.currency;
  if (currency === null) throw lacksCurrency();
  const paid = currencyOf(facts.transactions);
  if (paid !== null && paid !== currency && operation !== 'CHARGEBACK') {
    throw badParameter('currency', `is ${currency}, but the payment is in ${paid}`, { currency });
  }
  const amount = checkRequestedAmount(request, facts, rules);
  if (amount === null) throw badParameter('amount', 'is needed');
  checkSign(amount, operation);
  if (operation === 'REFUND') checkRefund({ amount, currency }, facts, rules);
  if (operation === 'CHARGEBACK') checkChargeback({ amount, currency }, facts);
  return { amount, currency };
}

/**
 * Returns the requested amount after checking its number of digits (rule 8).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for too many digits.
 */
export function checkRequestedAmount(
  request: OperationRequest,
  facts: OperationFacts,
  { roundsFloatNoise }: Pick<OperationRules, 'roundsFloatNoise'>,
): Decimal | null {
  const { operation, amount } = request;
  const currency = request.currency ?? facts.account.currency;
  if (amount === null || currency === null) return amount;
  return statedAmount(amount, { currency, roundsFloatNoise, rest: restOf(operation, currency, facts) });
}

export function lacksCurrency(): BillingError {
  return badParameter('currency', 'is required, because the account has none');
}

/** Checks that an amount is positive. Only an authorization may have the amount 0 (rule 2). */
export function checkSign(amount: Decimal, operation: OperationRequest['operation']): void {
  const least = operation === 'AUTHORIZE' ? 'must not be negative' : 'must be more than 0';
  if (amount.isNegative() || (amount.isZero() && operation !== 'AUTHORIZE'))
    throw badParameter('amount', least);
}

/**
 * Checks a refund according to rule 5. For an invoice payment, the limit is the remaining ledger balance (§9.5 rule 1).
 */
export function checkRefund(
  asked: { readonly amount: Decimal; readonly currency: Currency | null },
  facts: OperationFacts,
  { allowsOverRefund }: Pick<OperationRules, 'allowsOverRefund'>,
): void {
  const paid = paidRows(facts);
  if (paid !== null) {
    checkRefundable(asked, paid);
    return;
  }
  const most = refundable(facts.transactions).minus(openRefunds(facts.transactions));
  if (allowsOverRefund || asked.amount.lessThanOrEqualTo(most)) return;
  throw badParameter('amount', `is more than the ${formatDecimal(most)} that can be refunded`);
}

/**
 * Returns the invoice payment and all rows that may reverse it. Returns null if the payment does not pay an invoice.
 */
export function paidRows({ rows, transactions, openInvoiceRefunds }: OperationFacts): PaidRows | null {
  const paid = paidRowOf(rows);
  return paid ? { paid, rows, transactions: [...transactions, ...openInvoiceRefunds] } : null;
}

/**
 * Returns the maximum amount that an operation can return to the customer. It may have more digits than the currency.
 */
function restOf(operation: OperationRequest['operation'], currency: Currency, facts: OperationFacts) {
  if (operation !== 'REFUND' && operation !== 'CHARGEBACK') return null;
  const paid = paidRows(facts);
  if (paid !== null) return operation === 'REFUND' ? refundRemainderOf(paid, currency) : remainderOf(paid);
  return refundable(facts.transactions).minus(openRefunds(facts.transactions));
}

function openRefunds(transactions: readonly PaymentTransaction[]) {
  const open = transactions.filter((each) => each.transactionType === 'REFUND' && isUnresolved(each));
  return sum(open.map(({ amount }) => amount ?? ZERO));
}

/**
 * Checks a chargeback according to rule 6. For an invoice payment, the limit is the remaining ledger balance (§9.5 rule
 * 3).
 */
function checkChargeback(
  { amount, currency }: { readonly amount: Decimal; readonly currency: Currency },
  facts: OperationFacts,
) {
  const paid = paidRows(facts);
  if (paid !== null) {
    checkDisputable({ amount, currency }, paid);
    return;
  }
  const totals = paymentTotals(facts.transactions);
  if (totals.currency !== currency) return;
  const most = totals.capturedAmount.plus(totals.purchasedAmount);
  if (amount.lessThanOrEqualTo(most)) return;
  throw badParameter('amount', `is more than the ${formatDecimal(most)} that can be charged back`);
}

interface Completing {
  readonly pending: PaymentTransaction;
  readonly facts: OperationFacts;
  readonly rules: AmountRules;
}

/**
 * Returns the amount for the gateway in a completion. Null means the stored amount (§4.3 rule 7). An operation that
 * returns money may not exceed the amount that is refundable without its transaction. For an invoice payment in
 * another currency, only the stored amount is allowed.
 * @throws BillingError PAYMENT_INVALID_PARAMETER (7031), MISSING_OR_INVALID_FIELD (60003) for too many digits, and
 * for an invoice payment INVOICE_REFUND_AMOUNT_TOO_HIGH (4906).
 */
export function operationAmount(
  { amount: asked, currency }: OperationAmount,
  { pending, facts, rules }: Completing,
): OperationAmount {
  const { transactionType: type, invoiceRefund } = pending;
  if (type === 'VOID') return { amount: null, currency: null };
  const returnsMoney = type === 'REFUND' || invoiceRefund !== null;
  const row = paysRow(pending, facts);
  const isBound = returnsMoney || !isFirstOperation(type) || row !== undefined;
  if (isBound && currency !== null && currency !== pending.currency)
    throw badParameter('currency', `is ${currency}, but the transaction is in ${pending.currency}`);
  const amount = asked && checkCompletionAmount(asked, currency ?? pending.currency, { pending, rules });
  if (amount === null) return { amount, currency };
  // The amount in the invoice's currency that control plugins approved (§9.4) applies only to the transaction's stored
  // amount.
  if (row !== undefined && row.currency !== pending.currency && pending.amount?.equals(amount) !== true)
    throw badParameter('amount', `must equal the stored amount, because the invoice is in ${row.currency}`);
  const isOfNothing = amount.isZero() && pending.amount?.isZero() === true;
  if (!isOfNothing) checkSign(amount, type);
  const isMore = pending.amount === null || amount.greaterThan(pending.amount);
  if (returnsMoney && isMore) checkMore(amount, { pending, facts, rules });
  return { amount, currency };
}

/** Returns the requested amount. An amount that equals the stored amount may have any number of digits. */
function checkCompletionAmount(
  amount: Decimal,
  currency: OperationAmount['currency'],
  { pending: { amount: rest }, rules: { roundsFloatNoise } }: Pick<Completing, 'pending' | 'rules'>,
) {
  return currency === null ? amount : statedAmount(amount, { currency, roundsFloatNoise, rest });
}

/** Returns the transaction's invoice payment row, or undefined if the transaction does not pay an invoice. */
function paysRow(pending: PaymentTransaction, { rows }: OperationFacts) {
  if (pending.transactionType !== 'PURCHASE') return undefined;
  return rows.find((row) => row.type === 'ATTEMPT' && isRowOf(row, pending));
}

function checkMore(amount: Decimal, { pending, facts, rules }: Completing) {
  if (pending.transactionType === 'REFUND') {
    const isOther = ({ id }: PaymentTransaction) => id !== pending.id;
    const { transactions, openInvoiceRefunds } = facts;
    const others = {
      ...facts,
      transactions: transactions.filter(isOther),
      openInvoiceRefunds: openInvoiceRefunds.filter(isOther),
    };
    checkRefund({ amount, currency: pending.currency }, others, rules);
    return;
  }
  // The remaining refundable amount of the other payment is not known here.
  const most = formatDecimal(pending.amount ?? amount);
  throw badParameter('amount', `is more than the original amount, ${most}`);
}
