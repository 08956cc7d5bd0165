import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { noSuchAccount } from '../rules/no-such-account.ts';

/** Returns the locked account. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID, ACCOUNT_BUSY. */
export async function lockAccount(session: WriteSession, accountId: Uuid): Promise<Account> {
  const [account] = await session.lockAccounts([accountId]);
  if (!account) throw noSuchAccount(accountId);
  return account;
}
