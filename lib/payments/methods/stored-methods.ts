import { accountEvent } from '../../accounts/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  BusEventType,
  EXTERNAL_PAYMENT_PLUGIN,
  type New,
  type PaymentMethod,
} from '../../records/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_EXTERNAL_KEY_CHARACTERS } from '../../values/limits.ts';
import { checkStorable } from '../../values/text/index.ts';
import { noSuchMethod, paymentError } from '../state/payment-errors.ts';

/** The external methods of these accounts, for cheques and transfers; no statement for none. */
export async function externalMethodsOf(
  session: ReadSession,
  accountIds: ReadonlySet<Uuid>,
): Promise<readonly PaymentMethod[]> {
  if (accountIds.size === 0) return [];
  const methods = await session.payments.findMethodsByAccounts([...accountIds], { includeDeleted: false });
  return methods.filter(({ pluginName }) => pluginName === EXTERNAL_PAYMENT_PLUGIN);
}

/** An account has one active external method (§2.4 rule 1). */
export function refuseSecondExternal(
  external: readonly PaymentMethod[],
  accountId: Uuid,
): BillingError | null {
  const existing = external.find((method) => method.accountId === accountId);
  if (!existing) return null;
  return paymentError(
    ErrorCode.PAYMENT_EXTERNAL_PAYMENT_METHOD_ALREADY_EXISTS,
    `Account ${accountId} already has the external payment method ${existing.id}`,
    { accountId, paymentMethodId: existing.id },
  );
}

/** @throws BillingError PAYMENT_NO_SUCH_PAYMENT_METHOD (7000). */
export async function activeMethod(session: ReadSession, methodId: Uuid): Promise<PaymentMethod> {
  const [method] = await session.payments.findMethodsByIds([methodId]);
  if (method?.isActive) return method;
  throw noSuchMethod(methodId);
}

/** @throws BillingError as `activeMethod`, PAYMENT_METHOD_DIFFERENT_ACCOUNT_ID (7033). */
export async function methodOfAccount(
  session: ReadSession,
  accountId: Uuid,
  methodId: Uuid,
): Promise<PaymentMethod> {
  const method = await activeMethod(session, methodId);
  if (method.accountId === accountId) return method;
  throw paymentError(
    ErrorCode.PAYMENT_METHOD_DIFFERENT_ACCOUNT_ID,
    `Payment method ${methodId} does not belong to account ${accountId}`,
    { paymentMethodId: methodId, accountId },
  );
}

/** A method that a gateway has taken, to be stored. */
export interface NewMethod {
  readonly id: Uuid;
  /** Null = none was given. */
  readonly givenKey: string | null;
  /** What the gateway calls it; null = it says nothing. */
  readonly gatewayKey: string | null;
  readonly pluginName: string;
  readonly isDefault: boolean;
}

/** Stores one method for each of these locked accounts, with as many statements as one takes (§10.1 rules 5 and 6). */
export async function storeMethods(
  session: WriteSession,
  additions: readonly { readonly account: Account; readonly method: NewMethod }[],
): Promise<readonly PaymentMethod[]> {
  const keys = additions.flatMap(({ method: { givenKey, gatewayKey } }) =>
    givenKey ? [] : (gatewayKey ?? []),
  );
  const external = additions.filter(({ method }) => method.pluginName === EXTERNAL_PAYMENT_PLUGIN);
  const [ofKeys, externals] = await Promise.all([
    session.payments.findMethodsByKeys([...new Set(keys)]),
    externalMethodsOf(session, new Set(external.map(({ account }) => account.id))),
  ]);
  for (const { account } of external) {
    const refusal = refuseSecondExternal(externals, account.id);
    if (refusal !== null) throw refusal;
  }
  const taken = new Set(ofKeys.map(({ externalKey }) => externalKey));
  const keyOf = ({ id, givenKey, gatewayKey }: NewMethod): string => {
    const key = givenKey ?? (gatewayKey === null || taken.has(gatewayKey) ? id : gatewayKey);
    taken.add(key);
    return key;
  };
  const methods = additions.map(({ account, method }) => {
    const { id, pluginName } = method;
    return newMethod(session, account, { id, pluginName, externalKey: keyOf(method) });
  });
  const chosen = additions.filter(({ method }) => method.isDefault);
  const [, , stored] = await Promise.all([
    session.payments.insertMethods(methods),
    setDefaultMethods(
      session,
      chosen.map(({ account, method }) => ({ account, paymentMethodId: method.id })),
    ),
    session.payments.findMethodsByIds(methods.map(({ id }) => id)),
  ]);
  const byId = new Map(stored.map((method) => [method.id, method]));
  return methods.map(({ id }) => {
    const method = byId.get(id);
    assertInvariant(method, 'storage returned no payment method for an insert', { paymentMethodId: id });
    return method;
  });
}

/** Whether a method could not be stored because another has its key. */
export function isTakenKey(error: unknown): boolean {
  return error instanceof BillingError && error.code === ErrorCode.PAYMENT_INVALID_PARAMETER;
}

/** Changes the defaults of accounts, null = none, as changes of the accounts; nothing if one stays the same (accounts §4). */
export async function setDefaultMethods(
  session: WriteSession,
  choices: readonly { readonly account: Account; readonly paymentMethodId: Uuid | null }[],
): Promise<void> {
  const changed = choices
    .filter(({ account, paymentMethodId }) => account.paymentMethodId !== paymentMethodId)
    .map(({ account, paymentMethodId }) => ({
      ...account,
      paymentMethodId,
      updatedDate: session.authorship.createdDate,
    }));
  if (changed.length === 0) return;
  await session.accounts.update(changed);
  session.publish(changed.map((account) => accountEvent(BusEventType.ACCOUNT_CHANGE, account)));
}

/** The account's method for cheques, cash and transfers; made where there is none, never as the default (§9.6 rule 1). */
export async function externalMethodOf(
  session: WriteSession,
  account: Account,
  ids: IdGenerator,
): Promise<Uuid> {
  const [known] = await externalMethodsOf(session, new Set([account.id]));
  if (known) return known.id;
  const id = ids.next();
  const made = { id, externalKey: id, pluginName: EXTERNAL_PAYMENT_PLUGIN };
  await session.payments.insertMethods([newMethod(session, account, made)]);
  return id;
}

export function newMethod(
  { authorship: { createdDate } }: WriteSession,
  { id: accountId, recordId: accountRecordId }: Account,
  made: Pick<PaymentMethod, 'id' | 'externalKey' | 'pluginName'>,
): New<PaymentMethod> {
  return { ...made, accountId, accountRecordId, isActive: true, createdDate };
}

/**
 * The key as given, null = none.
 * @throws BillingError EXTERNAL_KEY_LIMIT_EXCEEDED (5) if it is too long, MISSING_OR_INVALID_FIELD if it cannot be stored.
 */
export function checkExternalKey(externalKey: string | null): string | null {
  if (externalKey === null || externalKey === '') return null;
  checkStorable('External key', externalKey);
  if (externalKey.length <= MAX_EXTERNAL_KEY_CHARACTERS) return externalKey;
  throw paymentError(
    ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED,
    `External key has ${externalKey.length} characters; at most ${MAX_EXTERNAL_KEY_CHARACTERS} are allowed`,
    { length: externalKey.length, limit: MAX_EXTERNAL_KEY_CHARACTERS },
  );
}
