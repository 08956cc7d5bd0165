import type { PaymentControlContext } from '../../ports/index.ts';
import { INVOICE_PAYMENT_CONTROL_PLUGIN, type New, type PaymentAttempt } from '../../records/index.ts';
import { type ControlCaller, contextOfCall } from './call-context.ts';

/** What control plugins are told of the run that an attempt records (§2.3 rule 4). */
export function contextOfAttempt(
  caller: ControlCaller,
  attempt: New<PaymentAttempt>,
  { paymentPluginName }: Pick<PaymentControlContext, 'paymentPluginName'>,
): PaymentControlContext {
  return contextOfCall(caller, {
    paymentApiType: 'PAYMENT_TRANSACTION',
    accountId: attempt.accountId,
    paymentMethodId: attempt.paymentMethodId,
    paymentPluginName,
    attemptId: attempt.id,
    paymentExternalKey: attempt.paymentExternalKey,
    transactionExternalKey: attempt.transactionExternalKey,
    transactionType: attempt.transactionType,
    amount: attempt.amount,
    currency: attempt.currency,
    isApiPayment: attempt.isApiPayment,
  });
}

/** The built-in invoice control is no plugin call (§2.3 rule 10). */
export function pluginsAmong(names: readonly string[]): readonly string[] {
  return names.filter((name) => name !== INVOICE_PAYMENT_CONTROL_PLUGIN);
}
