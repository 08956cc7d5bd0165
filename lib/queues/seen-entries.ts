import type { EntryLook, EntryPart, EntryStore, SeenEntry } from '../ports/storage/index.ts';
import type { QueueKind } from '../records/index.ts';
import { dueDateOf } from './queue-entry-view.ts';

/** What is not done, whether or not a node works on it. */
export const LIVE: readonly EntryPart[] = ['AVAILABLE', 'PROCESSING'];

/** The oldest of all these kinds and parts. */
export async function seenEntries(
  entries: Pick<EntryStore, 'see'>,
  {
    kinds,
    parts,
    ...look
  }: Omit<EntryLook, 'kind' | 'part'> & {
    readonly kinds: readonly QueueKind[];
    readonly parts: readonly EntryPart[];
  },
): Promise<readonly SeenEntry[]> {
  const looks = parts.flatMap((part) => kinds.map((kind) => ({ part, kind })));
  const found = await Promise.all(looks.map((each) => entries.see({ ...look, ...each })));
  return found.flat().sort(oldestFirst).slice(0, look.limit);
}

function oldestFirst(one: SeenEntry, other: SeenEntry): number {
  return dueDateOf(one) - dueDateOf(other) || one.recordId - other.recordId;
}
