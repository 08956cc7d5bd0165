import { isPermitted } from '../../../../lib/security/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { formatLocalDate } from '../../../../lib/values/time/index.ts';
import { Dialect } from '../../dialect.ts';
import {
  auditedIdsOfPayment,
  InvoicePayment,
  InvoicePaymentRequest,
  InvoicePaymentTransaction,
  PaymentTransactionInput,
} from '../../models/payment.ts';
import { created, nothing } from '../../routing/answer.ts';
import { jsonBody, optionalJsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { amountParameter, flag, moment, pluginProperties, uuidParameter } from '../../wire/query.ts';
import { requestedDay } from '../invoices/requested-day.ts';
import { audited, auditParameter } from '../objects/audit.ts';
import { controlled, inputOf, missing } from './payment-operations.ts';
import { outcomeOf, paymentFailures, paymentOutcomes } from './payment-outcome.ts';

const success = { status: 201, location: '/invoicePayments/{paymentId}' } as const;
const path = '/1.0/kb/invoicePayments/{paymentId}' as const;

export const invoicePaymentRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path,
    operationId: 'getInvoicePayment',
    summary: 'Read a payment with the invoice that it pays',
    permission: 'NONE',
    query: {
      withPluginInfo: flag(),
      withAttempts: flag(),
      pluginProperty: pluginProperties,
      ...auditParameter,
    },
    success: { status: 200, body: InvoicePayment },
    fails: [ErrorCode.PAYMENT_NO_SUCH_PAYMENT],
    async handle(call) {
      const { billing, context, params, query } = call;
      const { withPluginInfo, withAttempts, pluginProperty: properties } = query;
      const options = { withPluginInfo, withAttempts, properties };
      const payment = await billing.payments.invoicePayment(context, params.paymentId, options);
      return audited(call, { write: InvoicePayment.write, idsOf: auditedIdsOfPayment }, payment);
    },
  }),
  tenantRoute({
    method: 'PUT',
    path,
    operationId: 'completeInvoicePaymentTransaction',
    summary: 'Complete a pending transaction of a payment of an invoice',
    permission: 'payment:trigger',
    query: controlled,
    body: optionalJsonBody(PaymentTransactionInput),
    fails: [...paymentFailures, ErrorCode.INVOICE_PAYMENT_NOT_FOUND],
    outcomes: paymentOutcomes,
    async handle({ billing, context, params, query, body }) {
      const result = await billing.invoicePayments.complete(context, {
        ...inputOf(body, query),
        ...params,
        externalKey: null,
        transactionId: body?.transactionId ?? null,
        transactionType: body?.transactionType ?? null,
      });
      return outcomeOf(result, { at: null, failedAt: null });
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${path}/refunds`,
    operationId: 'createRefundWithAdjustments',
    summary: 'Refund a payment of an invoice, with or without adjusting its items',
    permission: 'payment:refund',
    query: { externalPayment: flag(), paymentMethodId: uuidParameter, ...controlled },
    body: jsonBody(InvoicePaymentTransaction),
    success,
    fails: [
      ...paymentFailures,
      ErrorCode.INVOICE_PAYMENT_NOT_FOUND,
      ErrorCode.INVOICE_REFUND_AMOUNT_TOO_HIGH,
      ErrorCode.INVOICE_REFUND_AMOUNT_DONT_MATCH_ITEMS_TO_ADJUST,
      ErrorCode.INVOICE_ITEMS_ADJUSTMENT_MISSING,
      ErrorCode.INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID,
      ErrorCode.INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID,
    ],
    async handle({ billing, context, params, query, body }) {
      const { payment } = await billing.invoicePayments.refund(context, {
        ...inputOf(body, query),
        paymentId: params.paymentId,
        externalKey: null,
        isAdjusted: body.isAdjusted ?? false,
        adjustments: (body.adjustments ?? []).map(({ invoiceItemId, amount, description }) => ({
          invoiceItemId: invoiceItemId ?? missing('invoiceItemId'),
          amount: amount ?? null,
          description: description ?? null,
        })),
        isExternal: query.externalPayment,
        paymentMethodId: query.paymentMethodId,
      });
      return created(`/invoicePayments/${payment.id}`);
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${path}/chargebacks`,
    operationId: 'createChargeback',
    summary: 'Record a chargeback of a payment of an invoice',
    permission: 'payment:chargeback',
    query: controlled,
    body: jsonBody(InvoicePaymentTransaction),
    success,
    fails: [
      ...paymentFailures,
      ErrorCode.INVOICE_PAYMENT_NOT_FOUND,
      ErrorCode.INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH,
      ErrorCode.INVOICE_CHARGE_BACK_AMOUNT_IS_NEGATIVE,
    ],
    async handle({ billing, context, dialect, params, query, body }) {
      const { payment } = await billing.invoicePayments.chargeback(context, {
        ...inputOf(body, query),
        amount: body.amount ?? missing('amount'),
        paymentId: params.paymentId,
        externalKey: null,
        recordsExcess: dialect === Dialect.K,
      });
      return created(`/invoicePayments/${payment.id}`);
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${path}/chargebackReversals`,
    operationId: 'createChargebackReversal',
    summary: 'Record that a chargeback of a payment of an invoice was reversed',
    permission: 'payment:chargeback',
    query: controlled,
    body: jsonBody(InvoicePaymentTransaction),
    success,
    fails: [...paymentFailures, ErrorCode.INVOICE_PAYMENT_NOT_FOUND],
    async handle({ billing, context, params, query, body }) {
      const { payment } = await billing.invoicePayments.reverseChargeback(context, {
        ...inputOf(body, query),
        transactionExternalKey: body.transactionExternalKey || missing('transactionExternalKey'),
        paymentId: params.paymentId,
        externalKey: null,
      });
      return created(`/invoicePayments/${payment.id}`);
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/invoices/{invoiceId}/payments',
    operationId: 'createInstantPayment',
    area: 'invoices',
    summary: 'Pay an invoice',
    permission: 'payment:trigger',
    query: { externalPayment: flag(), ...controlled },
    body: jsonBody(InvoicePaymentRequest),
    success: { ...success, emptyStatus: 204 },
    fails: [
      ...paymentFailures,
      ErrorCode.INVOICE_NOT_FOUND,
      ErrorCode.PAYMENT_NO_DEFAULT_PAYMENT_METHOD,
      ErrorCode.PAYMENT_METHOD_DIFFERENT_ACCOUNT_ID,
    ],
    async handle({ billing, context, params, query, body }) {
      const result = await billing.invoicePayments.pay(context, {
        ...params,
        accountId: body.accountId ?? null,
        amount: body.purchasedAmount ?? null,
        paymentMethodId: body.paymentMethodId ?? null,
        isExternal: query.externalPayment,
        externalKey: body.paymentExternalKey || null,
        transactionExternalKey: body.transactions?.[0]?.transactionExternalKey || null,
        properties: query.pluginProperty,
        ...(query.controlPluginName.length > 0 && { controlPlugins: query.controlPluginName }),
      });
      return result === null ? nothing : created(`/invoicePayments/${result.payment.id}`);
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/accounts/{accountId}/invoicePayments',
    operationId: 'payAllInvoices',
    area: 'invoicePayments',
    summary: 'Pay the unpaid invoices of an account',
    permission: 'payment:trigger',
    needsFor: { 'where an external payment is more than what is owed': 'account:credit' },
    query: {
      paymentMethodId: uuidParameter,
      externalPayment: flag(),
      paymentAmount: amountParameter,
      targetDate: moment,
      ...controlled,
    },
    success: { status: 201, emptyStatus: 204, location: '/accounts/{accountId}/invoices' },
    fails: [
      ...paymentFailures,
      ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
      ErrorCode.PAYMENT_NO_DEFAULT_PAYMENT_METHOD,
      ErrorCode.PAYMENT_METHOD_DIFFERENT_ACCOUNT_ID,
    ],
    async handle(call) {
      const { billing, context, params, query, user } = call;
      const targetDate = await requestedDay(call, params.accountId, query.targetDate);
      const paid = await billing.invoicePayments.payAll(context, {
        ...params,
        amount: query.paymentAmount,
        paymentMethodId: query.paymentMethodId,
        isExternal: query.externalPayment,
        // Whether there will be an overpayment is known under the account's lock only (http-api §5).
        mayCredit: isPermitted(user?.permissions ?? [], 'account:credit'),
        targetDate,
        properties: query.pluginProperty,
        ...(query.controlPluginName.length > 0 && { controlPlugins: query.controlPluginName }),
      });
      if (paid === null) return nothing;
      const { startDate, endDate, invoiceIds } = paid;
      const dates = startDate === null || endDate === null ? [] : [startDate, endDate].map(formatLocalDate);
      return created(locationOfInvoices(params.accountId, { dates, invoiceIds }));
    },
  }),
];

/** The invoices of the account that were tried. */
function locationOfInvoices(
  accountId: Uuid,
  { dates, invoiceIds }: { readonly dates: readonly string[]; readonly invoiceIds: readonly Uuid[] },
): string {
  const [startDate = '', endDate = ''] = dates;
  const query = new URLSearchParams({ startDate, endDate, invoicesFilter: invoiceIds.join(',') });
  return `/accounts/${accountId}/invoices?${query}`;
}
