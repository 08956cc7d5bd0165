import type { NotificationReads } from '../../../lib/ports/storage/index.ts';
import { ProcessingState } from '../../../lib/records/index.ts';
import { instant } from '../../../lib/values/time/index.ts';
import { numberOf } from '../sql/columns.ts';
import { isIn, raw, sql } from '../sql/sql.ts';
import { queueEntriesTable, type StoredEntry } from '../tables/queue.ts';
import { type Stored, selectOrdered, type TenantScope } from '../tables/record-access.ts';

export function notificationReads(scope: TenantScope): NotificationReads {
  const { runner, tenantRecordId } = scope;
  return {
    findLive: async ({ accountRecordId, topics, limit }) => {
      const inState = async (state: ProcessingState): Promise<readonly Stored<StoredEntry>[]> =>
        // Written out: each state has an index of its own, which a parameter would keep from being chosen.
        selectOrdered(scope, queueEntriesTable, {
          condition: sql`account_record_id = ${accountRecordId} and processing_state = '${raw(state)}'
            and ${isIn('topic', 'text', topics)}`,
          order: `due_order, record_id limit ${limit}`,
        });
      const found = await Promise.all([
        inState(ProcessingState.IN_PROCESSING),
        inState(ProcessingState.AVAILABLE),
      ]);
      return found.flat();
    },
    hasDue: async (accountRecordId, at) => {
      const own = sql`tenant_record_id = ${tenantRecordId} and account_record_id = ${accountRecordId}`;
      const [row] = await runner.rows(sql`
        select (case when exists (
            select 1 from bw_queue_entries where ${own} and processing_state = 'IN_PROCESSING'
          ) or exists (
            select 1 from bw_queue_entries where ${own} and processing_state = 'AVAILABLE'
              and due_order <= ${Math.max(1, at)}
          ) then 1 else 0 end) as found`);
      return row !== undefined && numberOf(row.found, 'found') === 1;
    },
    findPending: async (uniqueKeys) => {
      if (uniqueKeys.length === 0) return [];
      const rows = await runner.rows(sql`
        select unique_key, effective_date from bw_queue_entries
        where tenant_record_id = ${tenantRecordId} and unique_key is not null
          and ${isIn('unique_key', 'text', uniqueKeys)} and processing_state = ${ProcessingState.AVAILABLE}`);
      return rows.map((row) => ({
        uniqueKey: String(row.unique_key),
        effectiveDate: instant(numberOf(row.effective_date, 'effective_date')),
      }));
    },
  };
}
