import type { WriteSession } from '../../ports/storage/index.ts';
import { dirtiedFrom, type TouchedDate } from '../edits/dirty-days.ts';

/**
 * A changed billing event makes its subscription due for invoicing from the earliest date that it touches (invoicing
 * §7.1).
 */
export async function markDirty(session: WriteSession, touched: readonly TouchedDate[]): Promise<void> {
  if (touched.length === 0) return;
  const dates = Map.groupBy(touched, ({ subscriptionId }) => subscriptionId);
  const cursors = await session.invoices.findCursors([...dates.keys()]);
  await session.invoices.saveCursors(
    cursors.map((cursor) =>
      dirtiedFrom(
        cursor,
        (dates.get(cursor.subscriptionId) ?? []).map(({ date }) => date),
      ),
    ),
  );
}
