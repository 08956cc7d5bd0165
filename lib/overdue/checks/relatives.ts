import { isPaidByParent } from '../../accounts/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { OverdueAction, overdueNotification } from '../triggers/overdue-jobs.ts';
import type { LockedJob } from './in-order.ts';

/**
 * After accounts of which something has changed, the parents that pay for them and the children that they pay for are
 * looked at (§8 rule 1), and no further: each of them once, in the name of all entries of the transaction, and not those
 * that this transaction looks at anyway; one statement.
 * @param tokens where the user token of each relative's cause is kept.
 */
export async function wakeRelatives(
  session: WriteSession,
  jobs: readonly LockedJob[],
  tokens: Map<number, Uuid>,
): Promise<void> {
  const changed = jobs.filter(({ job }) => job.spreads);
  if (changed.length === 0) return;
  const children = await session.accounts.findChildren(changed.map(({ account }) => account.id));
  const childrenOf = Map.groupBy(children.filter(isPaidByParent), ({ parentAccountId }) => parentAccountId);
  const lookedAt = new Set(jobs.map(({ account }) => account.recordId));
  const causeOf = new Map<number, LockedJob>();
  for (const each of changed) {
    const { account, parent } = each;
    for (const { recordId } of [parent ?? [], childrenOf.get(account.id) ?? []].flat()) {
      const other = causeOf.get(recordId);
      if (lookedAt.has(recordId) || (other !== undefined && other.job.asked >= each.job.asked)) continue;
      causeOf.set(recordId, each);
      tokens.set(recordId, each.entry.userToken);
    }
  }
  const causedBy = Math.min(...changed.map(({ entry }) => entry.recordId));
  const wakeUps = [...causeOf].map(([accountRecordId, { job }]) => ({
    accountRecordId,
    action: OverdueAction.REFRESH,
    asked: job.asked,
    spreads: false,
    causedBy,
  }));
  session.schedule(wakeUps.map(overdueNotification));
}
