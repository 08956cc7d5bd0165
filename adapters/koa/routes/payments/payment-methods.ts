import type { PluginProperty } from '../../../../lib/records/index.ts';
import { ErrorCode, invalidField } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { PaymentMethod } from '../../models/payment.ts';
import { created } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { flag, pageParameters, plainText, pluginProperties, required, textList } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { audited, auditedList, auditedPage, auditParameter } from '../objects/audit.ts';
import { propertyOf } from './plugin-property.ts';

const noSuchAccount = [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID];
/** `PI` and `PP` of http-api §13. */
const pluginInfo = { withPluginInfo: flag(), pluginProperty: pluginProperties };
const reading = { includedDeleted: flag(), ...pluginInfo, ...auditParameter };

/** A method by one of its names. */
const readOne = {
  method: 'GET',
  permission: 'NONE',
  success: { status: 200, body: PaymentMethod },
  fails: [ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD, ErrorCode.PAYMENT_GET_PAYMENT_METHODS],
} as const;
const readPage = {
  method: 'GET',
  permission: 'NONE',
  query: { ...pageParameters, pluginName: plainText, ...pluginInfo, ...auditParameter },
  success: { status: 200, body: listOf(PaymentMethod), paged: true },
} as const;

export const paymentMethodRoutes: readonly Route[] = [
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/accounts/{accountId}/paymentMethods',
    operationId: 'createPaymentMethod',
    area: 'paymentMethods',
    summary: 'Add a payment method to an account',
    permission: 'payment_method:create',
    query: {
      isDefault: flag(),
      payAllUnpaidInvoices: flag(),
      controlPluginName: textList,
      pluginProperty: pluginProperties,
    },
    body: jsonBody(PaymentMethod),
    success: { status: 201, location: '/paymentMethods/{paymentMethodId}' },
    fails: [
      ...noSuchAccount,
      ErrorCode.PAYMENT_ADD_PAYMENT_METHOD,
      ErrorCode.PAYMENT_EXTERNAL_PAYMENT_METHOD_ALREADY_EXISTS,
      ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN,
      ErrorCode.PAYMENT_INVALID_PARAMETER,
      ErrorCode.PAYMENT_PLUGIN_API_ABORTED,
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
        ...(query.controlPluginName.length > 0 && { controlPlugins: query.controlPluginName }),
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
    query: reading,
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
    ...readOne,
    path: '/1.0/kb/paymentMethods/{paymentMethodId}',
    operationId: 'getPaymentMethod',
    summary: 'Read a payment method',
    query: reading,
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
    query: {
      payAllUnpaidInvoices: flag(),
      controlPluginName: textList,
      pluginProperty: pluginProperties,
    },
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
        ...(query.controlPluginName.length > 0 && { controlPlugins: query.controlPluginName }),
      }),
  }),
  tenantRoute({
    ...readOne,
    path: '/1.0/kb/paymentMethods',
    operationId: 'getPaymentMethodByKey',
    summary: 'Read the payment method with an external key',
    query: { externalKey: required(plainText), ...reading },
    async handle(call) {
      const { billing, context, query } = call;
      const method = await billing.paymentMethods.getByKey(context, query.externalKey, methodOptions(query));
      return audited(call, PaymentMethod, method);
    },
  }),
  tenantRoute({
    ...readPage,
    path: '/1.0/kb/paymentMethods/pagination',
    operationId: 'getPaymentMethods',
    summary: 'List payment methods',
    fails: [ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN],
    async handle(call) {
      const { billing, context, query } = call;
      return auditedPage(call, PaymentMethod, await billing.paymentMethods.page(context, listed(query)));
    },
  }),
  tenantRoute({
    ...readPage,
    path: '/1.0/kb/paymentMethods/search/{searchKey}',
    operationId: 'searchPaymentMethods',
    summary:
      'Search payment methods by id, account id, external key or plugin name, by clauses (_q=1&…), or at their gateways',
    fails: [
      ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN,
      ErrorCode.PAYMENT_PLUGIN_SEARCH_PAYMENT_METHODS,
      ErrorCode.PAYMENT_PLUGIN_TIMEOUT,
    ],
    async handle(call) {
      const { billing, context, params, query } = call;
      const { searchKey } = params;
      const found = await billing.paymentMethods.search(context, searchKey, listed(query));
      return auditedPage(call, PaymentMethod, found);
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/1.0/kb/paymentMethods/{paymentMethodId}',
    operationId: 'deletePaymentMethod',
    summary: 'Delete a payment method; the default of its account only if a flag asks for it',
    permission: 'payment_method:delete',
    query: {
      deleteDefaultPmWithAutoPayOff: flag(),
      forceDefaultPmDeletion: flag(),
      pluginProperty: pluginProperties,
    },
    fails: [
      ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
      ErrorCode.PAYMENT_DEL_DEFAULT_PAYMENT_METHOD,
      ErrorCode.PAYMENT_DEL_PAYMENT_METHOD,
      ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN,
      ErrorCode.PAYMENT_PLUGIN_TIMEOUT,
    ],
    handle: ({ billing, context, params, query }) =>
      billing.paymentMethods.delete(context, {
        ...params,
        withAutoPayOff: query.deleteDefaultPmWithAutoPayOff,
        force: query.forceDefaultPmDeletion,
        properties: query.pluginProperty,
      }),
  }),
  tenantRoute({
    method: 'PUT',
    path: '/1.0/kb/accounts/{accountId}/paymentMethods/refresh',
    operationId: 'refreshPaymentMethods',
    area: 'paymentMethods',
    summary: 'Bring the payment methods of an account to what their gateways hold',
    permission: 'payment_method:update',
    query: { pluginName: textList, PluginName: textList, pluginProperty: pluginProperties },
    fails: [
      ...noSuchAccount,
      ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN,
      ErrorCode.PAYMENT_REFRESH_PAYMENT_METHOD,
      ErrorCode.PAYMENT_PLUGIN_TIMEOUT,
    ],
    handle: ({ billing, context, params, query }) =>
      billing.paymentMethods.refresh(context, {
        accountId: params.accountId,
        pluginNames: [...query.pluginName, ...query.PluginName],
        properties: query.pluginProperty,
      }),
  }),
];

interface PluginInfoQuery {
  readonly withPluginInfo: boolean;
  readonly pluginProperty: readonly PluginProperty[];
}

function methodOptions(query: PluginInfoQuery & { readonly includedDeleted: boolean }) {
  const { includedDeleted: includeDeleted, withPluginInfo, pluginProperty: properties } = query;
  return { includeDeleted, withPluginInfo, properties };
}

function listed<Q extends PluginInfoQuery>({ pluginProperty: properties, ...query }: Q) {
  return { ...query, properties };
}

/** payments §10.1 rule 1. */
function checkSameAccount(ofPath: Uuid, ofBody: Uuid | null): void {
  if (ofBody === null || ofBody === ofPath) return;
  throw invalidField(`PaymentMethodJson accountId ${ofBody} is not the account ${ofPath} of the path`, {
    accountId: ofBody,
  });
}
