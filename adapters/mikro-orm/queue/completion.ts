import { type ClaimedEntry, LeaseLostError } from '../../../lib/ports/storage/index.ts';
import { ProcessingState } from '../../../lib/records/index.ts';
import type { Runner } from '../sql/runner.ts';
import { isIn, raw, type Sql, sql } from '../sql/sql.ts';

/** The live rows of these entries that are still under our claim: the claim id is the fencing token. */
export function ours(entries: readonly ClaimedEntry[], alias: string = 'bw_queue_entries'): Sql {
  const claims = [...new Set(entries.map(({ claimId }) => claimId))];
  const recordIds = entries.map(({ recordId }) => recordId);
  return sql`${isIn(`${alias}.record_id`, 'bigint', recordIds)}
    and ${isIn(`${alias}.claim_id`, 'uuid', claims)}
    and ${raw(alias)}.processing_state = ${ProcessingState.IN_PROCESSING}`;
}

/** Ends the entries with this outcome. Throws LeaseLostError if one of them is no longer ours. */
export async function endEntries(
  runner: Runner,
  entries: readonly ClaimedEntry[],
  outcome: ProcessingState,
): Promise<void> {
  if (entries.length === 0) return;
  const moved = await runner.dialect.moveEntries(runner, ours(entries), outcome);
  assertOurs(entries, moved);
}

export async function markEntriesDone(
  runner: Runner,
  entries: readonly ClaimedEntry[],
  handler: string,
): Promise<void> {
  if (entries.length === 0) return;
  const { affected } = await runner.run(sql`
    update bw_queue_entries set done_handlers = ${runner.dialect.appended('done_handlers', handler)}
    where ${ours(entries)}`);
  assertOurs(entries, affected);
}

function assertOurs(entries: readonly ClaimedEntry[], found: number): void {
  if (found === entries.length) return;
  const recordIds = entries.map(({ recordId }) => recordId).join(', ');
  throw new LeaseLostError(`Of the queue entries ${recordIds} only ${found} are still claimed by this node`);
}
