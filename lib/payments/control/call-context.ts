import type { PaymentControlContext } from '../../ports/index.ts';
import type { CallContext } from '../../records/index.ts';

/** In whose name control plugins are called. */
export type ControlCaller = Pick<CallContext, 'tenant' | 'userName' | 'userToken'> &
  Partial<Pick<CallContext, 'reasonCode' | 'comments'>>;

/** What control plugins are told of a call (§2.3 rule 4): what `about` leaves out there is not. */
export function contextOfCall(
  { tenant, userName, userToken, reasonCode = null, comments = null }: ControlCaller,
  about: Pick<PaymentControlContext, 'paymentApiType'> & Partial<PaymentControlContext>,
): PaymentControlContext {
  return {
    tenantId: tenant.id,
    accountId: null,
    paymentMethodId: null,
    paymentPluginName: null,
    attemptId: null,
    paymentId: null,
    paymentExternalKey: null,
    transactionId: null,
    transactionExternalKey: null,
    transactionType: null,
    hppType: null,
    amount: null,
    currency: null,
    processedAmount: null,
    processedCurrency: null,
    isApiPayment: true,
    userName,
    reasonCode,
    comments,
    userToken,
    ...about,
  };
}
