import { isPaidByParent } from '../../accounts/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { OverdueAction, overdueNotification } from '../triggers/overdue-jobs.ts';
import type { LockedJob } from './in-order.ts';

/**
 * After an account of which something has changed, the parent that pays for it and the children that it pays for are
 * looked at (§8 rule 1), and no further; one statement.
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
  for (const { account, parent, entry, job } of changed) {
    const relatives = [...(parent === null ? [] : [parent]), ...(childrenOf.get(account.id) ?? [])];
    for (const { recordId } of relatives) tokens.set(recordId, entry.userToken);
    session.schedule(
      relatives.map(({ recordId }) =>
        overdueNotification({
          accountRecordId: recordId,
          action: OverdueAction.REFRESH,
          asked: job.asked,
          spreads: false,
          causedBy: entry.recordId,
        }),
      ),
    );
  }
}
