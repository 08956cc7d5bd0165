import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { type FieldedAccountObject, type ObjectRef, ObjectType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { noSuchObject } from '../rules/no-such-object.ts';
import { lockAccount } from './lock-account.ts';

type FindOwned = (session: ReadSession, id: Uuid) => Promise<readonly { readonly accountId: Uuid }[]>;

const finders: Readonly<Record<FieldedAccountObject, FindOwned>> = {
  [ObjectType.ACCOUNT]: async (session, id) =>
    (await session.accounts.findByIds([id])).map((account) => ({ accountId: account.id })),
  [ObjectType.BUNDLE]: (session, id) => session.subscriptions.findBundlesByIds([id]),
  [ObjectType.SUBSCRIPTION]: (session, id) => session.subscriptions.findByIds([id]),
  [ObjectType.INVOICE]: (session, id) => session.invoices.findByIds([id]),
  [ObjectType.INVOICE_ITEM]: (session, id) => session.invoices.findItemsByIds([id]),
  [ObjectType.PAYMENT]: (session, id) => session.payments.findByIds([id]),
  [ObjectType.TRANSACTION]: async (session, id) => {
    const transactions = await session.payments.findTransactionsByIds([id]);
    return session.payments.findByIds(transactions.map(({ paymentId }) => paymentId));
  },
  [ObjectType.PAYMENT_METHOD]: (session, id) => session.payments.findMethodsByIds([id]),
};

/**
 * Returns the id of the account to which the object belongs.
 * @throws BillingError The error of `noSuchObject` for an unknown object.
 */
export async function owningAccountId(
  session: ReadSession,
  object: ObjectRef<FieldedAccountObject>,
): Promise<Uuid> {
  const [owned] = await finders[object.type](session, object.id);
  if (!owned) throw noSuchObject(object);
  return owned.accountId;
}

/** Locks the account to which the object belongs. @throws The errors of `owningAccountId`, and BUSY (60018). */
export async function lockOwningAccount(
  session: WriteSession,
  object: ObjectRef<FieldedAccountObject>,
): Promise<Account> {
  const isAccount = object.type === ObjectType.ACCOUNT;
  return lockAccount(session, isAccount ? object.id : await owningAccountId(session, object));
}
