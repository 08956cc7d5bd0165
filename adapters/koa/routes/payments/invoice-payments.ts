import { isPermitted } from '../../../../lib/security/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { formatLocalDate } from '../../../../lib/values/time/index.ts';
import { Dialect } from '../../dialect.ts';
import {
  auditedIdsOfPayment,
  InvoicePayment,
  InvoicePaymentRequest,
  InvoicePaymentTransaction,
} from '../../models/payment.ts';
import { nothing } from '../../routing/answer.ts';
import { auditParameter } from '../../routing/audited.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import {
  amountParameter,
  flag,
  moment,
  pluginProperties,
  type QueryOf,
  uuidParameter,
} from '../../wire/query.ts';
import { requestedDay } from '../invoices/invoices.ts';
import {
  controlled,
  controlOf,
  inputOf,
  missing,
  outcomeOf,
  paymentFailures,
  paymentOutcomes,
  type TransactionBody,
  transactionBody,
  transactionSelector,
} from './payment-parts.ts';
import { readOptions } from './payments.ts';

const failures = [...paymentFailures, 'INVOICE_PAYMENT_NOT_FOUND'] as const;
const payFailures = [
  ...paymentFailures,
  'PAYMENT_NO_DEFAULT_PAYMENT_METHOD',
  'PAYMENT_METHOD_DIFFERENT_ACCOUNT_ID',
] as const;
const path = '/invoicePayments/{paymentId}' as const;

export const invoicePaymentRoutes: readonly Route[] = [
  tenantRoute('getInvoicePayment', `GET ${path}`, {
    summary: 'Get a payment with the invoice that it pays',
    query: {
      withPluginInfo: flag(),
      withAttempts: flag(),
      pluginProperty: pluginProperties,
      ...auditParameter,
    },
    shows: InvoicePayment,
    auditedIds: auditedIdsOfPayment,
    handle: ({ billing, context, params, query }) =>
      billing.payments.invoicePayment(context, params.paymentId, readOptions(query)),
  }),
  tenantRoute('completeInvoicePaymentTransaction', `PUT ${path}`, {
    summary: 'Complete a pending transaction of an invoice payment',
    permission: 'payment:trigger',
    query: controlled,
    body: transactionBody,
    fails: failures,
    outcomes: paymentOutcomes,
    async handle({ billing, context, params, query, body }) {
      const input = { ...paymentInput(body, query, params), ...transactionSelector(body) };
      const result = await billing.invoicePayments.complete(context, input);
      return outcomeOf(result, { onSuccess: false, onFailure: false });
    },
  }),
  tenantRoute('createRefundWithAdjustments', `POST ${path}/refunds`, {
    summary: 'Refund an invoice payment, with or without adjusting invoice items',
    permission: 'payment:refund',
    query: { externalPayment: flag(), paymentMethodId: uuidParameter, ...controlled },
    body: jsonBody(InvoicePaymentTransaction),
    creates: path,
    fails: [
      ...failures,
      'INVOICE_REFUND_AMOUNT_TOO_HIGH',
      'INVOICE_REFUND_AMOUNT_DONT_MATCH_ITEMS_TO_ADJUST',
      'INVOICE_ITEMS_ADJUSTMENT_MISSING',
      'INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID',
      'INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID',
    ],
    async handle({ billing, context, params, query, body }) {
      const { payment } = await billing.invoicePayments.refund(context, {
        ...paymentInput(body, query, params),
        isAdjusted: body.isAdjusted ?? false,
        adjustments: (body.adjustments ?? []).map(({ invoiceItemId, amount, description }) => ({
          invoiceItemId: invoiceItemId ?? missing('invoiceItemId'),
          amount: amount ?? null,
          description: description ?? null,
        })),
        isExternal: query.externalPayment,
        paymentMethodId: query.paymentMethodId,
      });
      return payment;
    },
  }),
  tenantRoute('createChargeback', `POST ${path}/chargebacks`, {
    summary: 'Record a chargeback of an invoice payment',
    permission: 'payment:chargeback',
    query: controlled,
    body: jsonBody(InvoicePaymentTransaction),
    creates: path,
    fails: [...failures, 'INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH', 'INVOICE_CHARGE_BACK_AMOUNT_IS_NEGATIVE'],
    async handle({ billing, context, dialect, params, query, body }) {
      const { payment } = await billing.invoicePayments.chargeback(context, {
        ...paymentInput(body, query, params),
        amount: body.amount ?? missing('amount'),
        recordsExcess: dialect === Dialect.K,
      });
      return payment;
    },
  }),
  tenantRoute('createChargebackReversal', `POST ${path}/chargebackReversals`, {
    summary: "Record the reversal of an invoice payment's chargeback",
    permission: 'payment:chargeback',
    query: controlled,
    body: jsonBody(InvoicePaymentTransaction),
    creates: path,
    fails: failures,
    async handle({ billing, context, params, query, body }) {
      const { payment } = await billing.invoicePayments.reverseChargeback(context, {
        ...paymentInput(body, query, params),
        transactionExternalKey: body.transactionExternalKey || missing('transactionExternalKey'),
      });
      return payment;
    },
  }),
  tenantRoute('createInstantPayment', 'POST /invoices/{invoiceId}/payments', {
    area: 'invoices',
    summary: 'Pay an invoice',
    permission: 'payment:trigger',
    query: { externalPayment: flag(), ...controlled },
    body: jsonBody(InvoicePaymentRequest),
    success: { status: 201, location: path, emptyStatus: 204 },
    fails: payFailures,
    async handle({ billing, context, params, query, body }) {
      const result = await billing.invoicePayments.pay(context, {
        ...params,
        accountId: body.accountId ?? null,
        amount: body.purchasedAmount ?? null,
        paymentMethodId: body.paymentMethodId ?? null,
        isExternal: query.externalPayment,
        externalKey: body.paymentExternalKey || null,
        transactionExternalKey: body.transactions?.[0]?.transactionExternalKey || null,
        ...controlOf(query),
      });
      return result === null ? nothing : { location: `/invoicePayments/${result.payment.id}` };
    },
  }),
  tenantRoute('payAllInvoices', 'POST /accounts/{accountId}/invoicePayments', {
    area: 'invoicePayments',
    summary: 'Pay the unpaid invoices of an account',
    permission: 'payment:trigger',
    needsFor: { 'if an external payment exceeds the amount owed': 'account:credit' },
    query: {
      paymentMethodId: uuidParameter,
      externalPayment: flag(),
      paymentAmount: amountParameter,
      targetDate: moment,
      ...controlled,
    },
    success: { status: 201, emptyStatus: 204, location: '/accounts/{accountId}/invoices' },
    fails: payFailures,
    async handle(call) {
      const { billing, context, params, query, user } = call;
      const targetDate = await requestedDay(call, params.accountId, query.targetDate);
      const paid = await billing.invoicePayments.payAll(context, {
        ...params,
        amount: query.paymentAmount,
        paymentMethodId: query.paymentMethodId,
        isExternal: query.externalPayment,
        // Overpayment can be determined only under the account's lock (http-api §5).
        mayCredit: isPermitted(user?.permissions ?? [], 'account:credit'),
        targetDate,
        ...controlOf(query),
      });
      if (paid === null) return nothing;
      const { startDate: from, endDate: to, invoiceIds } = paid;
      const isDated = from !== null && to !== null;
      const [startDate = '', endDate = ''] = isDated ? [from, to].map(formatLocalDate) : [];
      const tried = new URLSearchParams({ startDate, endDate, invoicesFilter: invoiceIds.join(',') });
      return { location: `/accounts/${params.accountId}/invoices?${tried}` };
    },
  }),
];

function paymentInput(
  body: TransactionBody | null,
  query: QueryOf<typeof controlled>,
  { paymentId }: { readonly paymentId: Uuid },
) {
  return { ...inputOf(body, query), paymentId, externalKey: null };
}
