import type { NotificationReads } from '../../../lib/ports/storage/index.ts';
import { ProcessingState } from '../../../lib/records/index.ts';
import { instant } from '../../../lib/values/time/index.ts';
import { type Column, numberOf } from '../sql/columns.ts';
import { isIn, raw, rowsAs, sql } from '../sql/sql.ts';
import { queueEntriesTable, type StoredEntry } from '../tables/queue.ts';
import { type Stored, selectOrdered, type TenantScope } from '../tables/record-access.ts';

const aheadColumns: readonly Column[] = [
  { name: 'account_record_id', type: 'bigint', nullable: false },
  { name: 'due_by', type: 'bigint', nullable: false },
];

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
    findAhead: async ({ accounts, topics, availableByMs }) => {
      if (accounts.length === 0 || topics.length === 0) return [];
      const asked = accounts.map(({ accountRecordId, dueBy }) => [accountRecordId, Math.max(1, dueBy)]);
      const rows = await runner.rows(sql`
        select entry.account_record_id, max(entry.effective_date) as last_due,
          max(entry.available_at_ms) as available_at_ms
        from ${rowsAs('asked', aheadColumns, asked)} join bw_queue_entries entry
          on entry.tenant_record_id = ${tenantRecordId} and entry.account_record_id = asked.account_record_id
            and entry.processing_state = 'AVAILABLE' and entry.due_order <= asked.due_by
        where ${isIn('entry.topic', 'text', topics)}
          and (entry.available_at_ms is null or entry.available_at_ms <= ${availableByMs})
        group by entry.account_record_id`);
      return rows.map((row) => ({
        accountRecordId: numberOf(row.account_record_id, 'account_record_id'),
        lastDue: instant(numberOf(row.last_due, 'last_due')),
        availableAtMs: row.available_at_ms === null ? null : numberOf(row.available_at_ms, 'available_at_ms'),
      }));
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
