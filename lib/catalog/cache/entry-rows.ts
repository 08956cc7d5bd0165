import type { ReadSession } from '../../ports/storage/index.ts';
import { type CatalogEntry, EntryKind } from '../../records/index.ts';
import type { EntriesAndRows } from '../formats/entries/entry-views.ts';

/** Entries with the rows of the plans among them. */
export async function withRows(
  session: Pick<ReadSession, 'catalogEntries'>,
  entries: readonly CatalogEntry[],
): Promise<EntriesAndRows> {
  const planNames = entries.filter((entry) => entry.kind === EntryKind.PLAN).map((entry) => entry.name);
  return { entries, rows: await session.catalogEntries.rowsOf(planNames) };
}
