import { type Account, BusEventType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { isPaidByParent } from './hierarchy.ts';

/**
 * Returns the bus event for a changed account (platform §10.4). `changesPayer` is true if the payer changes, or if a
 * parent pays for a new account (overdue §7).
 * @param before The account before the change, if its parent may have changed.
 */
export function accountEvent<T extends 'ACCOUNT_CREATION' | 'ACCOUNT_CHANGE'>(
  type: T,
  account: Account,
  before: Account = account,
) {
  const { id: accountId, recordId: accountRecordId } = account;
  const isNewChild = type === BusEventType.ACCOUNT_CREATION && isPaidByParent(account);
  const changesPayer = isNewChild || payerOf(account) !== payerOf(before);
  return { type, accountRecordId, payload: changesPayer ? { accountId, changesPayer } : { accountId } };
}

/** Returns the parent that pays for the account, or null if the account pays its own invoices. */
function payerOf(account: Account): Uuid | null {
  return isPaidByParent(account) ? account.parentAccountId : null;
}
