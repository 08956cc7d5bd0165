import { type PaymentGateway, PluginStatus } from '../../ports/index.ts';
import {
  InvoicePaymentType,
  type InvoiceRefund,
  isUnresolved,
  type PaymentMethod,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { CallOutcome } from '../claims/gateway-claims.ts';
import { badParameter, noSuchMethod, paymentError, registeredGateway } from '../state/payment-errors.ts';
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
  type OperationAmount,
  type OperationFacts,
  type OperationRequest,
  type OperationRules,
  statedIn,
  toldAmount,
} from './operation-facts.ts';
import { checkOffers } from './reservation.ts';

export type OperationPlan =
  | { readonly kind: 'WAIT' }
  /** A transaction waits for its outcome: it is asked for again (§4.2, §6.1), or has been told (§6.2). */
  | {
      readonly kind: 'COMPLETE';
      readonly transaction: PaymentTransaction;
      /** Null where the outcome is told: nobody is asked. */
      readonly gateway: PaymentGateway | null;
      /** What the gateway is told instead of what is stored (§4.3 rule 7). */
      readonly told: OperationAmount;
      readonly outcome?: CallOutcome;
    }
  /** What is to be completed has succeeded already (§6.1 rule 2). */
  | { readonly kind: 'SETTLED'; readonly transaction: PaymentTransaction }
  | NewOperation;

export interface NewOperation {
  readonly kind: 'NEW';
  /** Null: control plugins are still to be asked for one. */
  readonly method: Pick<PaymentMethod, 'id'> | null;
  readonly gateway: PaymentGateway | null;
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  readonly invoiceRefund?: InvoiceRefund | null;
  /** True: it is only recorded, as a failure. */
  readonly isRefused?: boolean;
}

/** Transactions that a deleted payment method still serves (§2.1 rule 4). */
const servedByDeleted: ReadonlySet<PaymentOperation> = new Set<PaymentOperation>([
  'REFUND',
  'VOID',
  'CHARGEBACK',
  'CHARGEBACK_REVERSAL',
  'CAPTURE',
]);

/**
 * Decides what a request becomes (§4.1 rule 5): keys, state machine, payment method, currency and amount; writes
 * nothing.
 * @throws BillingError for each rule that refuses it.
 */
export function planOperation(
  request: OperationRequest,
  facts: OperationFacts,
  rules: OperationRules,
): OperationPlan {
  // What pays an invoice begins and is repeated by the invoice (§9.2), which would not hear of it here.
  const paysInvoice = facts.rows.some(({ type: row }) => row === InvoicePaymentType.ATTEMPT);
  if (paysInvoice && isFirstOperation(request.operation)) throw notAllowed(request.operation, facts.payment);
  const known = planByKey(request, facts, rules);
  if (known !== null) return known;
  const { operation } = request;
  const type = typeOf(operation);
  const table = rules.stateMachines.get(facts.method?.pluginName ?? '');
  const isReversal = operation === 'CHARGEBACK_REVERSAL';
  if (isReversal) checkReversible(request, facts);
  // Whatever has come after it, a chargeback that stands may be won (§3.1).
  if (table !== undefined || !isReversal)
    checkMayStart(operation, facts.payment, { transactions: facts.transactions, table });
  if (rules.awaitsMethod && methodIdOf(request, facts) === null)
    return { kind: 'NEW', method: null, gateway: null, ...checkAmount(request, facts, rules) };
  const method = usableMethod(request, facts, { deletedToo: servedByDeleted.has(operation) });
  const gateway = type === TransactionType.CHARGEBACK ? null : gatewayOf(method, type, rules);
  return { kind: 'NEW', method, gateway, ...checkAmount(request, facts, rules) };
}

/**
 * What its transaction's key alone says of a request (§4.2), before anything else of it is looked at: that it is done
 * already or is under way, or that a transaction of the payment waits for its outcome; null = it is a new one.
 * @throws BillingError PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS (7030), PAYMENT_INVALID_OPERATION (7032) and
 * PAYMENT_INVALID_PARAMETER (7031) as the table of §4.2 says; for the rest as `toldAmount`.
 */
export function planByKey(
  request: OperationRequest,
  facts: OperationFacts,
  rules: OperationRules,
): Extract<OperationPlan, { kind: 'WAIT' | 'COMPLETE' }> | null {
  if (facts.transactions.some((each) => isLeased(each, rules.now))) return { kind: 'WAIT' };
  const pending = pendingOfKey(request, facts);
  checkMethodOfPayment(request, facts);
  if (pending === null) return null;
  const method = usableMethod(request, facts, { deletedToo: true });
  return {
    kind: 'COMPLETE',
    transaction: pending,
    gateway: gatewayOf(method, pending.transactionType, rules),
    told: toldAmount(request, { pending, facts, rules }),
  };
}

/** The method of a payment is fixed by its first transaction (§1.3): another one is not charged in its place. */
function checkMethodOfPayment(
  { operation, paymentMethodId }: OperationRequest,
  { payment }: OperationFacts,
): void {
  if (payment === null || paymentMethodId === null || !isFirstOperation(operation)) return;
  const fixed = payment.paymentMethodId;
  if (paymentMethodId === fixed) return;
  throw badParameter('paymentMethodId', `must be ${fixed}, with which the payment was begun`);
}

/** What a transaction of the same key means (§4.2); the one that is to be completed, or null. */
function pendingOfKey(request: OperationRequest, facts: OperationFacts): PaymentTransaction | null {
  const key = request.transactionExternalKey;
  if (key === null) return null;
  const type = typeOf(request.operation);
  for (const each of facts.keyTransactions) checkKey(each, request, facts);
  const own = facts.keyTransactions.filter(({ paymentId }) => paymentId === facts.payment?.id);
  const latest = own.at(-1) ?? facts.keyTransactions.at(-1);
  if (latest === undefined) return null;
  if (latest.transactionType !== type) {
    throw badParameter('transactionType', `is ${latest.transactionType} of the transaction with this key`, {
      transactionId: latest.id,
    });
  }
  if (latest.status !== TransactionStatus.PENDING) return null;
  if (latest.paymentId === facts.payment?.id) return latest;
  throw badParameter('transactionExternalKey', 'belongs to a pending transaction of another payment', {
    transactionId: latest.id,
  });
}

function checkKey(each: PaymentTransaction, { operation }: OperationRequest, facts: OperationFacts): void {
  if (each.status === TransactionStatus.UNKNOWN) throw notAllowed(operation, facts.payment);
  const stands =
    each.transactionType === TransactionType.CHARGEBACK
      ? operation === 'CHARGEBACK' && activeChargeback(facts.keyTransactions, each.externalKey) === each
      : each.status === TransactionStatus.SUCCESS;
  if (!stands) return;
  throw paymentError(
    ErrorCode.PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS,
    `Transaction ${each.id} with this external key has succeeded already`,
    { transactionId: each.id, paymentId: each.paymentId },
  );
}

/** @throws BillingError PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024) unless a chargeback of the key stands (§3.2). */
function checkReversible({ transactionExternalKey: key }: OperationRequest, facts: OperationFacts): void {
  if (key !== null && activeChargeback(facts.transactions, key) !== null) return;
  throw paymentError(
    ErrorCode.PAYMENT_NO_SUCH_SUCCESS_PAYMENT,
    'No chargeback with this transactionExternalKey stands on the payment',
    { paymentId: facts.payment?.id ?? null, transactionExternalKey: key },
  );
}

/** The method of the payment, or that of a new one. @throws BillingError PAYMENT_NO_SUCH_PAYMENT_METHOD (7000). */
export function usableMethod(
  request: Pick<OperationRequest, 'paymentMethodId'>,
  facts: OperationFacts,
  { deletedToo }: { readonly deletedToo: boolean },
): PaymentMethod {
  const { method, account } = facts;
  const id = methodIdOf(request, facts);
  if (id === null)
    throw badParameter('paymentMethodId', 'is needed: the account has no default payment method');
  if (method === null || method.accountId !== account.id) throw noSuchMethod(id);
  if (!method.isActive && !deletedToo) throw noSuchMethod(id);
  return method;
}

function methodIdOf(
  { paymentMethodId }: Pick<OperationRequest, 'paymentMethodId'>,
  { payment, account }: Pick<OperationFacts, 'payment' | 'account'>,
): Uuid | null {
  return payment?.paymentMethodId ?? paymentMethodId ?? account.paymentMethodId;
}

/** @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_EXCEPTION (7199) if it lacks the operation. */
export function gatewayOf(
  method: PaymentMethod,
  type: TransactionType,
  rules: OperationRules,
): PaymentGateway {
  const gateway = registeredGateway(rules.gateways, method.pluginName);
  checkOffers(gateway, type);
  return gateway;
}

/** Open transactions that a gateway should be asked about before anything else is decided (§4.1 rule 4). */
export function openOf(
  facts: Pick<OperationFacts, 'transactions'>,
  now: Instant,
): readonly PaymentTransaction[] {
  return facts.transactions.filter((each) => isUnresolved(each) && !isLeased(each, now));
}

/** Which transaction of a payment is to be completed; what is not given is null. */
export interface CompletionChoice {
  readonly transactionId: Uuid | null;
  readonly transactionExternalKey: string | null;
  readonly transactionType: TransactionType | null;
}

/**
 * Which transaction a completion is about (§6.1 rules 1 and 2).
 * @throws BillingError PAYMENT_INVALID_PARAMETER (7031) when none or several fit, and as `toldAmount`.
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
  const [pending, another] = fitting.filter(({ status }) => status === TransactionStatus.PENDING);
  if (another !== undefined)
    throw badParameter('transactionId', 'is needed: several transactions are pending');
  if (pending === undefined) {
    const settled = fitting.findLast(({ status }) => status === TransactionStatus.SUCCESS);
    if (settled === undefined)
      throw badParameter('transactionId', 'is needed: no such transaction is pending');
    return { kind: 'SETTLED', transaction: settled };
  }
  const method = usableMethod({ paymentMethodId: null }, facts, { deletedToo: true });
  return {
    kind: 'COMPLETE',
    transaction: pending,
    gateway: gatewayOf(method, pending.transactionType, rules),
    told: toldAmount(told, { pending, facts, rules }),
  };
}

/** How a gateway has told, by another way, that a transaction has ended. */
export interface NotifiedOutcome {
  readonly transactionId: Uuid;
  readonly hasSucceeded: boolean;
}

/**
 * A transaction whose outcome is told (§6.2): SUCCESS for the amount that is stored, or PAYMENT_FAILURE.
 * @throws BillingError PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024) unless it is pending.
 */
export function planNotified(
  { transactionId, hasSucceeded }: NotifiedOutcome,
  { transactions }: OperationFacts,
  { now }: OperationRules,
): OperationPlan {
  if (transactions.some((each) => isLeased(each, now))) return { kind: 'WAIT' };
  const transaction = transactions.find(({ id }) => id === transactionId);
  if (transaction?.status !== TransactionStatus.PENDING) {
    throw paymentError(
      ErrorCode.PAYMENT_NO_SUCH_SUCCESS_PAYMENT,
      `Transaction ${transactionId} is not pending on this payment`,
      { transactionId },
    );
  }
  const told = { amount: null, currency: null };
  const status = hasSucceeded ? PluginStatus.PROCESSED : PluginStatus.ERROR;
  return {
    kind: 'COMPLETE',
    transaction,
    gateway: null,
    told,
    outcome: ownOutcome(transaction, now, { status }),
  };
}

/** A chargeback of more than what is left, as a failed transaction that changes nothing (http-api §4 line 15). */
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
    const amount = statedIn(request, facts, rules);
    return { kind: 'NEW', method, gateway: null, amount, currency, isRefused: true };
  }
}
