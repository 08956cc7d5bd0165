import {
  isUnresolved,
  type Payment,
  type PaymentTransaction,
  type TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import { type Currency, type Decimal, roundToCurrency, sum, ZERO } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** An operation on a payment: one of the transaction types, or the reversal of a chargeback. */
export type PaymentOperation = TransactionType | 'CHARGEBACK_REVERSAL';

const statePrefix = {
  AUTHORIZE: 'AUTH',
  CAPTURE: 'CAPTURE',
  PURCHASE: 'PURCHASE',
  REFUND: 'REFUND',
  CREDIT: 'CREDIT',
  VOID: 'VOID',
  CHARGEBACK: 'CHARGEBACK',
} as const satisfies Readonly<Record<TransactionType, string>>;

const stateSuffix = {
  SUCCESS: 'SUCCESS',
  PENDING: 'PENDING',
  PAYMENT_FAILURE: 'FAILED',
  PLUGIN_FAILURE: 'ERRORED',
  UNKNOWN: 'ERRORED',
  PAYMENT_SYSTEM_OFF: 'ERRORED',
} as const satisfies Readonly<Record<TransactionStatus, string>>;

export type StateNameOf<P extends string> = `${P}_${(typeof stateSuffix)[TransactionStatus]}`;
export type PaymentStateName = Exclude<
  StateNameOf<(typeof statePrefix)[TransactionType]>,
  'CHARGEBACK_PENDING'
>;

/** The states of payments (§1.1). A chargeback is never pending. */
export const paymentStateNames = Object.values(statePrefix)
  .flatMap((prefix) =>
    [...new Set(Object.values(stateSuffix))].map((suffix) => `${prefix}_${suffix}` as const),
  )
  .filter((name) => name !== 'CHARGEBACK_PENDING');
export const PaymentStateName = Object.fromEntries(paymentStateNames.map((name) => [name, name])) as {
  readonly [N in PaymentStateName]: N;
};

const firstOperations: readonly PaymentOperation[] = ['AUTHORIZE', 'PURCHASE', 'CREDIT'];

/** Returns the type of the transaction that an operation creates. */
export function typeOf(operation: PaymentOperation): TransactionType {
  return operation === 'CHARGEBACK_REVERSAL' ? TransactionType.CHARGEBACK : operation;
}

/** Returns the name of the state in which the state machine of a transaction type begins. */
export function initialStateOf(type: TransactionType): string {
  return `${statePrefix[type]}_INIT`;
}

/**
 * Returns true if an operation may start after the last successful state. Null means that there is no such state
 * (§3.1).
 */
export type OperationTable = (lastSuccessStateName: string | null, operation: PaymentOperation) => boolean;

/** Returns true if the operation can begin a payment (§3.1). */
export function isFirstOperation(operation: PaymentOperation): boolean {
  return firstOperations.includes(operation);
}

/** The operations that may start, by `lastSuccessStateName` (§3.1). */
const operationsAfter = new Map<string, readonly PaymentOperation[]>([
  ['AUTH_SUCCESS', ['CAPTURE', 'VOID']],
  ['CAPTURE_SUCCESS', ['CAPTURE', 'REFUND', 'CHARGEBACK']],
  ['PURCHASE_SUCCESS', ['REFUND', 'CHARGEBACK']],
  ['REFUND_SUCCESS', ['REFUND', 'CHARGEBACK']],
  ['CHARGEBACK_SUCCESS', ['CHARGEBACK', 'CHARGEBACK_REVERSAL']],
  ['CHARGEBACK_FAILED', ['REFUND', 'CHARGEBACK']],
  ['CREDIT_SUCCESS', []],
  ['VOID_SUCCESS', []],
]);

export interface StartFacts {
  readonly transactions: readonly Pick<PaymentTransaction, 'transactionType' | 'status'>[];
  /** The tenant's own operation table. Defaults to the engine's table. */
  readonly table?: OperationTable | undefined;
}

const ownTable: OperationTable = (lastSuccessStateName, operation) => {
  if (lastSuccessStateName === null) return firstOperations.includes(operation);
  return operationsAfter.get(lastSuccessStateName)?.includes(operation) ?? false;
};

/**
 * Returns true if `operation` may start on a payment with these transactions (§3.1). A PENDING transaction can always
 * be completed. A tenant's table replaces the engine's table, but open transactions always block operations.
 */
export function mayStart(
  operation: PaymentOperation,
  lastSuccessStateName: string | null,
  { transactions, table = ownTable }: StartFacts,
): boolean {
  const open = transactions.filter(isUnresolved).map(({ transactionType }) => transactionType);
  if (open.some(isFirstOperation)) return false;
  if (open.some((type) => listBlockedOperations(type).includes(operation))) return false;
  return table(lastSuccessStateName, operation);
}

/** Returns the operations that are blocked while a capture or void of the payment is open. */
function listBlockedOperations(open: TransactionType): readonly PaymentOperation[] {
  if (open === 'CAPTURE') return [TransactionType.VOID];
  return open === 'VOID' ? [TransactionType.VOID, TransactionType.CAPTURE] : [];
}

/** Checks that the operation may start. @throws BillingError PAYMENT_INVALID_OPERATION (7032) if it may not. */
export function checkMayStart(
  operation: PaymentOperation,
  payment: Pick<Payment, 'id' | 'stateName' | 'lastSuccessStateName'> | null,
  facts: StartFacts,
): void {
  if (mayStart(operation, payment?.lastSuccessStateName ?? null, facts)) return;
  throw notAllowed(operation, payment);
}

export function notAllowed(
  operation: PaymentOperation,
  payment: Pick<Payment, 'id' | 'stateName'> | null,
): BillingError {
  const state = payment?.stateName ?? 'its initial state';
  const which = payment === null ? 'a new payment' : `payment ${payment.id}`;
  return billingError(
    ErrorCode.PAYMENT_INVALID_OPERATION,
    `${operation} is not allowed on ${which} in ${state}`,
    { operation, paymentId: payment?.id ?? null, stateName: payment?.stateName ?? null },
  );
}

/** Returns the payment's state after a transaction of this type and status (§3.2). */
export function stateNameOf({
  transactionType,
  status,
}: Pick<PaymentTransaction, 'transactionType' | 'status'>): string {
  return `${statePrefix[transactionType]}_${stateSuffix[status]}`;
}

/**
 * Returns the payment's state names after a transaction (§3.2). A failed CHARGEBACK without an amount records a
 * reversal. A failed CHARGEBACK with an amount was rejected, so the last successful state does not change.
 */
export function paymentStateAfter(
  transaction: Pick<PaymentTransaction, 'transactionType' | 'status' | 'amount'>,
  lastSuccessStateName: string | null,
): { readonly stateName: string; readonly lastSuccessStateName: string | null } {
  const stateName = stateNameOf(transaction);
  const isReversal = stateName === 'CHARGEBACK_FAILED' && transaction.amount === null;
  const succeeded = transaction.status === 'SUCCESS' || isReversal;
  return { stateName, lastSuccessStateName: succeeded ? stateName : lastSuccessStateName };
}

/** Returns true if the lease of the call expired before an outcome was recorded (§5.3 rule 3). */
export function hasLapsed(transaction: Pick<PaymentTransaction, 'leaseUntil'>, now: Instant): boolean {
  return transaction.leaseUntil !== null && !isLeased(transaction, now);
}

/** Returns true if a call for the transaction may still be running (§5.1 rule 1). */
export function isLeased({ leaseUntil }: Pick<PaymentTransaction, 'leaseUntil'>, now: Instant): boolean {
  return leaseUntil !== null && leaseUntil > now;
}

/**
 * Totals of a payment, computed from its transactions. PENDING transactions are never included. `currency` is null
 * while no transaction has a currency.
 */
export interface PaymentTotals {
  readonly authAmount: Decimal;
  readonly capturedAmount: Decimal;
  readonly purchasedAmount: Decimal;
  readonly refundedAmount: Decimal;
  readonly creditedAmount: Decimal;
  readonly currency: Currency | null;
}

type Counted = Pick<
  PaymentTransaction,
  | 'externalKey'
  | 'transactionType'
  | 'status'
  | 'amount'
  | 'currency'
  | 'processedAmount'
  | 'processedCurrency'
>;

/** Returns the totals of a payment, computed from its transactions in creation order (§4.4). */
export function paymentTotals(transactions: readonly Counted[]): PaymentTotals {
  const currency = currencyOf(transactions);
  const kept = effectiveTransactions(transactions);
  const chargebacks = activeChargebacks(transactions);
  const total = (type: TransactionType): Decimal =>
    currency === null ? ZERO : roundToCurrency(totalOf(kept, type, currency), currency);
  const sumAfterChargebacks = (type: TransactionType): Decimal =>
    currency === null ? ZERO : roundToCurrency(lessChargebacks(total(type), chargebacks, currency), currency);
  return {
    authAmount: total(TransactionType.AUTHORIZE),
    capturedAmount: sumAfterChargebacks(TransactionType.CAPTURE),
    purchasedAmount: sumAfterChargebacks(TransactionType.PURCHASE),
    refundedAmount: total(TransactionType.REFUND),
    creditedAmount: total(TransactionType.CREDIT),
    currency,
  };
}

/**
 * Returns the refundable amount, which is the captured amount before chargebacks minus refunds (§4.3 rule 5). Open
 * refunds are not included.
 */
export function refundable(transactions: readonly Counted[]): Decimal {
  const currency = currencyOf(transactions);
  if (currency === null) return ZERO;
  const kept = effectiveTransactions(transactions);
  return collectedAmount(transactions).minus(totalOf(kept, 'REFUND', currency));
}

/** Returns the captured amount before chargebacks and refunds. */
export function collectedAmount(transactions: readonly Counted[]): Decimal {
  const currency = currencyOf(transactions);
  if (currency === null) return ZERO;
  const kept = effectiveTransactions(transactions);
  return totalOf(kept, 'CAPTURE', currency).plus(totalOf(kept, 'PURCHASE', currency));
}

/** Returns the chargeback with this key if it was not reversed (§4.4 rule 2). */
export function activeChargeback<T extends Counted>(
  transactions: readonly T[],
  externalKey: string,
): T | null {
  return activeChargebacks(transactions).find((each) => each.externalKey === externalKey) ?? null;
}

/** Returns the currency of the payment (§4.4 rule 3). */
export function currencyOf(transactions: readonly Counted[]): Currency | null {
  const first = transactions.filter(({ transactionType }) => isFirstOperation(transactionType));
  const settled = first.find(({ status }) => status === 'SUCCESS' || status === 'PENDING');
  return (settled ?? first.at(-1))?.currency ?? null;
}

/**
 * Returns the transactions that no VOID has canceled. Each VOID cancels the latest success before it (§4.4 rule 1).
 */
function effectiveTransactions(transactions: readonly Counted[]) {
  const kept: Counted[] = [];
  let voids = 0;
  for (const transaction of transactions.toReversed()) {
    if (transaction.status !== 'SUCCESS') continue;
    if (transaction.transactionType === 'VOID') voids += 1;
    else if (voids > 0) voids -= 1;
    else kept.push(transaction);
  }
  return kept;
}

/**
 * Returns the latest chargeback of each key. Omits a chargeback if a reversal (PAYMENT_FAILURE) is newer (§4.4 rule 2).
 */
function activeChargebacks<T extends Counted>(transactions: readonly T[]) {
  const recorded = transactions.filter(
    ({ transactionType, status }) =>
      transactionType === 'CHARGEBACK' && (status === 'SUCCESS' || status === 'PAYMENT_FAILURE'),
  );
  const latest = new Map(recorded.map((each) => [each.externalKey, each]));
  return [...latest.values()].filter(({ status }) => status === 'SUCCESS');
}

function totalOf(kept: readonly Counted[], type: TransactionType, currency: Currency) {
  const ofType = kept.filter(({ transactionType }) => transactionType === type);
  return amountIn(ofType, currency) ?? ZERO;
}

/** Returns the total minus chargebacks. A chargeback in another currency disputes the whole total (§4.4 rule 5). */
function lessChargebacks(total: Decimal, chargebacks: readonly Counted[], currency: Currency) {
  const disputed = amountIn(chargebacks, currency) ?? total;
  const rest = total.minus(disputed);
  return rest.isNegative() ? ZERO : rest;
}

/**
 * Returns the sum of the processed amounts if all of them are in `currency`. Otherwise returns the sum of the
 * requested amounts if all requested amounts are in `currency` (§4.4 rule 4).
 */
function amountIn(transactions: readonly Counted[], currency: Currency) {
  if (transactions.every(({ processedCurrency }) => processedCurrency === currency)) {
    return sum(transactions.map(({ processedAmount }) => processedAmount ?? ZERO));
  }
  if (transactions.every((transaction) => transaction.currency === currency)) {
    return sum(transactions.map(({ amount }) => amount ?? ZERO));
  }
  return undefined;
}
