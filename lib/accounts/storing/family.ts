import { ConcurrentChangeError, type WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Family } from '../rules/hierarchy.ts';

/**
 * Locks the account, if it exists already, and everything above `parentId`, and returns the account and its line of
 * parents as they are under the locks. Two links that together would close a circle thus wait for each other, wherever in
 * it they are.
 * @throws BillingError BUSY (60018); ConcurrentChangeError, which runs the operation again, if the line has changed
 * before it was locked.
 */
export async function lockFamily(
  session: WriteSession,
  accountId: Uuid | null,
  parentId: Uuid | null,
): Promise<{ readonly account: Account | null; readonly family: Family }> {
  const own = accountId === null ? [] : [accountId];
  const line = parentId === null ? [] : await session.accounts.findWithAncestors([parentId]);
  const lockable = [...own, ...line.map(({ id }) => id)];
  const locked = await session.lockAccounts(lockable);
  const account = locked.find(({ id }) => id === accountId) ?? null;
  if (parentId === null) return { account, family: { ancestors: new Map(), children: [] } };
  const [lineNow, children] = [
    await session.accounts.findWithAncestors([parentId]),
    await session.accounts.findChildren(own),
  ];
  if (lineNow.some(({ id }) => !locked.some((each) => each.id === id))) {
    throw movedMeanwhile(parentId);
  }
  return { account, family: { ancestors: new Map(lineNow.map((each) => [each.id, each])), children } };
}

export function movedMeanwhile(accountId: Uuid): ConcurrentChangeError {
  return new ConcurrentChangeError(
    `Another operation changed what is above account ${accountId} in between`,
    {
      accountId,
    },
  );
}
