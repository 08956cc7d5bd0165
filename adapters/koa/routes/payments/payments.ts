import type { PluginProperty as PropertyRecord } from '../../../../lib/records/index.ts';
import { ErrorCode, invalidField } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { auditedIdsOfPayment, InvoicePayment, Payment, PaymentMethod } from '../../models/payment.ts';
import { created } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { flag, plainText, pluginProperties, required } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { audited, auditedList, auditParameter } from '../objects/audit.ts';
import { propertyOf } from './plugin-property.ts';

const noSuchAccount = [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID];
/** `PI` and `PP` of http-api §13. */
const pluginInfo = { withPluginInfo: flag(), pluginProperty: pluginProperties };
const auditedPayment = { write: Payment.write, idsOf: auditedIdsOfPayment };
const auditedInvoicePayment = { ...auditedPayment, write: InvoicePayment.write };
const attempts = { withAttempts: flag() };

export const paymentRoutes: readonly Route[] = [
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/accounts/{accountId}/paymentMethods',
    operationId: 'createPaymentMethod',
    area: 'paymentMethods',
    summary: 'Add a payment method to an account',
    permission: 'payment_method:create',
    query: { isDefault: flag(), payAllUnpaidInvoices: flag(), pluginProperty: pluginProperties },
    body: jsonBody(PaymentMethod),
    success: { status: 201, location: '/paymentMethods/{paymentMethodId}' },
    fails: [
      ...noSuchAccount,
      ErrorCode.PAYMENT_ADD_PAYMENT_METHOD,
      ErrorCode.PAYMENT_EXTERNAL_PAYMENT_METHOD_ALREADY_EXISTS,
      ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN,
      ErrorCode.PAYMENT_INVALID_PARAMETER,
    ],
    async handle({ billing, context, params, query, body }) {
      const { accountId } = params;
      checkSameAccount(accountId, body.accountId ?? null);
      const method = await billing.addPaymentMethod(context, {
        accountId,
        pluginName: body.pluginName ?? '',
        externalKey: body.externalKey || null,
        isDefault: query.isDefault,
        payAllUnpaidInvoices: query.payAllUnpaidInvoices,
        details: {
          externalPaymentMethodId: body.pluginInfo?.externalPaymentMethodId ?? null,
          properties: (body.pluginInfo?.properties ?? []).map(propertyOf),
        },
        properties: query.pluginProperty,
      });
      return created(`/paymentMethods/${method.id}`);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/paymentMethods',
    operationId: 'getPaymentMethodsForAccount',
    area: 'paymentMethods',
    summary: 'List the payment methods of an account',
    permission: 'NONE',
    query: { includedDeleted: flag(), ...pluginInfo, ...auditParameter },
    success: { status: 200, body: listOf(PaymentMethod) },
    fails: noSuchAccount,
    async handle(call) {
      const { billing, context, params } = call;
      const options = methodOptions(call.query);
      const methods = await billing.paymentMethods.ofAccount(context, params.accountId, options);
      return auditedList(call, PaymentMethod, methods);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/paymentMethods/{paymentMethodId}',
    operationId: 'getPaymentMethod',
    summary: 'Read a payment method',
    permission: 'NONE',
    query: { includedDeleted: flag(), ...pluginInfo, ...auditParameter },
    success: { status: 200, body: PaymentMethod },
    fails: [ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD, ErrorCode.PAYMENT_GET_PAYMENT_METHODS],
    async handle(call) {
      const { billing, context, params } = call;
      const options = methodOptions(call.query);
      const method = await billing.paymentMethods.get(context, params.paymentMethodId, options);
      return audited(call, PaymentMethod, method);
    },
  }),
  tenantRoute({
    method: 'PUT',
    path: '/1.0/kb/accounts/{accountId}/paymentMethods/{paymentMethodId}/setDefault',
    operationId: 'setDefaultPaymentMethod',
    area: 'paymentMethods',
    summary: 'Make a payment method the default of its account',
    permission: 'payment_method:create',
    query: { payAllUnpaidInvoices: flag(), pluginProperty: pluginProperties },
    fails: [
      ...noSuchAccount,
      ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
      ErrorCode.PAYMENT_METHOD_DIFFERENT_ACCOUNT_ID,
      ErrorCode.PAYMENT_UPD_PAYMENT_METHOD,
    ],
    handle: ({ billing, context, params, query }) =>
      billing.paymentMethods.setDefault(context, {
        ...params,
        payAllUnpaidInvoices: query.payAllUnpaidInvoices,
        properties: query.pluginProperty,
      }),
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/payments/{paymentId}',
    operationId: 'getPayment',
    summary: 'Read a payment',
    permission: 'NONE',
    query: { ...attempts, ...pluginInfo, ...auditParameter },
    success: { status: 200, body: Payment },
    fails: [ErrorCode.PAYMENT_NO_SUCH_PAYMENT],
    async handle(call) {
      const { billing, context, params, query } = call;
      const payment = await billing.payments.get(context, params.paymentId, paymentOptions(query));
      return audited(call, auditedPayment, payment);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/payments',
    operationId: 'getPaymentByExternalKey',
    summary: 'Read the payment with an external key',
    permission: 'NONE',
    query: { externalKey: required(plainText), ...attempts, ...pluginInfo, ...auditParameter },
    success: { status: 200, body: Payment },
    fails: [ErrorCode.PAYMENT_NO_SUCH_PAYMENT],
    async handle(call) {
      const { billing, context, query } = call;
      const payment = await billing.payments.getByKey(context, query.externalKey, paymentOptions(query));
      return audited(call, auditedPayment, payment);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/paymentTransactions/{transactionId}',
    operationId: 'getPaymentByTransactionId',
    summary: 'Read the payment of a transaction',
    permission: 'NONE',
    query: { ...attempts, ...pluginInfo, ...auditParameter },
    success: { status: 200, body: Payment },
    fails: [ErrorCode.PAYMENT_NO_SUCH_PAYMENT],
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
    method: 'GET',
    path: '/1.0/kb/paymentTransactions',
    operationId: 'getPaymentByTransactionExternalKey',
    summary: 'Read the payment of the transaction with an external key',
    permission: 'NONE',
    query: { transactionExternalKey: required(plainText), ...attempts, ...pluginInfo, ...auditParameter },
    success: { status: 200, body: Payment },
    fails: [ErrorCode.PAYMENT_NO_SUCH_PAYMENT],
    async handle(call) {
      const { billing, context, query } = call;
      const key = query.transactionExternalKey;
      const payment = await billing.payments.ofTransactionKey(context, key, paymentOptions(query));
      return audited(call, auditedPayment, payment);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/payments',
    operationId: 'getPaymentsForAccount',
    area: 'payments',
    summary: 'List the payments of an account',
    permission: 'NONE',
    query: { ...attempts, ...pluginInfo, ...auditParameter },
    success: { status: 200, body: listOf(Payment) },
    fails: noSuchAccount,
    async handle(call) {
      const { billing, context, params, query } = call;
      const payments = await billing.payments.ofAccount(context, params.accountId, paymentOptions(query));
      return auditedList(call, auditedPayment, payments);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/accounts/{accountId}/invoicePayments',
    operationId: 'getInvoicePayments',
    area: 'invoicePayments',
    summary: 'List the payments of an account with the invoices that they pay',
    permission: 'NONE',
    query: { ...attempts, ...pluginInfo, ...auditParameter },
    success: { status: 200, body: listOf(InvoicePayment) },
    fails: noSuchAccount,
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

function methodOptions(query: PluginInfoQuery & { readonly includedDeleted: boolean }) {
  const { includedDeleted: includeDeleted, withPluginInfo, pluginProperty: properties = [] } = query;
  return { includeDeleted, withPluginInfo, properties };
}

function paymentOptions(query: PluginInfoQuery & { readonly withAttempts: boolean }) {
  const { withAttempts, withPluginInfo, pluginProperty: properties = [] } = query;
  return { withAttempts, withPluginInfo, properties };
}

/** payments §10.1 rule 1. */
function checkSameAccount(ofPath: Uuid, ofBody: Uuid | null): void {
  if (ofBody === null || ofBody === ofPath) return;
  throw invalidField(`PaymentMethodJson accountId ${ofBody} is not the account ${ofPath} of the path`, {
    accountId: ofBody,
  });
}
