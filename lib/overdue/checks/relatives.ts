import { isPaidByParent } from '../../accounts/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { OverdueAction, type OverdueWakeUp } from '../triggers/overdue-jobs.ts';

/** An account that was looked at because something of it has changed. */
export interface ChangedAccount {
  readonly account: Account;
  readonly entry: ClaimedEntry;
  readonly asked: Instant;
}

/** A relative is looked at next, in the name of who has caused it. */
export interface RelativeWakeUp {
  readonly wakeUp: OverdueWakeUp;
  readonly userToken: Uuid;
}

/** The parents that pay for these accounts, and the children that these pay for (§8 rule 1); two statements. */
export async function relativesOf(
  session: WriteSession,
  changed: readonly ChangedAccount[],
): Promise<readonly RelativeWakeUp[]> {
  if (changed.length === 0) return [];
  const parentIds = changed.flatMap(({ account }) =>
    isPaidByParent(account) ? (account.parentAccountId ?? []) : [],
  );
  const children = await session.accounts.findChildren(changed.map(({ account }) => account.id));
  const parents = parentIds.length === 0 ? [] : await session.accounts.findByIds([...new Set(parentIds)]);
  const parentOf = new Map(parents.map((parent) => [parent.id, parent]));
  const childrenOf = Map.groupBy(children.filter(isPaidByParent), ({ parentAccountId }) => parentAccountId);
  return changed.flatMap(({ account, entry, asked }) => {
    const parent = isPaidByParent(account) ? parentOf.get(account.parentAccountId ?? account.id) : undefined;
    const relatives = [...(parent === undefined ? [] : [parent]), ...(childrenOf.get(account.id) ?? [])];
    return relatives.map(({ recordId }) => ({
      userToken: entry.userToken,
      wakeUp: {
        accountRecordId: recordId,
        action: OverdueAction.REFRESH,
        asked,
        spreads: false,
        causedBy: entry.recordId,
      },
    }));
  });
}
