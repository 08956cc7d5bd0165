import { invalidField } from '../../../../lib/values/errors/index.ts';
import { PaymentMethod } from '../../models/payment.ts';
import { auditParameter } from '../../routing/audited.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import {
  flag,
  pageParameters,
  plainText,
  pluginProperties,
  type QueryOf,
  requiredParameter,
  textList,
} from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { controlled, controlOf, detailsOf, pluginInfo } from './payment-parts.ts';

const query = { includedDeleted: flag(), ...pluginInfo, ...auditParameter };
const oneMethod = {
  shows: PaymentMethod,
  query,
  fails: ['PAYMENT_NO_SUCH_PAYMENT_METHOD', 'PAYMENT_GET_PAYMENT_METHODS'],
} as const;
const methodPages = {
  query: { ...pageParameters, pluginName: plainText, ...pluginInfo, ...auditParameter },
  shows: listOf(PaymentMethod),
};

export const paymentMethodRoutes: readonly Route[] = [
  tenantRoute('createPaymentMethod', 'POST /accounts/{accountId}/paymentMethods', {
    area: 'paymentMethods',
    summary: 'Add a payment method to an account',
    permission: 'payment_method:create',
    query: { isDefault: flag(), payAllUnpaidInvoices: flag(), ...controlled },
    body: jsonBody(PaymentMethod),
    creates: '/paymentMethods/{paymentMethodId}',
    fails: [
      'PAYMENT_ADD_PAYMENT_METHOD',
      'PAYMENT_EXTERNAL_PAYMENT_METHOD_ALREADY_EXISTS',
      'PAYMENT_NO_SUCH_PAYMENT_PLUGIN',
      'PAYMENT_INVALID_PARAMETER',
      'PAYMENT_PLUGIN_API_ABORTED',
    ],
    async handle({ billing, context, params, query, body }) {
      const { accountId } = params;
      // payments §10.1 rule 1
      if (body.accountId != null && body.accountId !== accountId) {
        const message = `PaymentMethodJson accountId ${body.accountId} does not match the account in the path, ${accountId}`;
        throw invalidField(message, { accountId: body.accountId });
      }
      return billing.addPaymentMethod(context, {
        accountId,
        pluginName: body.pluginName ?? '',
        externalKey: body.externalKey || null,
        isDefault: query.isDefault,
        payAllUnpaidInvoices: query.payAllUnpaidInvoices,
        details: detailsOf(body.pluginInfo),
        ...controlOf(query),
      });
    },
  }),
  tenantRoute('getPaymentMethodsForAccount', 'GET /accounts/{accountId}/paymentMethods', {
    area: 'paymentMethods',
    summary: 'List the payment methods of an account',
    query,
    shows: listOf(PaymentMethod),
    handle: ({ billing, context, params, query }) =>
      billing.paymentMethods.ofAccount(context, params.accountId, readOptions(query)),
  }),
  tenantRoute('getPaymentMethod', 'GET /paymentMethods/{paymentMethodId}', {
    ...oneMethod,
    summary: 'Get a payment method',
    handle: ({ billing, context, params, query }) =>
      billing.paymentMethods.get(context, params.paymentMethodId, readOptions(query)),
  }),
  tenantRoute(
    'setDefaultPaymentMethod',
    'PUT /accounts/{accountId}/paymentMethods/{paymentMethodId}/setDefault',
    {
      area: 'paymentMethods',
      summary: 'Make a payment method the default of its account',
      permission: 'payment_method:create',
      query: { payAllUnpaidInvoices: flag(), ...controlled },
      fails: ['PAYMENT_METHOD_DIFFERENT_ACCOUNT_ID', 'PAYMENT_UPD_PAYMENT_METHOD'],
      handle: ({ billing, context, params, query }) =>
        billing.paymentMethods.setDefault(context, {
          ...params,
          payAllUnpaidInvoices: query.payAllUnpaidInvoices,
          ...controlOf(query),
        }),
    },
  ),
  tenantRoute('getPaymentMethodByKey', 'GET /paymentMethods', {
    ...oneMethod,
    summary: 'Get a payment method by its external key',
    query: { externalKey: requiredParameter(plainText), ...query },
    handle: ({ billing, context, query }) =>
      billing.paymentMethods.getByKey(context, query.externalKey, readOptions(query)),
  }),
  tenantRoute('getPaymentMethods', 'GET /paymentMethods/pagination', {
    ...methodPages,
    summary: 'List payment methods',
    fails: ['PAYMENT_NO_SUCH_PAYMENT_PLUGIN'],
    handle: ({ billing, context, query: { pluginProperty: properties, ...request } }) =>
      billing.paymentMethods.page(context, { ...request, properties }),
  }),
  tenantRoute('searchPaymentMethods', 'GET /paymentMethods/search/{searchKey}', {
    ...methodPages,
    summary:
      'Search payment methods by id, account id, external key or plugin name, by clauses (_q=1&…), or at their gateways',
    fails: [
      'PAYMENT_NO_SUCH_PAYMENT_PLUGIN',
      'PAYMENT_PLUGIN_SEARCH_PAYMENT_METHODS',
      'PAYMENT_PLUGIN_TIMEOUT',
    ],
    handle: ({ billing, context, params, query: { pluginProperty: properties, ...request } }) =>
      billing.paymentMethods.search(context, params.searchKey, { ...request, properties }),
  }),
  tenantRoute('deletePaymentMethod', 'DELETE /paymentMethods/{paymentMethodId}', {
    summary: 'Delete a payment method; deleting the account default requires a flag',
    permission: 'payment_method:delete',
    query: {
      deleteDefaultPmWithAutoPayOff: flag(),
      forceDefaultPmDeletion: flag(),
      pluginProperty: pluginProperties,
    },
    fails: [
      'PAYMENT_DEL_DEFAULT_PAYMENT_METHOD',
      'PAYMENT_DEL_PAYMENT_METHOD',
      'PAYMENT_NO_SUCH_PAYMENT_PLUGIN',
      'PAYMENT_PLUGIN_TIMEOUT',
    ],
    handle: ({ billing, context, params, query }) =>
      billing.paymentMethods.delete(context, {
        ...params,
        withAutoPayOff: query.deleteDefaultPmWithAutoPayOff,
        force: query.forceDefaultPmDeletion,
        properties: query.pluginProperty,
      }),
  }),
  tenantRoute('refreshPaymentMethods', 'PUT /accounts/{accountId}/paymentMethods/refresh', {
    area: 'paymentMethods',
    summary: 'Synchronize the payment methods of an account with their gateways',
    permission: 'payment_method:update',
    query: { pluginName: textList, PluginName: textList, pluginProperty: pluginProperties },
    fails: ['PAYMENT_NO_SUCH_PAYMENT_PLUGIN', 'PAYMENT_REFRESH_PAYMENT_METHOD', 'PAYMENT_PLUGIN_TIMEOUT'],
    handle: ({ billing, context, params, query }) =>
      billing.paymentMethods.refresh(context, {
        accountId: params.accountId,
        pluginNames: [...query.pluginName, ...query.PluginName],
        properties: query.pluginProperty,
      }),
  }),
];

function readOptions(query: QueryOf<typeof pluginInfo> & { readonly includedDeleted: boolean }) {
  const { includedDeleted: includeDeleted, withPluginInfo, pluginProperty: properties } = query;
  return { includeDeleted, withPluginInfo, properties };
}
