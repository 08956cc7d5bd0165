import type { SystemClock } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { BlockingState } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { RECORDS_READ_AT_ONCE } from '../../values/limits.ts';

/** The active states of these objects, a part at a time. */
export async function loadBlockingStates(
  session: ReadSession,
  blockedIds: readonly Uuid[],
  nextTurn: SystemClock['nextTurn'],
): Promise<readonly BlockingState[]> {
  const found: BlockingState[] = [];
  for (let from = 0; from < blockedIds.length; from += RECORDS_READ_AT_ONCE) {
    const ids = blockedIds.slice(from, from + RECORDS_READ_AT_ONCE);
    let page: readonly BlockingState[];
    let after: BlockingState | null = null;
    do {
      if (found.length > 0) await nextTurn();
      page = await session.subscriptions.pageBlockingStates(ids, { after, limit: RECORDS_READ_AT_ONCE });
      for (const state of page) found.push(state);
      after = page.at(-1) ?? null;
    } while (page.length === RECORDS_READ_AT_ONCE);
  }
  return found;
}
