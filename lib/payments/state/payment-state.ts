import {
  isUnresolved,
  type Payment,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import { type BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { paymentError } from './payment-errors.ts';

/** An operation on a payment: the transaction types, and the reversal of a chargeback. */
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

type StateNameOf<P extends string> = `${P}_${(typeof stateSuffix)[TransactionStatus]}`;
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

const firstOperations: readonly PaymentOperation[] = [
  TransactionType.AUTHORIZE,
  TransactionType.PURCHASE,
  TransactionType.CREDIT,
];

/** The type of transaction that an operation makes. */
export function typeOf(operation: PaymentOperation): TransactionType {
  return operation === 'CHARGEBACK_REVERSAL' ? TransactionType.CHARGEBACK : operation;
}

/** Name of the state in which the machine of a type begins. */
export function initialStateOf(type: TransactionType): string {
  return `${statePrefix[type]}_INIT`;
}

/** Says whether an operation may start after the last success, null = there was none (§3.1). */
export type OperationTable = (lastSuccessStateName: string | null, operation: PaymentOperation) => boolean;

/** True of what begins a payment (§3.1). */
export function isFirstOperation(operation: PaymentOperation): boolean {
  return firstOperations.includes(operation);
}

/** §3.1: what may start, by `lastSuccessStateName`. */
const operationsAfter: ReadonlyMap<string, readonly PaymentOperation[]> = new Map<
  string,
  readonly PaymentOperation[]
>([
  ['AUTH_SUCCESS', ['CAPTURE', 'VOID']],
  ['CAPTURE_SUCCESS', ['CAPTURE', 'REFUND', 'CHARGEBACK']],
  ['PURCHASE_SUCCESS', ['REFUND', 'CHARGEBACK']],
  ['REFUND_SUCCESS', ['REFUND', 'CHARGEBACK']],
  ['CHARGEBACK_SUCCESS', ['CHARGEBACK', 'CHARGEBACK_REVERSAL']],
  ['CHARGEBACK_FAILED', ['REFUND', 'CHARGEBACK']],
  ['CREDIT_SUCCESS', []],
  ['VOID_SUCCESS', []],
]);

/** What else decides whether an operation may start. */
export interface StartFacts {
  /** Of the payment. */
  readonly transactions: readonly Pick<PaymentTransaction, 'transactionType' | 'status'>[];
  /** The tenant's own; undefined = the engine's. */
  readonly table?: OperationTable | undefined;
}

/** The engine's own table. */
const ownTable: OperationTable = (lastSuccessStateName, operation) => {
  if (lastSuccessStateName === null) return firstOperations.includes(operation);
  return operationsAfter.get(lastSuccessStateName)?.includes(operation) ?? false;
};

/**
 * True if `operation` may start on a payment with these transactions (§3.1); a PENDING transaction may always be
 * completed. A tenant's own table stands in the place of ours; what is open blocks under each.
 */
export function mayStart(
  operation: PaymentOperation,
  lastSuccessStateName: string | null,
  { transactions, table = ownTable }: StartFacts,
): boolean {
  const open = transactions.filter(isUnresolved);
  if (open.some((transaction) => firstOperations.includes(transaction.transactionType))) return false;
  if (open.some(({ transactionType }) => shutOutBy(transactionType).includes(operation))) return false;
  return table(lastSuccessStateName, operation);
}

/** What may not begin while a capture or a void of the payment is open: one takes what the other gives back. */
function shutOutBy(open: TransactionType): readonly PaymentOperation[] {
  if (open === TransactionType.CAPTURE) return [TransactionType.VOID];
  return open === TransactionType.VOID ? [TransactionType.VOID, TransactionType.CAPTURE] : [];
}

/**
 * Refuses an operation that may not start.
 * @throws BillingError PAYMENT_INVALID_OPERATION (7032).
 */
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
  return paymentError(
    ErrorCode.PAYMENT_INVALID_OPERATION,
    `${operation} is not allowed on ${which} in ${state}`,
    { operation, paymentId: payment?.id ?? null, stateName: payment?.stateName ?? null },
  );
}

/** The state in which a transaction of this type and status leaves its payment (§3.2). */
export function stateNameOf({
  transactionType,
  status,
}: Pick<PaymentTransaction, 'transactionType' | 'status'>): string {
  return `${statePrefix[transactionType]}_${stateSuffix[status]}`;
}

/**
 * State names of a payment after a transaction of this type got this status (§3.2). A recorded reversal is a failed
 * CHARGEBACK without an amount; one with an amount was refused and leaves the last success as it is.
 */
export function paymentStateAfter(
  transaction: Pick<PaymentTransaction, 'transactionType' | 'status' | 'amount'>,
  lastSuccessStateName: string | null,
): { readonly stateName: string; readonly lastSuccessStateName: string | null } {
  const stateName = stateNameOf(transaction);
  const isReversal = stateName === 'CHARGEBACK_FAILED' && transaction.amount === null;
  const succeeded = transaction.status === TransactionStatus.SUCCESS || isReversal;
  return { stateName, lastSuccessStateName: succeeded ? stateName : lastSuccessStateName };
}

/** True of a transaction whose call has ended without a record of it (§5.3 rule 3). */
export function hasLapsed(transaction: Pick<PaymentTransaction, 'leaseUntil'>, now: Instant): boolean {
  return transaction.leaseUntil !== null && !isLeased(transaction, now);
}

/** True while a call of the transaction may be running (§5.1 rule 1). */
export function isLeased({ leaseUntil }: Pick<PaymentTransaction, 'leaseUntil'>, now: Instant): boolean {
  return leaseUntil !== null && leaseUntil > now;
}
