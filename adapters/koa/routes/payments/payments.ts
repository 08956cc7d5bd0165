import type { PluginProperty as PropertyRecord } from '../../../../lib/records/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { auditedIdsOfPayment, InvoicePayment, Payment } from '../../models/payment.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { flag, plainText, pluginProperties, required } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { audited, auditedList, auditParameter } from '../objects/audit.ts';

/** `PI` and `PP` of http-api §13. */
const pluginInfo = { withPluginInfo: flag(), pluginProperty: pluginProperties };
const auditedPayment = { write: Payment.write, idsOf: auditedIdsOfPayment };
const auditedInvoicePayment = { ...auditedPayment, write: InvoicePayment.write };
const attempts = { withAttempts: flag() };
const reading = { ...attempts, ...pluginInfo, ...auditParameter };

/** A payment by one of its names. */
const readOne = {
  method: 'GET',
  permission: 'NONE',
  success: { status: 200, body: Payment },
  fails: [ErrorCode.PAYMENT_NO_SUCH_PAYMENT],
} as const;
const listOfAccount = {
  method: 'GET',
  permission: 'NONE',
  query: reading,
  fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
} as const;

export const paymentRoutes: readonly Route[] = [
  tenantRoute({
    ...readOne,
    path: '/1.0/kb/payments/{paymentId}',
    operationId: 'getPayment',
    summary: 'Read a payment',
    query: reading,
    async handle(call) {
      const { billing, context, params, query } = call;
      const payment = await billing.payments.get(context, params.paymentId, paymentOptions(query));
      return audited(call, auditedPayment, payment);
    },
  }),
  tenantRoute({
    ...readOne,
    path: '/1.0/kb/payments',
    operationId: 'getPaymentByExternalKey',
    summary: 'Read the payment with an external key',
    query: { externalKey: required(plainText), ...reading },
    async handle(call) {
      const { billing, context, query } = call;
      const payment = await billing.payments.getByKey(context, query.externalKey, paymentOptions(query));
      return audited(call, auditedPayment, payment);
    },
  }),
  tenantRoute({
    ...readOne,
    path: '/1.0/kb/paymentTransactions/{transactionId}',
    operationId: 'getPaymentByTransactionId',
    summary: 'Read the payment of a transaction',
    query: reading,
    async handle(call) {
      const { billing, context, params, query } = call;
      const payment = await billing.payments.ofTransaction(
        context,
        params.transactionId,
        paymentOptions(query),
      );
      return audited(call, auditedPayment, payment);
    },
  }),
  tenantRoute({
    ...readOne,
    path: '/1.0/kb/paymentTransactions',
    operationId: 'getPaymentByTransactionExternalKey',
    summary: 'Read the payment of the transaction with an external key',
    query: { transactionExternalKey: required(plainText), ...reading },
    async handle(call) {
      const { billing, context, query } = call;
      const key = query.transactionExternalKey;
      const payment = await billing.payments.ofTransactionKey(context, key, paymentOptions(query));
      return audited(call, auditedPayment, payment);
    },
  }),
  tenantRoute({
    ...listOfAccount,
    path: '/1.0/kb/accounts/{accountId}/payments',
    operationId: 'getPaymentsForAccount',
    area: 'payments',
    summary: 'List the payments of an account',
    success: { status: 200, body: listOf(Payment) },
    async handle(call) {
      const { billing, context, params, query } = call;
      const payments = await billing.payments.ofAccount(context, params.accountId, paymentOptions(query));
      return auditedList(call, auditedPayment, payments);
    },
  }),
  tenantRoute({
    ...listOfAccount,
    path: '/1.0/kb/accounts/{accountId}/invoicePayments',
    operationId: 'getInvoicePayments',
    area: 'invoicePayments',
    summary: 'List the payments of an account with the invoices that they pay',
    success: { status: 200, body: listOf(InvoicePayment) },
    async handle(call) {
      const { billing, context, params, query } = call;
      const payments = await billing.payments.invoicePaymentsOfAccount(
        context,
        params.accountId,
        paymentOptions(query),
      );
      return auditedList(call, auditedInvoicePayment, payments);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/invoices/{invoiceId}/payments',
    operationId: 'getPaymentsForInvoice',
    summary: 'List the payments of an invoice',
    permission: 'NONE',
    query: { ...attempts, withPluginInfo: flag(), ...auditParameter },
    success: { status: 200, body: listOf(InvoicePayment) },
    fails: [ErrorCode.INVOICE_NOT_FOUND],
    async handle(call) {
      const { billing, context, params, query } = call;
      const payments = await billing.payments.invoicePaymentsOfInvoice(
        context,
        params.invoiceId,
        paymentOptions(query),
      );
      return auditedList(call, auditedInvoicePayment, payments);
    },
  }),
];

interface PluginInfoQuery {
  readonly withPluginInfo: boolean;
  readonly pluginProperty?: readonly PropertyRecord[];
}

function paymentOptions(query: PluginInfoQuery & { readonly withAttempts: boolean }) {
  const { withAttempts, withPluginInfo, pluginProperty: properties = [] } = query;
  return { withAttempts, withPluginInfo, properties };
}
