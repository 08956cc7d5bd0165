import type { QueueStore } from '../../../lib/ports/storage/index.ts';
import { ProcessingState } from '../../../lib/records/index.ts';
import { numberOf } from '../sql/columns.ts';
import type { Runner } from '../sql/runner.ts';
import { isIn, nothing, raw, sql } from '../sql/sql.ts';
import { queueEntriesTable } from '../tables/queue.ts';
import { availableCopy } from './available-copy.ts';

/** Ends entries that were taken back again and again as REAPED and inserts AVAILABLE copies (platform §9.2). */
export async function reapEntries(
  runner: Runner,
  request: Parameters<QueueStore['reap']>[0],
): Promise<number> {
  const { systemNowMs, businessNow, claimedBeforeMs, maxLapses, limit, kind } = request;
  const rows = await runner.rows(sql`
    select ${raw(runner.dialect.selectList(queueEntriesTable))} from bw_queue_entries
    where lapses > 0 and lapses > ${maxLapses} and claimed_at_ms <= ${claimedBeforeMs}
      and (processing_state = 'AVAILABLE' or available_at_ms <= ${systemNowMs})
      ${kind === undefined ? nothing : sql`and kind = ${kind}`}
    order by record_id limit ${limit} ${raw(runner.dialect.forUpdateSkipLocked)}`);
  if (rows.length === 0) return 0;
  const stale = rows.map((row) => ({
    tenantRecordId: numberOf(row.tenant_record_id, 'tenant_record_id'),
    entry: queueEntriesTable.decode(row),
  }));
  const recordIds = stale.map(({ entry }) => entry.recordId);
  await runner.run(sql`
    update bw_queue_entries set reason = ${`Taken back more than ${maxLapses} times: the nodes that worked on it died`}
    where ${isIn('record_id', 'bigint', recordIds)}`);
  await runner.dialect.moveEntries(
    runner,
    sql`${isIn('record_id', 'bigint', recordIds)}`,
    ProcessingState.REAPED,
  );
  const copies = stale.map(({ tenantRecordId, entry }) =>
    availableCopy({ tenantRecordId, entry: { ...entry, createdDate: businessNow } }),
  );
  await runner.dialect.insertEntries(runner, copies);
  return copies.length;
}
