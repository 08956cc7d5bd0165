import { type PaymentGateway, PluginStatus } from '../../ports/index.ts';
import {
  type InvoiceRefund,
  isUnresolved,
  type PaymentMethod,
  type PaymentTransaction,
  type TransactionType,
} from '../../records/index.ts';
import { BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { CallOutcome } from '../claims/gateway-claims.ts';
import { badParameter, noSuchMethod, registeredGateway, succeededKeyError } from '../state/payment-errors.ts';
import {
  activeChargeback,
  checkMayStart,
  isFirstOperation,
  isLeased,
  notAllowed,
  type PaymentOperation,
  typeOf,
} from '../state/payment-state.ts';
import { ownOutcome } from '../state/transaction-outcome.ts';
import {
  checkAmount,
  checkRequestedAmount,
  type OperationAmount,
  type OperationFacts,
  type OperationRequest,
  type OperationRules,
  operationAmount,
} from './operation-facts.ts';
import { checkOffers } from './reservation.ts';

export type OperationPlan =
  | { readonly kind: 'WAIT' }
  /** The transaction is pending. Query its outcome (§4.2, §6.1), or record the outcome that was reported (§6.2). */
  | {
      readonly kind: 'COMPLETE';
      readonly transaction: PaymentTransaction;
      /** The gateway to query, or null if the outcome has already been reported. */
      readonly gateway: PaymentGateway | null;
      /** The amount sent to the gateway. It may differ from the stored amount (§4.3 rule 7). */
      readonly told: OperationAmount;
      readonly outcome?: CallOutcome;
    }
  /** The transaction that should be completed has already succeeded (§6.1 rule 2). */
  | { readonly kind: 'SETTLED'; readonly transaction: PaymentTransaction }
  | NewOperation;

export interface NewOperation {
  readonly kind: 'NEW';
  /** The payment method, or null if none is selected yet. A control plugin can still select one. */
  readonly method: Pick<PaymentMethod, 'id'> | null;
  readonly gateway: PaymentGateway | null;
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  readonly invoiceRefund?: InvoiceRefund | null;
  /** True if the operation is recorded as a failure without a gateway call. */
  readonly isRefused?: boolean;
}

/** Operations that a deleted payment method still allows (§2.1 rule 4). */
const servedByDeleted: ReadonlySet<PaymentOperation> = new Set<PaymentOperation>([
  'REFUND',
  'VOID',
  'CHARGEBACK',
  'CHARGEBACK_REVERSAL',
  'CAPTURE',
]);

/**
 * Plans an operation according to its key, the state machine, payment method, currency and amount (§4.1 rule 5). Writes
 * nothing.
 * @throws BillingError for each rule that rejects the operation.
 */
export function planOperation(
  request: OperationRequest,
  facts: OperationFacts,
  rules: OperationRules,
): OperationPlan {
  // Invoice payments are started and retried through the invoice (§9.2).
  const paysInvoice = facts.rows.some(({ type: row }) => row === 'ATTEMPT');
  if (paysInvoice && isFirstOperation(request.operation)) throw notAllowed(request.operation, facts.payment);
  const known = planByKey(request, facts, rules);
  if (known !== null) return known;
  const { operation } = request;
  const type = typeOf(operation);
  const table = rules.stateMachines.get(facts.method?.pluginName ?? '');
  const isReversal = operation === 'CHARGEBACK_REVERSAL';
  if (isReversal) checkReversible(request, facts);
  // An unreversed chargeback can be reversed after any later transaction (§3.1).
  if (table !== undefined || !isReversal)
    checkMayStart(operation, facts.payment, { transactions: facts.transactions, table });
  if (rules.awaitsMethod && methodIdOf(request, facts) === null)
    return { kind: 'NEW', method: null, gateway: null, ...checkAmount(request, facts, rules) };
  const method = usableMethod(request, facts, { deletedToo: servedByDeleted.has(operation) });
  const gateway = type === 'CHARGEBACK' ? null : gatewayOf(method, type, rules);
  return { kind: 'NEW', method, gateway, ...checkAmount(request, facts, rules) };
}

/**
 * Plans an operation based only on the key of its transaction (§4.2), if that transaction has ended, is running, or is
 * pending. Returns null for a new transaction.
 * @throws BillingError PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS (7030), PAYMENT_INVALID_OPERATION (7032),
 * PAYMENT_INVALID_PARAMETER (7031) according to the table in §4.2; the errors of `operationAmount`.
 */
export function planByKey(
  request: OperationRequest,
  facts: OperationFacts,
  rules: OperationRules,
): Extract<OperationPlan, { kind: 'WAIT' | 'COMPLETE' }> | null {
  if (facts.transactions.some((each) => isLeased(each, rules.now))) return { kind: 'WAIT' };
  const pending = findPendingByKey(request, facts);
  checkMethodOfPayment(request, facts);
  if (pending === null) return null;
  const method = usableMethod(request, facts, { deletedToo: true });
  return {
    kind: 'COMPLETE',
    transaction: pending,
    gateway: gatewayOf(method, pending.transactionType, rules),
    told: operationAmount(request, { pending, facts, rules }),
  };
}

/** Checks the method. All transactions of a payment use the method of its first transaction (§1.3). */
function checkMethodOfPayment({ operation, paymentMethodId }: OperationRequest, { payment }: OperationFacts) {
  if (payment === null || paymentMethodId === null || !isFirstOperation(operation)) return;
  const fixed = payment.paymentMethodId;
  if (paymentMethodId === fixed) return;
  throw badParameter('paymentMethodId', `must be ${fixed}, the payment method that the payment started with`);
}

/** Returns the pending transaction with the request's key, or null (§4.2). */
function findPendingByKey(request: OperationRequest, facts: OperationFacts) {
  const key = request.transactionExternalKey;
  if (key === null) return null;
  const type = typeOf(request.operation);
  for (const each of facts.keyTransactions) checkKey(each, request, facts);
  const own = facts.keyTransactions.filter(({ paymentId }) => paymentId === facts.payment?.id);
  const latest = own.at(-1) ?? facts.keyTransactions.at(-1);
  if (latest === undefined) return null;
  const { id: transactionId } = latest;
  if (latest.transactionType !== type) {
    const why = `must be ${latest.transactionType}, the type of the transaction with this key`;
    throw badParameter('transactionType', why, { transactionId });
  }
  if (latest.status !== 'PENDING') return null;
  if (latest.paymentId === facts.payment?.id) return latest;
  const why = 'belongs to a pending transaction of another payment';
  throw badParameter('transactionExternalKey', why, { transactionId });
}

function checkKey(each: PaymentTransaction, { operation }: OperationRequest, facts: OperationFacts) {
  if (each.status === 'UNKNOWN') throw notAllowed(operation, facts.payment);
  const stands =
    each.transactionType === 'CHARGEBACK'
      ? operation === 'CHARGEBACK' && activeChargeback(facts.keyTransactions, each.externalKey) === each
      : each.status === 'SUCCESS';
  if (!stands) return;
  throw succeededKeyError(each);
}

/**
 * Checks that a chargeback can be reversed.
 * @throws BillingError PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024) if no unreversed chargeback has the key (§3.2).
 */
function checkReversible({ transactionExternalKey: key }: OperationRequest, facts: OperationFacts) {
  if (key !== null && activeChargeback(facts.transactions, key) !== null) return;
  throw billingError(
    ErrorCode.PAYMENT_NO_SUCH_SUCCESS_PAYMENT,
    'The payment has no unreversed chargeback with this transactionExternalKey',
    { paymentId: facts.payment?.id ?? null, transactionExternalKey: key },
  );
}

/**
 * Returns the method of the payment or, for a new payment, the requested method.
 * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_METHOD (7000).
 */
export function usableMethod(
  request: Pick<OperationRequest, 'paymentMethodId'>,
  facts: OperationFacts,
  { deletedToo }: { readonly deletedToo: boolean },
): PaymentMethod {
  const { method, account } = facts;
  const id = methodIdOf(request, facts);
  if (id === null)
    throw badParameter('paymentMethodId', 'is required, because the account has no default payment method');
  if (method === null || method.accountId !== account.id) throw noSuchMethod(id);
  if (!method.isActive && !deletedToo) throw noSuchMethod(id);
  return method;
}

function methodIdOf(
  { paymentMethodId }: Pick<OperationRequest, 'paymentMethodId'>,
  { payment, account }: Pick<OperationFacts, 'payment' | 'account'>,
) {
  return payment?.paymentMethodId ?? paymentMethodId ?? account.paymentMethodId;
}

/**
 * Returns the gateway.
 * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028) if it is not registered, PAYMENT_PLUGIN_EXCEPTION (7199)
 * if it does not support the operation.
 */
export function gatewayOf(
  method: PaymentMethod,
  type: TransactionType,
  rules: OperationRules,
): PaymentGateway {
  const gateway = registeredGateway(rules.gateways, method.pluginName);
  checkOffers(gateway, type);
  return gateway;
}

/** Returns the open transactions whose outcomes must be queried first (§4.1 rule 4). */
export function openOf(
  facts: Pick<OperationFacts, 'transactions'>,
  now: Instant,
): readonly PaymentTransaction[] {
  return facts.transactions.filter((each) => isUnresolved(each) && !isLeased(each, now));
}

/** Selects the transaction to complete. A null field matches any value. */
export interface CompletionChoice {
  readonly transactionId: Uuid | null;
  readonly transactionExternalKey: string | null;
  readonly transactionType: TransactionType | null;
}

/**
 * Plans the completion of a transaction (§6.1 rules 1 and 2).
 * @throws BillingError PAYMENT_INVALID_PARAMETER (7031) if not exactly one transaction matches; the errors of
 * `operationAmount`.
 */
export function planCompletion(
  { choice, told }: { readonly choice: CompletionChoice; readonly told: OperationAmount },
  facts: OperationFacts,
  rules: OperationRules,
): OperationPlan {
  if (facts.transactions.some((each) => isLeased(each, rules.now))) return { kind: 'WAIT' };
  const fitting = facts.transactions.filter(
    (each) =>
      (choice.transactionId ?? each.id) === each.id &&
      (choice.transactionExternalKey ?? each.externalKey) === each.externalKey &&
      (choice.transactionType ?? each.transactionType) === each.transactionType,
  );
  const [pending, another] = fitting.filter(({ status }) => status === 'PENDING');
  if (another !== undefined)
    throw badParameter('transactionId', 'is required, because several transactions are pending');
  if (pending === undefined) {
    const settled = fitting.findLast(({ status }) => status === 'SUCCESS');
    if (settled === undefined) throw badParameter('transactionId', 'does not name a pending transaction');
    return { kind: 'SETTLED', transaction: settled };
  }
  const method = usableMethod({ paymentMethodId: null }, facts, { deletedToo: true });
  return {
    kind: 'COMPLETE',
    transaction: pending,
    gateway: gatewayOf(method, pending.transactionType, rules),
    told: operationAmount(told, { pending, facts, rules }),
  };
}

/** The outcome of a transaction that a gateway reported asynchronously. */
export interface NotifiedOutcome {
  readonly transactionId: Uuid;
  readonly hasSucceeded: boolean;
}

/**
 * Plans how to record the outcome that a caller reports for a transaction (§6.2). The outcome is SUCCESS for the stored
 * amount, or PAYMENT_FAILURE.
 * @throws BillingError PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024) if the transaction is not pending.
 */
export function planNotified(
  { transactionId, hasSucceeded }: NotifiedOutcome,
  { transactions }: OperationFacts,
  { now }: OperationRules,
): OperationPlan {
  if (transactions.some((each) => isLeased(each, now))) return { kind: 'WAIT' };
  const transaction = transactions.find(({ id }) => id === transactionId);
  if (transaction?.status !== 'PENDING') {
    const message = `Transaction ${transactionId} is not pending on this payment`;
    throw billingError(ErrorCode.PAYMENT_NO_SUCH_SUCCESS_PAYMENT, message, { transactionId });
  }
  const told = { amount: null, currency: null };
  const status = hasSucceeded ? PluginStatus.PROCESSED : PluginStatus.ERROR;
  const outcome = ownOutcome(transaction, { status });
  return { kind: 'COMPLETE', transaction, gateway: null, told, outcome };
}

/** Plans an excessive chargeback as a failed transaction that has no effect (http-api §4 line 15). */
export function planRefusedChargeback(
  request: OperationRequest,
  facts: OperationFacts,
  rules: OperationRules,
): OperationPlan {
  try {
    return planOperation(request, facts, rules);
  } catch (error) {
    const isExcess =
      error instanceof BillingError && error.code === ErrorCode.INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH;
    const method = facts.method;
    if (!isExcess || method === null) throw error;
    const currency = request.currency ?? facts.account.currency;
    const amount = checkRequestedAmount(request, facts, rules);
    return { kind: 'NEW', method, gateway: null, amount, currency, isRefused: true };
  }
}
