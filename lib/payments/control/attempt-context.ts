import type { PaymentControlContext } from '../../ports/index.ts';
import {
  type CallContext,
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type New,
  type PaymentAttempt,
} from '../../records/index.ts';

/** In whose name control plugins are called. */
export type ControlCaller = Pick<CallContext, 'tenant' | 'userName' | 'userToken'> &
  Partial<Pick<CallContext, 'reasonCode' | 'comments'>>;

/** What control plugins are told of the run that an attempt records (§2.3 rule 4). */
export function contextOfAttempt(
  { tenant, userName, userToken, reasonCode = null, comments = null }: ControlCaller,
  attempt: New<PaymentAttempt>,
  { paymentPluginName }: Pick<PaymentControlContext, 'paymentPluginName'>,
): PaymentControlContext {
  return {
    tenantId: tenant.id,
    accountId: attempt.accountId,
    paymentMethodId: attempt.paymentMethodId,
    paymentPluginName,
    attemptId: attempt.id,
    paymentId: null,
    paymentExternalKey: attempt.paymentExternalKey,
    transactionId: null,
    transactionExternalKey: attempt.transactionExternalKey,
    paymentApiType: 'PAYMENT_TRANSACTION',
    transactionType: attempt.transactionType,
    hppType: null,
    amount: attempt.amount,
    currency: attempt.currency,
    processedAmount: null,
    processedCurrency: null,
    isApiPayment: attempt.isApiPayment,
    userName,
    reasonCode,
    comments,
    userToken,
  };
}

/** The built-in invoice control is no plugin call (§2.3 rule 10). */
export function pluginsAmong(names: readonly string[]): readonly string[] {
  return names.filter((name) => name !== INVOICE_PAYMENT_CONTROL_PLUGIN);
}
