import type { NotificationReads } from '../../../lib/ports/storage/index.ts';
import { ProcessingState } from '../../../lib/records/index.ts';
import { instant } from '../../../lib/values/time/index.ts';
import { type Column, numberOf } from '../sql/columns.ts';
import { isIn, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import { queueEntriesTable, type StoredEntry } from '../tables/queue.ts';
import { recordColumns, type Stored, type TenantScope } from '../tables/record-access.ts';

const aheadColumns: readonly Column[] = [
  { name: 'asker', type: 'bigint', nullable: false },
  { name: 'account_record_id', type: 'bigint', nullable: false },
  { name: 'due_by', type: 'bigint', nullable: false },
];

export function notificationReads(scope: TenantScope): NotificationReads {
  const { runner, tenantRecordId } = scope;
  return {
    findLive: async ({ accountRecordIds, topics, limit }) => {
      if (accountRecordIds.length === 0) return [];
      const columns = raw(recordColumns(scope, queueEntriesTable));
      const inState = async (state: ProcessingState): Promise<readonly Stored<StoredEntry>[]> =>
        // Written out: each state has an index of its own, which a parameter would keep from being chosen.
        runner.read(
          sql`
          select ${columns} from (
            select *, row_number() over (partition by account_record_id order by due_order, record_id) as place
            from bw_queue_entries
            where tenant_record_id = ${tenantRecordId} and ${isIn('account_record_id', 'bigint', accountRecordIds)}
              and processing_state = '${raw(state)}' and ${isIn('topic', 'text', topics)}) as placed
          where place <= ${limit} order by due_order, record_id`,
          (row) => queueEntriesTable.decode(row),
        );
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
    findAhead: async ({ work, topics, availableByMs }) => {
      if (work.length === 0 || topics.length === 0) return [];
      const asked = work.map(({ asker, accountRecordId, dueBy }) => [
        asker,
        accountRecordId,
        Math.max(1, dueBy),
      ]);
      // Each state has an index of its own. SQLite takes a cross join in the order that is written.
      const inState = (state: ProcessingState, availableAtMs: Sql): Sql => sql`
        select asked.asker, entry.effective_date, ${availableAtMs} as available_at_ms,
          ${state === ProcessingState.IN_PROCESSING ? 1 : 0} as under_way
        from asked cross join bw_queue_entries entry
        where entry.tenant_record_id = ${tenantRecordId} and entry.account_record_id = asked.account_record_id
          and entry.processing_state = '${raw(state)}' and entry.due_order <= asked.due_by
          and ${isIn('entry.topic', 'text', topics)}`;
      const rows = await runner.rows(sql`
        with asked (asker, account_record_id, due_by) as (select * from ${rowsAs('r', aheadColumns, asked)}),
        ahead as (
          ${inState(ProcessingState.AVAILABLE, sql`entry.available_at_ms`)}
            and (entry.available_at_ms is null or entry.available_at_ms <= ${availableByMs})
          union all ${inState(ProcessingState.IN_PROCESSING, sql`null`)})
        select asker, max(effective_date) as last_due, max(available_at_ms) as available_at_ms,
          max(under_way) as under_way
        from ahead group by asker`);
      return rows.map((row) => ({
        asker: numberOf(row.asker, 'asker'),
        lastDue: instant(numberOf(row.last_due, 'last_due')),
        availableAtMs: row.available_at_ms === null ? null : numberOf(row.available_at_ms, 'available_at_ms'),
        isUnderWay: numberOf(row.under_way, 'under_way') === 1,
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
