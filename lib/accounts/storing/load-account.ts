import type { ReadSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { noSuchAccount } from '../rules/no-such-account.ts';

/** Returns the account. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID. */
export async function loadAccount(session: ReadSession, accountId: Uuid): Promise<Account> {
  const [account] = await session.accounts.findByIds([accountId]);
  if (!account) throw noSuchAccount(accountId);
  return account;
}
