import type { Account, BusEventType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** The bus event of a change of the account itself (platform §10.4). */
export function accountEvent(
  type: typeof BusEventType.ACCOUNT_CREATION | typeof BusEventType.ACCOUNT_CHANGE,
  account: Account,
): {
  readonly type: typeof type;
  readonly accountRecordId: number;
  readonly payload: { readonly accountId: Uuid };
} {
  return { type, accountRecordId: account.recordId, payload: { accountId: account.id } };
}
