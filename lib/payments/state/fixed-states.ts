import { PluginStatus } from '../../ports/index.ts';
import {
  type Payment,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../../records/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { CallOutcome } from '../claims/gateway-claims.ts';
import { badParameter } from './payment-errors.ts';
import { type PaymentStateName, paymentStateNames, stateNameOf } from './payment-state.ts';
import { ownOutcome, type TransactionFix } from './transaction-outcome.ts';

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
