import type { ComboParties, PaymentResult } from '../../../../lib/payments/index.ts';
import { type PluginProperty, TransactionStatus } from '../../../../lib/records/index.ts';
import { isPermitted, type Permission } from '../../../../lib/security/index.ts';
import { ErrorCode, invalidField } from '../../../../lib/values/errors/index.ts';
import type { comboFields } from '../../models/hosted-page.ts';
import { type PaymentMethodPluginDetail, PaymentTransactionInput } from '../../models/payment.ts';
import { type Answer, AnsweredError } from '../../routing/answer.ts';
import { optionalJsonBody } from '../../routing/body.ts';
import type { TenantCall } from '../../routing/route.ts';
import type { RequestOf } from '../../wire/model.ts';
import { flag, pluginProperties, type QueryOf, textList } from '../../wire/query.ts';

/** Parameters of read operations: plugin info and plugin properties. */
export const pluginInfo = { withPluginInfo: flag(), pluginProperty: pluginProperties };

/** Parameters of operations: control plugins and plugin properties. */
export const controlled = { controlPluginName: textList, pluginProperty: pluginProperties };

export function controlOf({ controlPluginName, pluginProperty }: QueryOf<typeof controlled>) {
  return {
    properties: pluginProperty,
    ...(controlPluginName.length > 0 && { controlPlugins: controlPluginName }),
  };
}

export const transactionBody = optionalJsonBody(PaymentTransactionInput);

export type TransactionBody = NonNullable<ReturnType<typeof transactionBody.read>>;

export function inputOf(body: TransactionBody | null, query: QueryOf<typeof controlled>) {
  return {
    externalKey: body?.paymentExternalKey || null,
    transactionExternalKey: body?.transactionExternalKey || null,
    amount: body?.amount ?? null,
    currency: body?.currency ?? null,
    effectiveDate: body?.effectiveDate ?? null,
    ...controlOf(query),
    properties: [...query.pluginProperty, ...propertiesOf(body?.properties)],
  };
}

export function transactionSelector(body: TransactionBody | null) {
  return { transactionId: body?.transactionId ?? null, transactionType: body?.transactionType ?? null };
}

export function missing(field: string): never {
  throw invalidField(`PaymentTransactionJson ${field} needs to be set`, { field });
}

type SentProperties = NonNullable<SentDetails>['properties'];

export function propertiesOf(sent: SentProperties): readonly PluginProperty[] {
  return (sent ?? []).map(({ key, value, isUpdatable }) => ({
    key: key ?? '',
    value: value ?? null,
    isUpdatable: isUpdatable ?? false,
  }));
}

type SentDetails = RequestOf<typeof PaymentMethodPluginDetail.fields> | null | undefined;

export function detailsOf(pluginInfo: SentDetails) {
  return {
    externalPaymentMethodId: pluginInfo?.externalPaymentMethodId ?? null,
    properties: propertiesOf(pluginInfo?.properties),
  };
}

export const comboFailures = [
  'ACCOUNT_DOES_NOT_EXIST_FOR_ID',
  'PAYMENT_NO_SUCH_PAYMENT_METHOD',
  'PAYMENT_ADD_PAYMENT_METHOD',
  'PAYMENT_NO_SUCH_PAYMENT_PLUGIN',
  'PAYMENT_EXTERNAL_PAYMENT_METHOD_ALREADY_EXISTS',
  'EXTERNAL_KEY_LIMIT_EXCEEDED',
] as const;

export const creationPermissions = {
  'if the account is created': 'account:create',
  'if the payment method is created': 'payment_method:create',
} as const;

/**
 * Returns the account and method of a payment. If one of them is missing, the caller needs the permission to create it
 * (http-api §5).
 */
export function partiesOf(
  { user }: Pick<TenantCall<string, never, unknown>, 'user'>,
  combo: RequestOf<typeof comboFields>,
): ComboParties {
  const may = (permission: Permission) => user === null || isPermitted(user.permissions, permission);
  const { paymentMethod: asked } = combo;
  return {
    account: combo.account ?? {},
    paymentMethod:
      asked == null
        ? null
        : {
            paymentMethodId: asked.paymentMethodId ?? null,
            pluginName: asked.pluginName ?? null,
            externalKey: asked.externalKey ?? null,
            details: detailsOf(asked.pluginInfo),
          },
    paymentMethodProperties: propertiesOf(combo.paymentMethodPluginProperties),
    mayCreate: { account: may('account:create'), paymentMethod: may('payment_method:create') },
  };
}

/** Errors of the routes that return payment results (http-api §12). */
export const paymentFailures = [
  'PAYMENT_NO_SUCH_PAYMENT_METHOD',
  'PAYMENT_NO_SUCH_PAYMENT',
  'PAYMENT_NO_SUCH_SUCCESS_PAYMENT',
  'PAYMENT_NO_SUCH_PAYMENT_PLUGIN',
  'PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS',
  'PAYMENT_INVALID_PARAMETER',
  'PAYMENT_INVALID_OPERATION',
  'PAYMENT_DIFFERENT_ACCOUNT_ID',
  'PAYMENT_TRANSACTION_DIFFERENT_ACCOUNT_ID',
  'PAYMENT_PLUGIN_EXCEPTION',
  'PAYMENT_PLUGIN_TIMEOUT',
  'PAYMENT_PLUGIN_API_ABORTED',
  'PAYMENT_INTERNAL_ERROR',
  'EXTERNAL_KEY_LIMIT_EXCEEDED',
] as const;

/** Statuses of the response, by outcome of the transaction (http-api §12). */
export const paymentOutcomes = {
  402: 'The gateway declined: error code 7009',
  502: 'The gateway failed: error code 7199',
  503: 'Error code 7019: the outcome is not yet known; 60018: nothing was attempted',
};

/**
 * Returns the success status of the route.
 * @throws AnsweredError if the transaction failed. The error contains status 402, 502 or 503 and the payment (http-api
 * §12).
 */
export function outcomeOf(
  { payment, transaction }: PaymentResult,
  pointing: { readonly onSuccess?: boolean; readonly onFailure?: boolean } = {},
): Answer {
  const location = `/payments/${payment.id}`;
  const fail = (status: number, code: ErrorCode, message: string): never => {
    const facts = { paymentId: payment.id, transactionId: transaction.id };
    const place = pointing.onFailure === false ? {} : { location };
    throw new AnsweredError({ code, message, facts }, { status, ...place });
  };
  switch (transaction.status) {
    case TransactionStatus.SUCCESS:
    case TransactionStatus.PENDING:
      return pointing.onSuccess === false ? {} : { location };
    case TransactionStatus.PAYMENT_FAILURE: {
      const message = `Payment decline by gateway. Error message: ${transaction.gatewayErrorMsg}`;
      return fail(402, ErrorCode.PAYMENT_CREATE_PAYMENT, message);
    }
    case TransactionStatus.PLUGIN_FAILURE:
      return fail(502, ErrorCode.PAYMENT_PLUGIN_EXCEPTION, 'Failed to submit payment transaction');
    default: {
      const message = 'Payment in unknown status, failed to receive gateway response.';
      return fail(503, ErrorCode.PAYMENT_INTERNAL_ERROR, message);
    }
  }
}
