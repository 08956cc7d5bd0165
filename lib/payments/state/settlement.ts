import {
  isUnresolved,
  type Payment,
  type PaymentTransaction,
  type PluginProperty,
  TransactionStatus,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { ClaimedResults } from '../claims/gateway-claims.ts';
import type { CallOutcome } from '../claims/gateway-reply.ts';
import { isLeased } from './payment-state.ts';
import { recoveredOutcome } from './recovered-outcome.ts';
import { readOutcome, type TransactionOutcome } from './transaction-outcome.ts';

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
