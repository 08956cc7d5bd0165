import type { WriteSession } from '../../ports/storage/index.ts';
import { checkKey, overdueNotification, scheduledCheck } from '../triggers/overdue-jobs.ts';
import type { Evaluation } from './evaluation.ts';

/** Plans the next check of each account, at most one of each (§6). */
export async function scheduleChecks(
  session: WriteSession,
  evaluations: readonly Pick<Evaluation, 'facts' | 'nextCheck'>[],
): Promise<void> {
  const changed = evaluations.filter(({ nextCheck }) => nextCheck.kind !== 'KEEP');
  if (changed.length === 0) return;
  const pending = await session.notifications.findPending(
    changed.map(({ facts }) => checkKey(facts.account.recordId)),
  );
  const pendingAt = new Map(pending.map(({ uniqueKey, effectiveDate }) => [uniqueKey, effectiveDate]));
  const planned = changed.flatMap(({ facts: { account }, nextCheck }) => {
    const before = pendingAt.get(checkKey(account.recordId));
    const next = nextCheck.kind === 'AT' ? nextCheck : null;
    const isPlanned = next !== null && before !== undefined && before <= next.staysBy;
    return isPlanned ? [] : [{ accountRecordId: account.recordId, next, isPending: before !== undefined }];
  });
  const obsolete = planned.filter(({ isPending }) => isPending);
  await session.unschedule(obsolete.map(({ accountRecordId }) => checkKey(accountRecordId)));
  session.schedule(
    planned.flatMap(({ accountRecordId, next }) => {
      if (next === null) return [];
      return overdueNotification({ ...scheduledCheck(accountRecordId, next.asked), due: next.at });
    }),
  );
}
