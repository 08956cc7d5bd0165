import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { auditedIdsOfPayment, Payment } from '../../models/payment.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { flag, pageParameters, plainText, pluginProperties } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { auditedPage, auditParameter } from '../objects/audit.ts';

const paged = {
  permission: 'NONE',
  query: {
    ...pageParameters,
    pluginName: plainText,
    withAttempts: flag(),
    withPluginInfo: flag(),
    pluginProperty: pluginProperties,
    ...auditParameter,
  },
  success: { status: 200, body: listOf(Payment), paged: true },
} as const;

const shown = { write: Payment.write, idsOf: auditedIdsOfPayment };

/** Payments of the whole tenant (http-api §13). */
export const paymentListRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/payments/pagination',
    operationId: 'getPayments',
    summary: 'List payments, all or those of a gateway',
    ...paged,
    fails: [ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN],
    async handle(call) {
      const { billing, context, query } = call;
      const { pluginProperty: properties, ...request } = query;
      return auditedPage(call, shown, await billing.payments.page(context, { ...request, properties }));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/payments/search/{searchKey}',
    operationId: 'searchPayments',
    summary:
      'Search payments by id, account id, payment method id, external key or state, by clauses (_q=1&…), or by a gateway',
    ...paged,
    fails: [ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN, ErrorCode.PAYMENT_PLUGIN_SEARCH_PAYMENTS],
    async handle(call) {
      const { billing, context, params, query } = call;
      const { pluginProperty: properties, ...request } = query;
      const found = await billing.payments.search(context, params.searchKey, { ...request, properties });
      return auditedPage(call, shown, found);
    },
  }),
];
