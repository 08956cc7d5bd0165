import type { PluginProperty } from '../../../../lib/records/index.ts';
import { auditedIdsOfPayment, InvoicePayment, Payment } from '../../models/payment.ts';
import { auditParameter } from '../../routing/audited.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { flag, pageParameters, plainText, requiredParameter } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { pluginInfo } from './payment-parts.ts';

const query = { withAttempts: flag(), ...pluginInfo, ...auditParameter };
const auditedIds = auditedIdsOfPayment;
const onePayment = { shows: Payment, auditedIds, query, fails: ['PAYMENT_NO_SUCH_PAYMENT'] } as const;
const invoicePayments = { shows: listOf(InvoicePayment), auditedIds };
const paymentPages = {
  query: {
    ...pageParameters,
    pluginName: plainText,
    withAttempts: flag(),
    ...pluginInfo,
    ...auditParameter,
  },
  shows: listOf(Payment),
  auditedIds,
};

export const paymentRoutes: readonly Route[] = [
  tenantRoute('getPayment', 'GET /payments/{paymentId}', {
    ...onePayment,
    summary: 'Get a payment',
    handle: ({ billing, context, params, query }) =>
      billing.payments.get(context, params.paymentId, readOptions(query)),
  }),
  tenantRoute('getPaymentByExternalKey', 'GET /payments', {
    ...onePayment,
    summary: 'Get a payment by its external key',
    query: { externalKey: requiredParameter(plainText), ...query },
    handle: ({ billing, context, query }) =>
      billing.payments.getByKey(context, query.externalKey, readOptions(query)),
  }),
  tenantRoute('getPaymentByTransactionId', 'GET /paymentTransactions/{transactionId}', {
    ...onePayment,
    summary: 'Get a payment by the id of a transaction',
    handle: ({ billing, context, params, query }) =>
      billing.payments.ofTransaction(context, params.transactionId, readOptions(query)),
  }),
  tenantRoute('getPaymentByTransactionExternalKey', 'GET /paymentTransactions', {
    ...onePayment,
    summary: 'Get a payment by the external key of a transaction',
    query: { transactionExternalKey: requiredParameter(plainText), ...query },
    handle: ({ billing, context, query }) =>
      billing.payments.ofTransactionKey(context, query.transactionExternalKey, readOptions(query)),
  }),
  tenantRoute('getPaymentsForAccount', 'GET /accounts/{accountId}/payments', {
    area: 'payments',
    summary: 'List the payments of an account',
    query,
    shows: listOf(Payment),
    auditedIds,
    handle: ({ billing, context, params, query }) =>
      billing.payments.ofAccount(context, params.accountId, readOptions(query)),
  }),
  tenantRoute('getInvoicePayments', 'GET /accounts/{accountId}/invoicePayments', {
    ...invoicePayments,
    area: 'invoicePayments',
    summary: 'List the payments of an account with the invoices that they pay',
    query,
    handle: ({ billing, context, params, query }) =>
      billing.payments.invoicePaymentsOfAccount(context, params.accountId, readOptions(query)),
  }),
  tenantRoute('getPaymentsForInvoice', 'GET /invoices/{invoiceId}/payments', {
    ...invoicePayments,
    summary: 'List the payments of an invoice',
    query: { withAttempts: flag(), withPluginInfo: flag(), ...auditParameter },
    handle: ({ billing, context, params, query }) =>
      billing.payments.invoicePaymentsOfInvoice(context, params.invoiceId, readOptions(query)),
  }),
];

export const paymentListRoutes: readonly Route[] = [
  tenantRoute('getPayments', 'GET /payments/pagination', {
    ...paymentPages,
    summary: 'List all payments, or the payments of a gateway',
    fails: ['PAYMENT_NO_SUCH_PAYMENT_PLUGIN'],
    handle: ({ billing, context, query: { pluginProperty: properties, ...request } }) =>
      billing.payments.page(context, { ...request, properties }),
  }),
  tenantRoute('searchPayments', 'GET /payments/search/{searchKey}', {
    ...paymentPages,
    summary:
      'Search payments by id, account id, payment method id, external key or state, by clauses (_q=1&…), or at a gateway',
    fails: ['PAYMENT_NO_SUCH_PAYMENT_PLUGIN', 'PAYMENT_PLUGIN_SEARCH_PAYMENTS'],
    handle: ({ billing, context, params, query: { pluginProperty: properties, ...request } }) =>
      billing.payments.search(context, params.searchKey, { ...request, properties }),
  }),
];

interface ReadQuery {
  readonly withAttempts: boolean;
  readonly withPluginInfo: boolean;
  readonly pluginProperty?: readonly PluginProperty[];
}

export function readOptions({ withAttempts, withPluginInfo, pluginProperty: properties = [] }: ReadQuery) {
  return { withAttempts, withPluginInfo, properties };
}
