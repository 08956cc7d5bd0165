import { ProcessingState } from '../../../lib/records/index.ts';
import type { EncodedEntry } from '../sql/dialect.ts';
import { queueEntriesTable, type StoredEntry } from '../tables/queue.ts';

/** Of an entry that nobody has claimed, and that waits for no pause. */
export const UNCLAIMED = {
  processingOwner: null,
  availableAtMs: null,
  claimId: null,
  claimedAtMs: null,
  lapses: null,
} as const;

/** An entry of a tenant. */
export interface TenantEntry {
  readonly tenantRecordId: number;
  readonly entry: StoredEntry;
}

/** In the place of an entry that is REAPED, which goes on telling the outside. */
export function availableCopy({ tenantRecordId, entry }: TenantEntry): EncodedEntry {
  const copy = { ...entry, ...UNCLAIMED, processingState: ProcessingState.AVAILABLE, eventId: null };
  return { live: true, toldOf: null, cells: queueEntriesTable.encode(tenantRecordId, copy) };
}
