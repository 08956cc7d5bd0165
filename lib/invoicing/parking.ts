import type { Account } from '../accounts/model.ts';
import type { IdGenerator } from '../ports/identity.ts';
import type { WriteSession } from '../ports/storage/index.ts';
import { addEngineTag, removeEngineTag } from '../tags/engine-tags.ts';
import { SystemTag } from '../tags/system-definitions.ts';
import { localDateOf, minDate } from '../time/index.ts';
import { dueEntry } from './due-entry.ts';

/** Marks accounts that cannot be invoiced, under their locks unless those cannot be had: automatic runs pass them over (invoicing.md §8.6). */
export async function parkAccounts(
  session: WriteSession,
  accounts: readonly Account[],
  ids: IdGenerator,
): Promise<void> {
  await addEngineTag(session, accounts, { definitionId: SystemTag.PARK, ids });
}

/**
 * Lets automatic runs go on. The due entries that fell due meanwhile are gone, so the earliest date that is still to be
 * billed gets one again; one in the past fires at once (invoicing.md §5.5: a run without items cannot lose a date).
 */
export async function unparkAccount(session: WriteSession, account: Account): Promise<void> {
  const unparked = await removeEngineTag(session, [account], SystemTag.PARK);
  if (unparked.length === 0) return;
  const today = localDateOf(session.authorship.createdDate, account.timeZone);
  const cursors = await session.invoices.cursorsOfAccounts([account.id]);
  const dates = cursors.flatMap((cursor) => (cursor.dirtyFrom === null ? (cursor.nextDueDate ?? []) : today));
  if (dates.length === 0) return;
  const earliest = dates.reduce((first, date) => minDate(first, date));
  session.schedule([dueEntry(account, earliest)]);
}
