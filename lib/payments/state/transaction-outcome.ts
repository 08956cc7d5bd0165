import { PluginStatus } from '../../ports/index.ts';
import {
  isUnresolved,
  type Payment,
  PaymentResponse,
  type PaymentTransaction,
  type PluginProperty,
  TransactionStatus,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, isCurrency, ZERO } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import {
  type CallOutcome,
  type ClaimedResult,
  type ClaimedResults,
  claimedAmount,
  type GatewayReply,
  gatewayText,
  lastClaimOf,
  roundClaimedAmount,
} from '../claims/gateway-claims.ts';
import { badParameter } from './payment-errors.ts';
import { isLeased, type PaymentStateName, paymentStateNames, stateNameOf } from './payment-state.ts';

export type TransactionOutcome = Pick<
  PaymentTransaction,
  | 'status'
  | 'processedAmount'
  | 'processedCurrency'
  | 'gatewayErrorCode'
  | 'gatewayErrorMsg'
  | 'paymentResponse'
>;

type Requested = Pick<PaymentTransaction, 'id' | 'amount' | 'currency'>;

const statusOf: Readonly<Record<PluginStatus, TransactionStatus>> = {
  PROCESSED: TransactionStatus.SUCCESS,
  PENDING: TransactionStatus.PENDING,
  ERROR: TransactionStatus.PAYMENT_FAILURE,
  CANCELED: TransactionStatus.PLUGIN_FAILURE,
  UNDEFINED: TransactionStatus.UNKNOWN,
};

/**
 * Reads the outcome of a call for the requested transaction (§2.2, §4.3 rule 3). The outcome is unknown if the result
 * belongs to another transaction, or if its status, amount or currency is invalid.
 */
export function readOutcome(requested: Requested, call: CallOutcome): TransactionOutcome {
  switch (call.kind) {
    case 'RESULT':
      return readResult(requested, call.result);
    case 'NEVER_RECEIVED':
      return unsuccessfulOutcome(requested, { status: 'PLUGIN_FAILURE', code: null, message: call.message });
    case 'NO_RESULT':
      return unknown(requested, 'The gateway returned no result; the outcome is unknown');
    case 'TIMEOUT':
      return unknown(requested, `No answer within ${call.timeoutMs} ms; the outcome is unknown`);
    case 'GATEWAY_ERROR':
    case 'FAULT':
      return unknown(requested, call.message);
    default:
      return call satisfies never;
  }
}

/** Returns an outcome that the engine determines itself, in the form of a gateway's result. */
export function ownOutcome(
  { id, paymentId, transactionType }: Pick<PaymentTransaction, 'id' | 'paymentId' | 'transactionType'>,
  { status, amount, currency }: Processed & { readonly status: PluginStatus },
): CallOutcome {
  const result = {
    kbPaymentId: paymentId,
    kbTransactionPaymentId: id,
    transactionType,
    status,
    ...(amount && { amount }),
    ...(currency && { currency }),
    properties: [],
  };
  return { kind: 'RESULT', result };
}

function readResult(requested: Requested, result: ClaimedResult): TransactionOutcome {
  const flaw = flawOf(requested, result);
  if (flaw !== null) return unknown(requested, `Unusable answer of the gateway: ${flaw}`);
  const status = result.status === undefined ? TransactionStatus.UNKNOWN : statusOf[result.status];
  const code = gatewayText(result.gatewayErrorCode);
  const message = gatewayText(result.gatewayError);
  const response = claimedResponse(result);
  if (status !== 'SUCCESS' && status !== 'PENDING') {
    return unsuccessfulOutcome(requested, { status, code, message, response });
  }
  const processedCurrency = result.currency ?? requested.currency;
  const processed = amountOf(result);
  return {
    status,
    processedAmount: processed
      ? roundClaimedAmount(processed, { currency: processedCurrency, asked: requested.amount })
      : requested.amount,
    processedCurrency,
    gatewayErrorCode: code,
    gatewayErrorMsg: message,
    paymentResponse: response,
  };
}

function flawOf(requested: Requested, result: ClaimedResult) {
  if (result.kbTransactionPaymentId !== requested.id) return 'it refers to another transaction';
  if (result.status !== undefined && !Object.hasOwn(PluginStatus, result.status))
    return 'its status does not exist';
  if (result.currency !== undefined && !isCurrency(result.currency)) return 'its currency does not exist';
  if (result.amount === undefined) return null;
  const amount = amountOf(result);
  return amount === undefined || amount.isNegative() ? 'its amount is invalid' : null;
}

function amountOf({ amount }: ClaimedResult) {
  return amount == null ? undefined : claimedAmount(amount);
}

const responses: ReadonlySet<unknown> = new Set(Object.values(PaymentResponse));

/**
 * Returns the reason for a decline, or null if the gateway returned no reason. Unknown reasons become OTHER (overdue
 * §3.2).
 */
function claimedResponse({ paymentResponse: said }: ClaimedResult) {
  if (said == null) return null;
  return responses.has(said) ? (said as PaymentResponse) : PaymentResponse.OTHER;
}

function unknown(requested: Requested, message: string): TransactionOutcome {
  return unsuccessfulOutcome(requested, {
    status: TransactionStatus.UNKNOWN,
    code: null,
    message: gatewayText(message),
  });
}

function unsuccessfulOutcome(
  requested: { readonly currency: Currency | null },
  why: {
    readonly status: TransactionStatus;
    readonly code: string | null;
    readonly message: string | null;
    readonly response?: PaymentResponse | null;
  },
): TransactionOutcome {
  return {
    status: why.status,
    processedAmount: ZERO,
    processedCurrency: requested.currency,
    gatewayErrorCode: why.code,
    gatewayErrorMsg: why.message,
    paymentResponse: why.response ?? null,
  };
}

/**
 * Returns the outcome of a transaction from a gateway's list (§7.1). This is the last result with the transaction's id.
 * A missing UNKNOWN transaction counts as never received only if the list proves absence and is completely readable. A
 * missing PENDING transaction is known to have arrived.
 * @param provesAbsence true if the list is complete, and no call can still be running (§7.2 rule 6).
 */
export function recoveredOutcome(
  transaction: Pick<PaymentTransaction, 'id' | 'status'>,
  reply: GatewayReply<ClaimedResults | null>,
  { provesAbsence }: { readonly provesAbsence: boolean },
): CallOutcome {
  if (reply.kind !== 'VALUE') return reply;
  if (reply.value === null) return { kind: 'NO_RESULT' };
  const result = lastClaimOf(reply.value, transaction.id);
  if (result) return { kind: 'RESULT', result };
  const isAbsent = provesAbsence && !reply.value.includes(null);
  if (!isAbsent || transaction.status !== 'UNKNOWN') return { kind: 'NO_RESULT' };
  return { kind: 'NEVER_RECEIVED', message: 'The gateway never received the payment, so no money moved' };
}

export interface Settlement {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly outcome: CallOutcome;
  /**
   * Source of the outcome. CALL is the engine's call. LATE is a call that returned after its timeout. JANITOR is
   * recovery. FIX is a correction by an operator.
   */
  readonly source: 'CALL' | 'LATE' | 'JANITOR' | 'FIX';
  /** The lease of the call. The field is absent if no call was made. */
  readonly leaseUntil?: Instant | null;
  readonly fix?: TransactionFix;
  /** The reaction of the control plugins. The field is absent if no plugin was called. */
  readonly control?: ControlResult;
  readonly properties?: readonly PluginProperty[];
}

/** The payment states after an operator's correction (§7.4). */
export interface TransactionFix {
  readonly stateName: string;
  readonly lastSuccessStateName: string | null;
  /** True if a failed payment may be retried like an automatic payment. */
  readonly allowsRetry: boolean;
}

/** The reaction of control plugins to the end of an operation (§2.3). */
export interface ControlResult {
  /** The date of the retry, or null if there is no retry. */
  readonly retryAt: Instant | null;
  readonly properties: readonly PluginProperty[];
}

/** A payment with its transactions and its gateway's current results. */
export interface ReportedPayment {
  readonly payment: Payment;
  readonly transactions: readonly PaymentTransaction[];
  readonly results: ClaimedResults;
}

/** Returns the transaction with its outcome, or undefined if the outcome changes nothing. */
export function settledTransaction(
  before: PaymentTransaction,
  settlement: Settlement,
  now: Instant,
): PaymentTransaction | undefined {
  const outcome = readOutcome(before, settlement.outcome);
  if (settlement.source === 'FIX')
    return { ...before, ...outcome, ...errorOf(before, outcome), leaseUntil: null };
  if (!isUnresolved(before)) return undefined;
  const after = { ...before, ...outcome, leaseUntil: null };
  const isOurs = holdsLease(before, settlement);
  if (settlement.source === 'CALL' && isOurs) return after;
  if (!isOurs && isLeased(before, now)) return undefined; // A call may still be running (§7.1 rule 3).
  if (after.status === 'UNKNOWN' || after.status === before.status) return undefined; // Nothing new is known (§7.1 rules 1 and 2).
  return after;
}

/**
 * Returns true if the transaction still has the lease of the call, whether or not the lease has expired (§5.1 rule 3).
 */
function holdsLease({ leaseUntil }: PaymentTransaction, settlement: Settlement) {
  return leaseUntil !== null && leaseUntil === settlement.leaseUntil;
}

/** Returns the error that the gateway reported. A correction without an error keeps the previous error. */
function errorOf(before: PaymentTransaction, outcome: TransactionOutcome) {
  return {
    gatewayErrorCode: outcome.gatewayErrorCode ?? before.gatewayErrorCode,
    gatewayErrorMsg: outcome.gatewayErrorMsg ?? before.gatewayErrorMsg,
    paymentResponse: outcome.paymentResponse ?? before.paymentResponse,
  };
}

/**
 * Returns the changes of transactions that have no running call (§7.1). A transaction that is missing at the gateway
 * may still arrive there (§7.2 rule 6).
 */
export function reportedSettlements(
  { payment, transactions, results }: ReportedPayment,
  now: Instant,
): readonly Settlement[] {
  return transactions.flatMap((transaction) => {
    if (!isUnresolved(transaction) || isLeased(transaction, now)) return [];
    const reply = { kind: 'VALUE', value: results } as const;
    const outcome = recoveredOutcome(transaction, reply, { provesAbsence: false });
    const { status } = readOutcome(transaction, outcome);
    if (status === 'UNKNOWN' || status === transaction.status) return [];
    return [{ paymentId: payment.id, transactionId: transaction.id, outcome, source: 'JANITOR' }];
  });
}

/** Statuses that a correction may set. PAYMENT_SYSTEM_OFF is excluded, because it is never written. */
export type FixedStatus = Exclude<TransactionStatus, typeof TransactionStatus.PAYMENT_SYSTEM_OFF>;

/** Requested states. A null state is derived from the status. */
export interface RequestedStates {
  readonly stateName: PaymentStateName | null;
  readonly lastSuccessStateName: PaymentStateName | null;
}

/**
 * Returns the states of the payment after a correction (§7.4 rules 1 and 2).
 * @param transactions All transactions of the payment, in creation order.
 * @throws BillingError PAYMENT_INVALID_PARAMETER (7031) for a status that is not valid for the transaction type.
 */
export function fixedStates(
  asked: RequestedStates,
  fixed: Pick<PaymentTransaction, 'id' | 'transactionType' | 'status'>,
  { payment, transactions }: Pick<ReportedPayment, 'payment' | 'transactions'>,
): Omit<TransactionFix, 'allowsRetry'> {
  const stateName = asked.stateName ?? impliedState(fixed);
  return { stateName, lastSuccessStateName: asked.lastSuccessStateName ?? impliedSuccess() };

  function impliedSuccess(): string | null {
    if (transactions.at(-1)?.id !== fixed.id) return payment.lastSuccessStateName;
    if (stateName.endsWith('_SUCCESS') || stateName.startsWith('CHARGEBACK')) return stateName;
    const others = transactions.filter(({ id }) => id !== fixed.id);
    const earlier = others.findLast(({ status }) => status === 'SUCCESS');
    return earlier ? stateNameOf(earlier) : null;
  }
}

function impliedState(fixed: Pick<PaymentTransaction, 'transactionType' | 'status'>) {
  const name = stateNameOf(fixed);
  const known = paymentStateNames.find((each) => each === name);
  if (known !== undefined) return known;
  throw badParameter('transactionStatus', `cannot be ${fixed.status} of a ${fixed.transactionType}`);
}

/**
 * Checks the correction of a reversal. A reversal has no amount. If it is corrected to PLUGIN_FAILURE, the reversed
 * chargeback applies again.
 * @throws BillingError PAYMENT_INVALID_PARAMETER (7031) if the correction would move money.
 */
export function checkFixable(
  status: FixedStatus,
  { transactionType, amount }: Pick<PaymentTransaction, 'transactionType' | 'amount'>,
): void {
  const isReversal = transactionType === 'CHARGEBACK' && amount === null;
  if (!isReversal || (status !== 'SUCCESS' && status !== 'PENDING')) return;
  throw badParameter('transactionStatus', `cannot be ${status} of the reversal of a chargeback`);
}

const pluginStatusOf: Readonly<Record<FixedStatus, PluginStatus>> = {
  SUCCESS: PluginStatus.PROCESSED,
  PENDING: PluginStatus.PENDING,
  PAYMENT_FAILURE: PluginStatus.ERROR,
  PLUGIN_FAILURE: PluginStatus.CANCELED,
  UNKNOWN: PluginStatus.UNDEFINED,
};

/** Returns the outcome that an operator enters, in the form of a gateway's result (§7.4 rule 3). */
export function fixedOutcome(
  status: FixedStatus,
  transaction: Pick<PaymentTransaction, 'id' | 'paymentId' | 'transactionType'>,
  processed: Processed | null,
): CallOutcome {
  return ownOutcome(transaction, { ...processed, status: pluginStatusOf[status] });
}

/** The processed amount and currency. If either value is missing, the requested value applies. */
interface Processed {
  readonly amount?: Decimal | null;
  readonly currency?: Currency | null;
}
