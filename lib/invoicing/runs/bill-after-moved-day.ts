import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { dirtiedFrom } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type LocalDate, localDateOf } from '../../values/time/index.ts';
import { dueEntry } from '../evaluation/run-trigger.ts';

/**
 * After an account's bill cycle day has moved from one that was set, its subscriptions are billed anew from their start
 * (§7.1), by an automatic run of today (§8.1). The caller holds the account's lock.
 */
export async function billAfterMovedDay(session: WriteSession, account: Account): Promise<void> {
  const cursors = await session.invoices.cursorsOfAccounts([account.id]);
  if (cursors.length === 0) return;
  const subscriptions = await session.subscriptions.findByIds(
    cursors.map(({ subscriptionId }) => subscriptionId),
  );
  // For a transferred subscription that lies before the start of its billing, which comes to the same.
  const starts = new Map<Uuid, LocalDate>(subscriptions.map(({ id, alignStart }) => [id, alignStart.date]));
  await session.invoices.saveCursors(
    cursors.map((cursor) => {
      const from = starts.get(cursor.subscriptionId) ?? cursor.settledThrough;
      return from === null ? cursor : dirtiedFrom(cursor, [from]);
    }),
  );
  if (account.currency === null) return;
  const now = session.authorship.createdDate;
  session.schedule([{ ...dueEntry(account, localDateOf(now, account.timeZone)), effectiveDate: now }]);
}
