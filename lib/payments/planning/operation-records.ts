import type { IdGenerator } from '../../ports/index.ts';
import { type New, type Payment, type PaymentTransaction, TransactionStatus } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { ReservedCall } from '../reservation/reserved-call.ts';
import { typeOf } from '../state/payment-state.ts';
import type { OperationFacts } from './operation-facts.ts';
import type { OperationPlan } from './operation-plan.ts';
import type { OperationRequest } from './operation-request.ts';

/** The records of a new transaction, before its call. */
export interface PlannedOperation extends ReservedCall {
  /** Null when the payment is there already. */
  readonly newPayment: Omit<New<Payment>, 'paymentNumber'> | null;
  readonly transaction: New<PaymentTransaction>;
}

/** A new payment takes its ids as keys where none are given (§1.3, §1.4). */
export function newOperation(
  request: OperationRequest,
  { account, payment }: Pick<OperationFacts, 'account' | 'payment'>,
  {
    plan,
    ...tools
  }: {
    readonly plan: Extract<OperationPlan, { kind: 'NEW' }>;
    readonly made: { readonly paymentId: Uuid; readonly transactionId: Uuid } | null;
    readonly ids: IdGenerator;
    readonly now: Instant;
    readonly leaseUntil: Instant;
    readonly attemptId: Uuid | null;
  },
): PlannedOperation {
  const { ids, now } = tools;
  const { method, gateway } = plan;
  assertInvariant(method, 'What is reserved has a payment method', { paymentId: payment?.id ?? null });
  const paymentId = payment?.id ?? tools.made?.paymentId ?? ids.next();
  const id = tools.made?.transactionId ?? ids.next();
  const transaction: New<PaymentTransaction> = {
    id,
    paymentId,
    accountRecordId: account.recordId,
    attemptId: tools.attemptId,
    externalKey: request.transactionExternalKey ?? id,
    transactionType: typeOf(request.operation),
    effectiveDate: request.effectiveDate ?? now,
    status: TransactionStatus.UNKNOWN,
    amount: plan.amount,
    currency: plan.currency,
    processedAmount: null,
    processedCurrency: null,
    gatewayErrorCode: null,
    gatewayErrorMsg: null,
    paymentResponse: null,
    invoiceRefund: plan.invoiceRefund ?? null,
    leaseUntil: tools.leaseUntil,
    createdDate: now,
  };
  const newPayment = payment
    ? null
    : {
        id: paymentId,
        accountId: account.id,
        accountRecordId: account.recordId,
        externalKey: request.paymentExternalKey ?? paymentId,
        paymentMethodId: method.id,
        stateName: null,
        lastSuccessStateName: null,
        createdDate: now,
      };
  const { properties } = request;
  return {
    isRefused: plan.isRefused ?? false,
    account,
    gateway,
    paymentId,
    paymentMethodId: method.id,
    properties,
    newPayment,
    transaction,
  };
}
