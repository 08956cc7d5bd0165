import type { ComboParties } from '../../../../lib/payments/index.ts';
import type { PluginProperty } from '../../../../lib/records/index.ts';
import { isPermitted, type Permission } from '../../../../lib/security/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import type { comboFields } from '../../models/hosted-page.ts';
import type { TenantCall } from '../../routing/route.ts';
import type { RequestOf } from '../../wire/model.ts';
import { propertyOf } from './plugin-property.ts';

type ComboCall = Pick<TenantCall<string, never, unknown>, 'user'>;
type Combo = RequestOf<typeof comboFields>;

/** Errors of account and payment method in a combined request. */
export const comboFailures = [
  ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
  ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
  ErrorCode.PAYMENT_ADD_PAYMENT_METHOD,
  ErrorCode.PAYMENT_NO_SUCH_PAYMENT_PLUGIN,
  ErrorCode.PAYMENT_EXTERNAL_PAYMENT_METHOD_ALREADY_EXISTS,
  ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED,
];

/** What a caller needs to have made what is not there, for the document. */
export const makingNeeds = {
  'where the account is made': 'account:create',
  'where the payment method is made': 'payment_method:create',
} as const;

/** Account and payment method of a body; what it makes needs the permission of making it (http-api §5). */
export function partiesOf({ user }: ComboCall, combo: Combo): ComboParties {
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
            details: {
              externalPaymentMethodId: asked.pluginInfo?.externalPaymentMethodId ?? null,
              properties: (asked.pluginInfo?.properties ?? []).map(propertyOf),
            },
          },
    paymentMethodProperties: propertiesOf(combo.paymentMethodPluginProperties),
    mayCreate: { account: may('account:create'), paymentMethod: may('payment_method:create') },
  };
}

/** Plugin properties of a body, as plugins get them. */
export function propertiesOf(
  given: readonly Parameters<typeof propertyOf>[0][] | null | undefined,
): readonly PluginProperty[] {
  return (given ?? []).map(propertyOf);
}
