import type { Billing } from '../../../../lib/billing.ts';
import { type NotificationAnswerView, noSignedNotifications } from '../../../../lib/payments/index.ts';
import type { TenantRef } from '../../../../lib/records/index.ts';
import { BillingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import {
  ComboHostedPaymentPage,
  HostedPaymentPageFields,
  HostedPaymentPageFormDescriptor,
} from '../../models/hosted-page.ts';
import { type Answer, jsonType } from '../../routing/answer.ts';
import { jsonBody, rawBody } from '../../routing/body.ts';
import { type Route, signatureRoute, tenantRoute } from '../../routing/route.ts';
import { uuidParameter } from '../../wire/query.ts';
import {
  comboFailures,
  controlled,
  controlOf,
  creationPermissions,
  partiesOf,
  propertiesOf,
} from './payment-parts.ts';

const controlledFailures = [
  'PAYMENT_NO_SUCH_PAYMENT_PLUGIN',
  'PAYMENT_PLUGIN_EXCEPTION',
  'PAYMENT_PLUGIN_TIMEOUT',
  'PAYMENT_INTERNAL_ERROR',
  'PAYMENT_PLUGIN_API_ABORTED',
] as const;
const formFailures = [
  ...controlledFailures,
  'ACCOUNT_DOES_NOT_EXIST_FOR_ID',
  'PAYMENT_NO_SUCH_PAYMENT_METHOD',
  'PAYMENT_INVALID_PARAMETER',
] as const;

/** Routes for hosted pages and gateway notifications (payments §11). */
export const paymentGatewayRoutes: readonly Route[] = [
  tenantRoute('buildFormDescriptor', 'POST /paymentGateways/hosted/form/{accountId}', {
    summary: "Get the form for a gateway's hosted payment page",
    permission: 'NONE',
    query: { paymentMethodId: uuidParameter, ...controlled },
    body: jsonBody(HostedPaymentPageFields),
    shows: HostedPaymentPageFormDescriptor,
    fails: formFailures,
    handle: ({ billing, context, params, query, body }) =>
      billing.paymentGateways.buildForm(context, {
        accountId: params.accountId,
        paymentMethodId: query.paymentMethodId,
        formFields: propertiesOf(body.formFields),
        ...controlOf(query),
      }),
  }),
  tenantRoute('buildComboFormDescriptor', 'POST /paymentGateways/hosted/form', {
    summary:
      "Get the form for a gateway's hosted payment page, creating the account and payment method if they do not exist",
    permission: 'NONE',
    needsFor: creationPermissions,
    query: controlled,
    body: jsonBody(ComboHostedPaymentPage),
    shows: HostedPaymentPageFormDescriptor,
    fails: [...formFailures, ...comboFailures],
    async handle(call) {
      const { billing, context, query, body } = call;
      return billing.paymentGateways.buildComboForm(context, {
        ...partiesOf(call, body),
        formFields: propertiesOf(body.hostedPaymentPageFields?.formFields),
        ...controlOf(query),
      });
    },
  }),
  tenantRoute('processNotification', 'POST /paymentGateways/notification/{pluginName}', {
    summary: "Pass a notification to a payment gateway and return the gateway's response",
    permission: 'payment:notification',
    author: false,
    query: controlled,
    body: rawBody,
    success: { status: 200 },
    fails: controlledFailures,
    async handle({ billing, context, params, query, body, authorship, sent }) {
      const { pluginName } = params;
      const asAuthor = { ...context, userName: authorship.createdBy ?? pluginName };
      const answer = await billing.paymentGateways.processNotification(asAuthor, {
        pluginName,
        body: new TextDecoder('utf-8', { ignoreBOM: true }).decode(body) || sent.queryString,
        ...controlOf(query),
      });
      return answerOf(answer);
    },
  }),
  signatureRoute('receiveGatewayNotification', 'POST /gateways/{tenantApiKey}/{pluginName}', {
    area: 'paymentGateways',
    summary: 'Receive a signed notification from a payment processor',
    permission: 'NONE',
    body: rawBody,
    success: { status: 200 },
    fails: [...controlledFailures, 'ROUTE_NOT_FOUND', 'UNAUTHENTICATED'],
    async handle({ billing, params, body, sent, userToken, countNotification }) {
      const { pluginName } = params;
      return countNotification(async (verified) => {
        const tenant = await tenantOfKey(billing, params.tenantApiKey);
        const context = await billing.context({ tenant, user: pluginName, userToken });
        const { headers, queryString: query } = sent;
        const notification = { pluginName, rawBody: body, headers, query, verified };
        return answerOf(await billing.paymentGateways.processSignedNotification(context, notification));
      });
    },
  }),
];

/** Returns the gateway's response. Its default type is plain text. */
function answerOf({ status, entity, headers }: NotificationAnswerView): Answer {
  const { 'content-type': type, ...others } = headers;
  const shown = type ?? (entity === null ? jsonType : 'text/plain; charset=utf-8');
  const answer = { status, headers: { ...others, 'Content-Type': shown } };
  return entity === null ? answer : { ...answer, text: entity };
}

/**
 * Returns the tenant of an API key.
 * @throws BillingError ROUTE_NOT_FOUND (60008) for an unknown key. An unknown gateway causes the same error.
 */
async function tenantOfKey({ tenants }: Pick<Billing, 'tenants'>, apiKey: string): Promise<TenantRef> {
  try {
    const { id, recordId } = await tenants.getByApiKey(apiKey);
    return { id, recordId };
  } catch (error) {
    const isUnknown = error instanceof BillingError && error.code !== ErrorCode.BUSY;
    throw isUnknown ? noSignedNotifications() : error;
  }
}
