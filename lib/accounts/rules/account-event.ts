import { type Account, BusEventType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { isPaidByParent } from './hierarchy.ts';

interface AccountEvent<T> {
  readonly type: T;
  readonly accountRecordId: number;
  readonly payload: {
    readonly accountId: Uuid;
    /** There where it is another who pays now, the account itself or a parent (overdue §7). */
    readonly changesPayer?: true;
  };
}

/**
 * The bus event of a change of the account itself (platform §10.4).
 * @param before the account as it was, where its family may have changed.
 */
export function accountEvent<
  T extends typeof BusEventType.ACCOUNT_CREATION | typeof BusEventType.ACCOUNT_CHANGE,
>(type: T, account: Account, before: Account = account): AccountEvent<T> {
  const accountId = account.id;
  const isNewChild = type === BusEventType.ACCOUNT_CREATION && isPaidByParent(account);
  return {
    type,
    accountRecordId: account.recordId,
    payload:
      isNewChild || payerOf(account) !== payerOf(before) ? { accountId, changesPayer: true } : { accountId },
  };
}

/** Null: the account itself. */
function payerOf(account: Account): Uuid | null {
  return isPaidByParent(account) ? account.parentAccountId : null;
}
