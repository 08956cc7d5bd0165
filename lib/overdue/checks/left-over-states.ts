import type { ReadSession } from '../../ports/storage/index.ts';
import type { NewBusEvent } from '../../records/index.ts';
import { isUuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { isNewExemption } from '../triggers/asked-by-events.ts';
import { OverdueAction, type OverdueWakeUp } from '../triggers/overdue-jobs.ts';

/**
 * What events ask for under a configuration without conditions (§7 rule 2): an account that has become exempt is clear, in
 * whatever state an earlier configuration has left it. One statement where there is such an event, else none.
 */
export async function clearsOfLeftOvers(
  session: ReadSession,
  events: readonly NewBusEvent[],
  now: Instant,
): Promise<readonly OverdueWakeUp[]> {
  const ids = events.filter(isNewExemption).flatMap(({ payload: { objectId } }) => {
    return typeof objectId === 'string' && isUuid(objectId) ? objectId : [];
  });
  if (ids.length === 0) return [];
  const everOverdue = await session.overdue.findAccounts(ids);
  return everOverdue.map(({ accountRecordId }) => ({
    accountRecordId,
    action: OverdueAction.CLEAR,
    asked: now,
    spreads: true,
    causedBy: null,
  }));
}
