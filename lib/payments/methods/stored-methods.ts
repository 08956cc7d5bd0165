import { accountEvent, loadAccount, lockAccount } from '../../accounts/index.ts';
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
import { shortened } from '../../values/text/index.ts';
import { checkPayable } from '../collect/unpaid-invoice-payments.ts';
import { noSuchMethod } from '../state/payment-method-errors.ts';
import type { PaymentMethodInput } from './payment-method-operations.ts';

/** Refuses what can be refused before the gateway is told of the method; the unique key decides in the end. */
export async function checkAddable(
  session: ReadSession,
  input: PaymentMethodInput,
  key: string | null,
): Promise<void> {
  const account = await loadAccount(session, input.accountId);
  if (input.payAllUnpaidInvoices) await checkPayable(session, account, input.isDefault === true);
  if (input.pluginName === EXTERNAL_PAYMENT_PLUGIN) await checkNoExternalMethod(session, input.accountId);
  if (key === null || (await freeKey(session, key)) !== null) return;
  throw new BillingError({
    code: ErrorCode.PAYMENT_INVALID_PARAMETER,
    message: `externalKey "${shortened(key)}" is already used by a payment method`,
    facts: { parameter: 'externalKey', externalKey: key },
  });
}

/** The key, if no method of the tenant has it, deleted ones included; else null. */
export async function freeKey(session: ReadSession, key: string | null): Promise<string | null> {
  if (key === null) return null;
  const taken = await session.payments.findMethodsByKeys([key]);
  return taken.length === 0 ? key : null;
}

async function checkNoExternalMethod(session: ReadSession, accountId: Uuid): Promise<void> {
  const methods = await session.payments.findMethodsByAccounts([accountId], { includeDeleted: false });
  const existing = methods.find(({ pluginName }) => pluginName === EXTERNAL_PAYMENT_PLUGIN);
  if (!existing) return;
  throw new BillingError({
    code: ErrorCode.PAYMENT_EXTERNAL_PAYMENT_METHOD_ALREADY_EXISTS,
    message: `Account ${accountId} already has the external payment method ${existing.id}`,
    facts: { accountId, paymentMethodId: existing.id },
  });
}

export async function methodOfAccount(
  session: ReadSession,
  accountId: Uuid,
  methodId: Uuid,
): Promise<PaymentMethod> {
  const [method] = await session.payments.findMethodsByIds([methodId]);
  if (!method?.isActive) throw noSuchMethod(methodId);
  if (method.accountId === accountId) return method;
  throw new BillingError({
    code: ErrorCode.PAYMENT_METHOD_DIFFERENT_ACCOUNT_ID,
    message: `Payment method ${methodId} does not belong to account ${accountId}`,
    facts: { paymentMethodId: methodId, accountId },
  });
}

export async function storeMethod(
  session: WriteSession,
  { input, id }: { readonly input: PaymentMethodInput; readonly id: Uuid },
  externalKey: string,
): Promise<PaymentMethod> {
  const account = await lockAccount(session, input.accountId);
  if (input.pluginName === EXTERNAL_PAYMENT_PLUGIN) await checkNoExternalMethod(session, account.id);
  const method: New<PaymentMethod> = {
    id,
    externalKey,
    accountId: account.id,
    accountRecordId: account.recordId,
    pluginName: input.pluginName,
    isActive: true,
    createdDate: session.authorship.createdDate,
  };
  await session.payments.insertMethods([method]);
  if (input.isDefault === true) await setDefaultMethod(session, account, id);
  const [stored] = await session.payments.findMethodsByIds([id]);
  assertInvariant(stored, 'storage returned no payment method for an insert', { paymentMethodId: id });
  return stored;
}

/** Changes the account's default, null = none, as a change of the account; nothing if it stays the same (accounts §4). */
export async function setDefaultMethod(
  session: WriteSession,
  account: Account,
  paymentMethodId: Uuid | null,
): Promise<void> {
  if (account.paymentMethodId === paymentMethodId) return;
  const changed = { ...account, paymentMethodId, updatedDate: session.authorship.createdDate };
  await session.accounts.update([changed]);
  session.publish([accountEvent(BusEventType.ACCOUNT_CHANGE, changed)]);
}
