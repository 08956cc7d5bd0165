import { ConcurrentChangeError, type WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Family } from '../rules/hierarchy.ts';

/**
 * Locks the account, if it exists, and `parentId` with its ancestors. Returns their locked state. The lock keeps
 * concurrent calls from linking accounts into a cycle.
 * @throws BillingError BUSY (60018); ConcurrentChangeError if the ancestors changed before they were locked. This error
 * causes the operation to be repeated.
 */
export async function lockFamily(
  session: WriteSession,
  accountId: Uuid | null,
  parentId: Uuid | null,
): Promise<{ readonly account: Account | null; readonly family: Family }> {
  const own = accountId === null ? [] : [accountId];
  const line = parentId === null ? [] : await session.accounts.findWithAncestors([parentId]);
  const locked = await session.lockAccounts([...own, ...line.map(({ id }) => id)]);
  const account = locked.find(({ id }) => id === accountId) ?? null;
  if (parentId === null) return { account, family: { ancestors: new Map(), children: [] } };
  const lineNow = await session.accounts.findWithAncestors([parentId]);
  const children = await session.accounts.findChildren(own);
  if (lineNow.some(({ id }) => !locked.some((each) => each.id === id))) throw concurrentMove(parentId);
  return { account, family: { ancestors: new Map(lineNow.map((each) => [each.id, each])), children } };
}

export function concurrentMove(accountId: Uuid): ConcurrentChangeError {
  const message = `Another operation changed the ancestors of account ${accountId} in the meantime`;
  return new ConcurrentChangeError(message, { accountId });
}
