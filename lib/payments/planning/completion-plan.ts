import { type GatewayResult, PluginStatus } from '../../ports/index.ts';
import { TransactionStatus, type TransactionType } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { badParameter } from '../state/payment-errors.ts';
import { isLeased } from '../state/payment-state.ts';
import type { OperationAmount } from './operation-amount.ts';
import type { OperationFacts, OperationRules } from './operation-facts.ts';
import { gatewayOf, type OperationPlan, usableMethod } from './operation-plan.ts';
import { toldAmount } from './told-amount.ts';

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
    throw new BillingError({
      code: ErrorCode.PAYMENT_NO_SUCH_SUCCESS_PAYMENT,
      message: `Transaction ${transactionId} is not pending on this payment`,
      facts: { transactionId },
    });
  }
  const result: GatewayResult = {
    kbPaymentId: transaction.paymentId,
    kbTransactionPaymentId: transaction.id,
    transactionType: transaction.transactionType,
    status: hasSucceeded ? PluginStatus.PROCESSED : PluginStatus.ERROR,
    createdDate: now,
    effectiveDate: now,
    properties: [],
  };
  const told = { amount: null, currency: null };
  return { kind: 'COMPLETE', transaction, gateway: null, told, outcome: { kind: 'RESULT', result } };
}
