import type { PaymentMethodView } from '../../../../lib/payments/index.ts';
import type { Account, PluginProperty } from '../../../../lib/records/index.ts';
import { BillingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { checkPermission } from '../../auth/check-permission.ts';
import type { comboFields } from '../../models/hosted-page.ts';
import type { TenantCall } from '../../routing/route.ts';
import type { RequestOf } from '../../wire/model.ts';
import { propertyOf } from './plugin-property.ts';

type ComboCall = Pick<TenantCall<string, never, unknown>, 'billing' | 'context' | 'user'>;
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

/**
 * Account and payment method of a combined request: those that it names, else new ones, which stay whatever becomes of the
 * rest (payments §11). A method that is made becomes the default if it is the account's first; null = it names none.
 * @param check what else must hold; asked after both were looked for, and before anything is written.
 */
export async function comboParties(
  call: ComboCall,
  combo: Combo,
  check: () => void = () => undefined,
): Promise<{ readonly accountId: Uuid; readonly paymentMethodId: Uuid | null }> {
  const known = await knownParties(call, combo);
  if (known.account === null) require(call, 'account:create');
  if (known.adds) require(call, 'payment_method:create');
  check();
  const account = known.account ?? (await newAccount(call, combo));
  const paymentMethodId = known.adds ? await newMethod(call, combo, { ...known, account }) : known.methodId;
  return { accountId: account.id, paymentMethodId };
}

interface KnownParties {
  /** Null = it has to be made. */
  readonly account: Account | null;
  readonly methodId: Uuid | null;
  /** Whether a method has to be made. */
  readonly adds: boolean;
  readonly isFirstMethod: boolean;
}

/** What a request names, as far as it is there. @throws BillingError for ids that are not. */
async function knownParties(call: ComboCall, combo: Combo): Promise<KnownParties> {
  const account = await knownAccount(call, combo);
  const asked = combo.paymentMethod;
  if (!asked?.pluginName) return { account, methodId: null, adds: false, isFirstMethod: false };
  const methods = account ? await call.billing.paymentMethods.ofAccount(call.context, account.id) : [];
  const methodId = named(methods, asked)?.id ?? null;
  if (methodId === null && asked.paymentMethodId) throw noSuchMethod(asked.paymentMethodId);
  return { account, methodId, adds: methodId === null, isFirstMethod: methods.length === 0 };
}

async function knownAccount(call: ComboCall, { account }: Combo): Promise<Account | null> {
  if (account?.accountId) return call.billing.accounts.get(call.context, account.accountId);
  return account?.externalKey ? accountOfKey(call, account.externalKey) : null;
}

function newAccount({ billing, context }: ComboCall, { account }: Combo): Promise<Account> {
  const { accountId: _, ...input } = account ?? {};
  return billing.createAccount(context, input);
}

async function accountOfKey({ billing, context }: ComboCall, externalKey: string): Promise<Account | null> {
  try {
    return await billing.accounts.getByKey(context, externalKey);
  } catch (error) {
    const isUnknown =
      error instanceof BillingError && error.code === ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_KEY;
    if (isUnknown) return null;
    throw error;
  }
}

async function newMethod(
  { billing, context }: ComboCall,
  { paymentMethod: asked, paymentMethodPluginProperties }: Combo,
  { account, isFirstMethod }: { readonly account: Account; readonly isFirstMethod: boolean },
): Promise<Uuid> {
  const added = await billing.addPaymentMethod(context, {
    accountId: account.id,
    pluginName: asked?.pluginName ?? '',
    externalKey: asked?.externalKey || null,
    isDefault: isFirstMethod,
    details: {
      externalPaymentMethodId: asked?.pluginInfo?.externalPaymentMethodId ?? null,
      properties: (asked?.pluginInfo?.properties ?? []).map(propertyOf),
    },
    properties: propertiesOf(paymentMethodPluginProperties),
  });
  return added.id;
}

function named(
  methods: readonly PaymentMethodView[],
  { paymentMethodId, externalKey }: NonNullable<Combo['paymentMethod']>,
): PaymentMethodView | undefined {
  if (paymentMethodId) return methods.find(({ id }) => id === paymentMethodId);
  return externalKey ? methods.find((each) => each.externalKey === externalKey) : undefined;
}

/** Plugin properties of a body, as plugins get them. */
export function propertiesOf(
  given: readonly Parameters<typeof propertyOf>[0][] | null | undefined,
): readonly PluginProperty[] {
  return (given ?? []).map(propertyOf);
}

/** What a combined request makes needs the permission of making it (http-api §5). */
function require({ user }: ComboCall, permission: Parameters<typeof checkPermission>[1]): void {
  if (user !== null) checkPermission(user, permission);
}

function noSuchMethod(paymentMethodId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
    message: `Payment method ${paymentMethodId} does not exist`,
    facts: { paymentMethodId },
  });
}
