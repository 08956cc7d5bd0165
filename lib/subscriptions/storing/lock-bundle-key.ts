import { noSuchAccount } from '../../accounts/index.ts';
import { ConcurrentChangeError, type WriteSession } from '../../ports/storage/index.ts';
import type { Account, Bundle } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { holdsKey } from '../create/retired-keys.ts';

/**
 * Locks the account that a creation is for, together with the accounts whose bundles hold the requested keys: a bundle
 * may have to give up its key (§17.2).
 * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY (60018).
 */
export async function lockWithKeyHolders(
  session: WriteSession,
  accountId: Uuid,
  keys: readonly string[],
): Promise<{ readonly account: Account; readonly lockedIds: ReadonlySet<Uuid> }> {
  const holders = (await session.subscriptions.findBundlesByKeys(keys)).filter(holdsKey);
  const lockedIds = new Set([accountId, ...holders.map((holder) => holder.accountId)]);
  const locked = await session.lockAccounts([...lockedIds]);
  const account = locked.find(({ id }) => id === accountId);
  if (account === undefined) throw noSuchAccount(accountId);
  return { account, lockedIds };
}

/**
 * Refuses where another account's bundle has got a key between the first read and the lock.
 * @throws ConcurrentChangeError, which runs the creation again.
 */
export function checkHoldersLocked(carriers: readonly Bundle[], lockedIds: ReadonlySet<Uuid>): void {
  const holder = carriers.find((bundle) => holdsKey(bundle) && !lockedIds.has(bundle.accountId));
  if (holder === undefined) return;
  throw new ConcurrentChangeError(
    `Another operation gave the key ${holder.externalKey} to bundle ${holder.id} in between`,
    { bundleId: holder.id },
  );
}
