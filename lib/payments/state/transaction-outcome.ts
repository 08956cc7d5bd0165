import { type GatewayResult, PluginStatus } from '../../ports/index.ts';
import {
  isUnresolved,
  type Payment,
  PaymentResponse,
  type PaymentTransaction,
  type PluginProperty,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, isCurrency, ZERO } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import {
  type CallOutcome,
  type ClaimedResults,
  claimedAmount,
  claimedInUnits,
  type GatewayReply,
  gatewayText,
  lastClaimOf,
} from '../claims/gateway-claims.ts';
import { badParameter } from './payment-errors.ts';
import { isLeased, type PaymentStateName, paymentStateNames, stateNameOf } from './payment-state.ts';

/** What a call changes in its transaction. */
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
 * Reads the outcome of a call for the requested transaction (§2.2, processed values §4.3 rule 3). An answer is a claim:
 * if it is about another transaction, or carries an impossible status, amount or currency, the outcome is unknown.
 */
export function readOutcome(requested: Requested, call: CallOutcome): TransactionOutcome {
  switch (call.kind) {
    case 'RESULT':
      return readResult(requested, call.result);
    case 'NEVER_RECEIVED':
      return failed(requested, {
        status: TransactionStatus.PLUGIN_FAILURE,
        code: null,
        message: call.message,
      });
    case 'NO_RESULT':
      return unknown(requested, 'The gateway gave no result; the outcome is unknown');
    case 'TIMEOUT':
      return unknown(requested, `No answer within ${call.timeoutMs} ms; the outcome is unknown`);
    case 'GATEWAY_ERROR':
    case 'FAULT':
      return unknown(requested, call.message);
    default:
      return call satisfies never;
  }
}

/** What the engine knows by itself about the outcome of a transaction, as a gateway would report it. */
export function ownOutcome(
  { id, paymentId, transactionType }: Pick<PaymentTransaction, 'id' | 'paymentId' | 'transactionType'>,
  now: Instant,
  {
    status,
    amount,
    currency,
  }: { readonly status: PluginStatus; readonly amount?: Decimal | null; readonly currency?: Currency | null },
): CallOutcome {
  const result = {
    kbPaymentId: paymentId,
    kbTransactionPaymentId: id,
    transactionType,
    status,
    ...(amount && { amount }),
    ...(currency && { currency }),
    createdDate: now,
    effectiveDate: now,
    properties: [],
  };
  return { kind: 'RESULT', result };
}

function readResult(requested: Requested, result: GatewayResult): TransactionOutcome {
  const flaw = flawOf(requested, result);
  if (flaw !== null) return unknown(requested, `Unusable answer of the gateway: ${flaw}`);
  const status = result.status === undefined ? TransactionStatus.UNKNOWN : statusOf[result.status];
  const code = gatewayText(result.gatewayErrorCode);
  const message = gatewayText(result.gatewayError);
  const response = claimedResponse(result);
  if (status !== TransactionStatus.SUCCESS && status !== TransactionStatus.PENDING) {
    return failed(requested, { status, code, message, response });
  }
  const processedCurrency = result.currency ?? requested.currency;
  const processed = amountOf(result);
  return {
    status,
    processedAmount: processed
      ? claimedInUnits(processed, { currency: processedCurrency, asked: requested.amount })
      : requested.amount,
    processedCurrency,
    gatewayErrorCode: code,
    gatewayErrorMsg: message,
    paymentResponse: response,
  };
}

function flawOf(requested: Requested, result: GatewayResult): string | null {
  if (result.kbTransactionPaymentId !== requested.id) return 'it is about another transaction';
  if (result.status !== undefined && !Object.hasOwn(PluginStatus, result.status))
    return 'its status does not exist';
  if (result.currency !== undefined && !isCurrency(result.currency)) return 'its currency does not exist';
  if (result.amount === undefined) return null;
  const amount = amountOf(result);
  return amount === undefined || amount.isNegative() ? 'its amount is no valid amount' : null;
}

/** Returns the amount that the gateway states; undefined = none, or not an amount. */
function amountOf({ amount }: GatewayResult): Decimal | undefined {
  return amount == null ? undefined : claimedAmount(amount);
}

const responses: ReadonlySet<unknown> = new Set(Object.values(PaymentResponse));

/** A word that nobody knows stands for some reason or other (overdue §3.2); null = the gateway gave none. */
function claimedResponse({ paymentResponse: said }: GatewayResult): PaymentResponse | null {
  if (said == null) return null;
  return responses.has(said) ? (said as PaymentResponse) : PaymentResponse.OTHER;
}

function unknown(requested: Requested, message: string): TransactionOutcome {
  return failed(requested, { status: TransactionStatus.UNKNOWN, code: null, message: gatewayText(message) });
}

function failed(
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
 * What a gateway's list of transactions says about one of ours (§7.1): the last result with its id. If there is none,
 * nobody knows; only where it proves absence, and could be read to the last, does that mean that an UNKNOWN transaction
 * never arrived. A PENDING transaction had arrived, so its absence says nothing.
 * @param provesAbsence whether the list is complete, and no call can still be on its way (§7.2 rule 6).
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
  if (!isAbsent || transaction.status !== TransactionStatus.UNKNOWN) return { kind: 'NO_RESULT' };
  return { kind: 'NEVER_RECEIVED', message: 'The gateway never received the payment: nothing happened' };
}

/** What one question to a gateway said about one transaction. */
export interface Settlement {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly outcome: CallOutcome;
  /**
   * CALL = the answer to our own call; LATE = the same, after its timeout; JANITOR = recovery asked; FIX = an operator has
   * decided.
   */
  readonly source: 'CALL' | 'LATE' | 'JANITOR' | 'FIX';
  /** The lease under which the call was made; absent where none was made. */
  readonly leaseUntil?: Instant | null;
  /** What an operator decides besides the outcome. */
  readonly fix?: TransactionFix;
  /** What control plugins made of the outcome; absent where none was asked. */
  readonly control?: ControlResult;
  /** What our own call was made with. */
  readonly properties?: readonly PluginProperty[];
}

/** The states of a payment after an operator has corrected a transaction (§7.4). */
export interface TransactionFix {
  readonly stateName: string;
  readonly lastSuccessStateName: string | null;
  /** Whether a failure may be tried again, as if nobody had asked for the payment by the API. */
  readonly allowsRetry: boolean;
}

/** What control plugins say when an operation has ended (§2.3). */
export interface ControlResult {
  /** When it is to be run again; null = not. */
  readonly retryAt: Instant | null;
  readonly properties: readonly PluginProperty[];
}

/** A payment that has been read, its transactions, and what its gateway has just told. */
export interface ToldPayment {
  readonly payment: Payment;
  readonly transactions: readonly PaymentTransaction[];
  readonly results: ClaimedResults;
}

/** The transaction with its outcome, or undefined if there is nothing to write. */
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
  if (!isOurs && isLeased(before, now)) return undefined; // §7.1 rule 3
  if (after.status === TransactionStatus.UNKNOWN || after.status === before.status) return undefined; // §7.1 rules 1 and 2
  return after;
}

/** Whether the transaction still has the lease under which the call was made, over or not (§5.1 rule 3). */
function holdsLease({ leaseUntil }: PaymentTransaction, settlement: Settlement): boolean {
  return leaseUntil !== null && leaseUntil === settlement.leaseUntil;
}

/** What the gateway had said stays, where a correction says nothing else. */
function errorOf(
  before: PaymentTransaction,
  outcome: TransactionOutcome,
): Pick<PaymentTransaction, 'gatewayErrorCode' | 'gatewayErrorMsg' | 'paymentResponse'> {
  return {
    gatewayErrorCode: outcome.gatewayErrorCode ?? before.gatewayErrorCode,
    gatewayErrorMsg: outcome.gatewayErrorMsg ?? before.gatewayErrorMsg,
    paymentResponse: outcome.paymentResponse ?? before.paymentResponse,
  };
}

/**
 * What the gateway knows better about transactions without a running call (§7.1). What it does not list proves nothing: a
 * call that was given up may still be on its way (§7.2 rule 6).
 */
export function settlementsTold(
  { payment, transactions, results }: ToldPayment,
  now: Instant,
): readonly Settlement[] {
  return transactions.flatMap((transaction) => {
    if (!isUnresolved(transaction) || isLeased(transaction, now)) return [];
    const reply = { kind: 'VALUE', value: results } as const;
    const outcome = recoveredOutcome(transaction, reply, { provesAbsence: false });
    const { status } = readOutcome(transaction, outcome);
    if (status === TransactionStatus.UNKNOWN || status === transaction.status) return [];
    return [{ paymentId: payment.id, transactionId: transaction.id, outcome, source: 'JANITOR' }];
  });
}

/** Statuses that a transaction can be corrected to; PAYMENT_SYSTEM_OFF is never written. */
export type FixedStatus = Exclude<TransactionStatus, typeof TransactionStatus.PAYMENT_SYSTEM_OFF>;

/** What is asked for: null = as the status implies. */
export interface AskedStates {
  readonly stateName: PaymentStateName | null;
  readonly lastSuccessStateName: PaymentStateName | null;
}

/**
 * The states of the payment after one of its transactions was corrected (§7.4 rules 1 and 2). `transactions` are all of
 * the payment, in creation order.
 * @throws BillingError PAYMENT_INVALID_PARAMETER (7031) for a status that the type of the transaction does not know.
 */
export function fixedStates(
  asked: AskedStates,
  fixed: Pick<PaymentTransaction, 'id' | 'transactionType' | 'status'>,
  {
    payment,
    transactions,
  }: {
    readonly payment: Pick<Payment, 'lastSuccessStateName'>;
    readonly transactions: readonly Pick<PaymentTransaction, 'id' | 'transactionType' | 'status'>[];
  },
): Omit<TransactionFix, 'allowsRetry'> {
  const stateName = asked.stateName ?? impliedState(fixed);
  return { stateName, lastSuccessStateName: asked.lastSuccessStateName ?? impliedSuccess() };

  function impliedSuccess(): string | null {
    if (transactions.at(-1)?.id !== fixed.id) return payment.lastSuccessStateName;
    if (stateName.endsWith('_SUCCESS') || stateName.startsWith('CHARGEBACK')) return stateName;
    const earlier = transactions.findLast(
      ({ id, status }) => id !== fixed.id && status === TransactionStatus.SUCCESS,
    );
    return earlier ? stateNameOf(earlier) : null;
  }
}

function impliedState(fixed: Pick<PaymentTransaction, 'transactionType' | 'status'>): PaymentStateName {
  const name = stateNameOf(fixed);
  const known = paymentStateNames.find((each) => each === name);
  if (known !== undefined) return known;
  throw badParameter('transactionStatus', `cannot be ${fixed.status} of a ${fixed.transactionType}`);
}

/**
 * What ends a chargeback has no amount, so that it is none of its own: the chargeback stands again where its end is
 * corrected to a PLUGIN_FAILURE.
 * @throws BillingError PAYMENT_INVALID_PARAMETER (7031) for a reversal that is to have moved money.
 */
export function checkFixable(
  status: FixedStatus,
  { transactionType, amount }: Pick<PaymentTransaction, 'transactionType' | 'amount'>,
): void {
  const isReversal = transactionType === TransactionType.CHARGEBACK && amount === null;
  if (!isReversal || (status !== TransactionStatus.SUCCESS && status !== TransactionStatus.PENDING)) return;
  throw badParameter('transactionStatus', `cannot be ${status} of the reversal of a chargeback`);
}

const pluginStatusOf: Readonly<Record<FixedStatus, PluginStatus>> = {
  SUCCESS: PluginStatus.PROCESSED,
  PENDING: PluginStatus.PENDING,
  PAYMENT_FAILURE: PluginStatus.ERROR,
  PLUGIN_FAILURE: PluginStatus.CANCELED,
  UNKNOWN: PluginStatus.UNDEFINED,
};

/** The outcome that an operator tells of, as a gateway would (§7.4 rule 3). */
export function fixedOutcome(
  status: FixedStatus,
  transaction: Pick<PaymentTransaction, 'id' | 'paymentId' | 'transactionType'>,
  { now, processed }: { readonly now: Instant; readonly processed: Processed | null },
): CallOutcome {
  return ownOutcome(transaction, now, { ...processed, status: pluginStatusOf[status] });
}

/** What was really processed; absent parts = as requested. */
interface Processed {
  readonly amount?: Decimal | null;
  readonly currency?: Currency | null;
}
