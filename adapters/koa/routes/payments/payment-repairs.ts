import type { FixedStatus } from '../../../../lib/payments/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { AdminPayment } from '../../models/payment.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { plainText, required } from '../../wire/query.ts';

/** What operators do about payments that went wrong (payments §7.4, §8.5). */
export const paymentRepairRoutes: readonly Route[] = [
  tenantRoute({
    method: 'DELETE',
    path: '/1.0/kb/payments/{paymentTransactionId}/cancelScheduledPaymentTransaction',
    operationId: 'cancelScheduledPaymentTransactionById',
    summary: 'Take back the planned retry of a transaction',
    permission: 'payment:trigger',
    fails: [ErrorCode.PAYMENT_NO_SUCH_PAYMENT],
    handle: ({ billing, context, params }) =>
      billing.payments.cancelScheduledRetry(context, { transactionId: params.paymentTransactionId }),
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/1.0/kb/payments/cancelScheduledPaymentTransaction',
    operationId: 'cancelScheduledPaymentTransactionByExternalKey',
    summary: 'Take back the planned retry of the transaction with an external key',
    permission: 'payment:trigger',
    query: { transactionExternalKey: required(plainText) },
    handle: ({ billing, context, query: { transactionExternalKey } }) =>
      billing.payments.cancelScheduledRetry(context, { transactionExternalKey }),
  }),
  tenantRoute({
    method: 'PUT',
    path: '/1.0/kb/admin/payments/{paymentId}/transactions/{paymentTransactionId}',
    operationId: 'updatePaymentTransactionState',
    area: 'admin',
    summary: 'Correct the status of a payment transaction',
    permission: 'admin:update',
    body: jsonBody(AdminPayment),
    fails: [
      ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
      ErrorCode.PAYMENT_INVALID_PARAMETER,
      ErrorCode.PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS,
      ErrorCode.PAYMENT_INTERNAL_ERROR,
    ],
    async handle({ billing, context, params, body }) {
      await billing.payments.fixTransaction(context, {
        paymentId: params.paymentId,
        transactionId: params.paymentTransactionId,
        status: body.transactionStatus as FixedStatus,
        stateName: body.currentPaymentStateName ?? null,
        lastSuccessStateName: body.lastSuccessPaymentState ?? null,
      });
    },
  }),
];
