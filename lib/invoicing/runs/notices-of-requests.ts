import type { ReadSession } from '../../ports/storage/index.ts';
import type { NewNotification, QueueEntry } from '../../records/index.ts';
import { type Instant, parseWireInstant } from '../../values/time/index.ts';
import { noticeEntries, runOfChange } from '../evaluation/invoice-notice.ts';

/**
 * A change of a subscription that takes effect later asks for no run yet, but its invoice is told of (§8.1).
 * @param leadMs how long before the run; 0 = never.
 */
export async function noticesOfRequests(
  session: ReadSession,
  entries: readonly Pick<QueueEntry, 'payload' | 'accountRecordId'>[],
  { leadMs, now }: { readonly leadMs: number; readonly now: Instant },
): Promise<readonly NewNotification[]> {
  if (leadMs === 0) return [];
  const changes = entries.flatMap(({ payload, accountRecordId }) => {
    const { actionType, effectiveDate } = payload;
    if (actionType !== 'REQUESTED' || typeof effectiveDate !== 'string' || accountRecordId === null)
      return [];
    const at = parseWireInstant(effectiveDate);
    return at === undefined || at <= now ? [] : [{ accountRecordId, at }];
  });
  if (changes.length === 0) return [];
  const accounts = await session.accounts.findByRecordIds(
    changes.map(({ accountRecordId }) => accountRecordId),
  );
  const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
  return changes.flatMap(({ accountRecordId, at }) => {
    const account = accountOf.get(accountRecordId);
    return account === undefined ? [] : noticeEntries(account, runOfChange(account, at), { leadMs, now });
  });
}
