import type {
  NotificationReads,
  QueuePageRequest,
  QueuePages,
  QueuePart,
} from '../../../lib/ports/storage/index.ts';
import { ProcessingState, QueueKind } from '../../../lib/records/index.ts';
import { inputColumns, instantIn, numberIn, orNullIn } from '../sql/columns.ts';
import { isIn, nothing, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import { pushDeliveriesTable as deliveries, queueEntriesTable, type StoredEntry } from '../tables/queue.ts';
import type { Stored, TenantScope } from '../tables/record-access.ts';

const aheadColumns = inputColumns({ asker: 'bigint', account_record_id: 'bigint', due_by: 'bigint' });

export function notificationReads(scope: TenantScope): NotificationReads {
  const { runner, tenantRecordId } = scope;
  return {
    findLive: async ({ accountRecordIds, topics, limit }) => {
      if (accountRecordIds.length === 0) return [];
      const columns = scope.columns(queueEntriesTable);
      const inState = async (state: ProcessingState): Promise<readonly Stored<StoredEntry>[]> =>
        // The state is a literal, because each state has its own partial index. With a parameter, the database could
        // not use these indexes.
        scope.runner.readAs(queueEntriesTable)`
          select ${columns} from (
            select *, row_number() over (partition by account_record_id order by due_order, record_id) as place
            from bw_queue_entries
            where tenant_record_id = ${tenantRecordId} and ${isIn('account_record_id', 'bigint', accountRecordIds)}
              and processing_state = '${raw(state)}' and ${isIn('topic', 'text', topics)}) as placed
          where place <= ${limit} order by due_order, record_id`;
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
      return row !== undefined && numberIn(row, 'found') === 1;
    },
    findEarlierWork: async ({ work, topics, availableByMs }) => {
      if (work.length === 0 || topics.length === 0) return [];
      const asked = work.map(({ asker, accountRecordId, dueBy }) => [
        asker,
        accountRecordId,
        Math.max(1, dueBy),
      ]);
      // Each state has its own index. The cross join makes SQLite read the tables in this order.
      const inState = (state: ProcessingState, availableAtMs: Sql) => sql`
        select asked.asker, entry.effective_date, ${availableAtMs} as available_at_ms,
          ${state === ProcessingState.IN_PROCESSING ? 1 : 0} as under_way
        from asked cross join bw_queue_entries entry
        where entry.tenant_record_id = ${tenantRecordId} and entry.account_record_id = asked.account_record_id
          and entry.processing_state = '${raw(state)}' and entry.due_order <= asked.due_by
          and ${isIn('entry.topic', 'text', topics)}`;
      return runner.readAs((row) => ({
        asker: numberIn(row, 'asker'),
        lastDue: instantIn(row, 'last_due'),
        availableAtMs: orNullIn(row, 'available_at_ms', numberIn),
        isUnderWay: numberIn(row, 'under_way') === 1,
      }))`
        with asked (asker, account_record_id, due_by) as (select * from ${rowsAs('r', aheadColumns, asked)}),
        ahead as (
          ${inState(ProcessingState.AVAILABLE, sql`entry.available_at_ms`)}
            and (entry.available_at_ms is null or entry.available_at_ms <= ${availableByMs})
          union all ${inState(ProcessingState.IN_PROCESSING, sql`null`)})
        select asker, max(effective_date) as last_due, max(available_at_ms) as available_at_ms,
          max(under_way) as under_way
        from ahead group by asker`;
    },
    findPending: async (uniqueKeys) => {
      if (uniqueKeys.length === 0) return [];
      return runner.readAs((row) => ({
        uniqueKey: String(row.unique_key),
        effectiveDate: instantIn(row, 'effective_date'),
      }))`
        select unique_key, effective_date from bw_queue_entries
        where tenant_record_id = ${tenantRecordId} and unique_key is not null
          and ${isIn('unique_key', 'text', uniqueKeys)} and processing_state = ${ProcessingState.AVAILABLE}`;
    },
  };
}

const live = sql`bw_queue_entries`;
const history = sql`bw_queue_history`;

/**
 * Table and condition for each part of the queue. The states are literals, because the partial index of a live state
 * cannot be used with a parameter.
 */
const places: Readonly<Record<QueuePart, { readonly table: Sql; readonly isThere: Sql }>> = {
  FINISHED: { table: history, isThere: nothing },
  AVAILABLE: { table: live, isThere: sql`and processing_state = 'AVAILABLE'` },
  PROCESSING: { table: live, isThere: sql`and processing_state = 'IN_PROCESSING'` },
};

export function queuePages({ runner, tenantRecordId }: TenantScope): QueuePages {
  const own = (accountRecordId: number | null) =>
    sql`${ofTenant(tenantRecordId)} ${ofAccount(accountRecordId)}`;
  return {
    entries: async (request) => {
      const columns = raw(runner.dialect.selectList(queueEntriesTable));
      return runner.readAs((row) => ({ ...queueEntriesTable.decode(row), tenantRecordId }))`
        select ${columns} from (${pageOf(request, own(request.accountRecordId))}) as chosen ${inOrder(request.part)}`;
    },
    deliveries: async ({ part, accountRecordId, from, to, afterRecordId, limit }) => {
      const dates =
        part === 'AVAILABLE'
          ? sql`and state = 'AVAILABLE' ${to === null ? nothing : sql`and due_order <= ${to}`}`
          : sql`and state <> 'AVAILABLE' ${from === null ? nothing : sql`and ended_date >= ${from}`}`;
      const columns = raw(runner.dialect.selectList(deliveries));
      return runner.readAs((row) => deliveries.decode(row))`
        select ${columns} from (
          select * from bw_push_deliveries
          where record_id > ${afterRecordId} ${own(accountRecordId)} ${dates}
          order by record_id limit ${limit}) as chosen
        order by record_id`;
    },
  };
}

function pageOf(request: QueuePageRequest, whose: Sql) {
  const { part, topics, limit } = request;
  const { table, isThere } = places[part];
  return sql`
    select * from ${table}
    where ${ofKind(request)} ${whose} ${isThere}
      ${topics === null ? nothing : sql`and ${isIn('topic', 'text', topics)}`} ${during(request)}
    ${inOrder(part)} limit ${limit}`;
}

function ofTenant(tenantRecordId: number) {
  return sql`and tenant_record_id = ${tenantRecordId}`;
}

function ofAccount(accountRecordId: number | null) {
  return accountRecordId === null ? nothing : sql`and account_record_id = ${accountRecordId}`;
}

function isLive(part: QueuePart) {
  return part === 'AVAILABLE' || part === 'PROCESSING';
}

/** Returns the sort order of entries. Live entries are sorted in claim order, because that order has an index. */
function inOrder(part: QueuePart) {
  return isLive(part) ? sql`order by due_order, record_id` : sql`order by effective_date, record_id`;
}

/**
 * Returns the condition for entries of the requested kind. For live entries, the condition selects a part of the claim
 * index.
 */
function ofKind({ kind, part }: QueuePageRequest) {
  if (!isLive(part)) return sql`kind = ${kind}`;
  return kind === QueueKind.BUS ? sql`due_order = 0` : sql`due_order > 0`;
}

function during({ kind, part, from, to, after }: QueuePageRequest) {
  const since = from === null ? nothing : sql`and effective_date >= ${from}`;
  const until = to === null ? nothing : sql`and effective_date <= ${to}`;
  if (after === null) return sql`${since} ${until}`;
  const { effectiveDate, recordId } = after;
  const next = isLive(part)
    ? sql`and (due_order, record_id) > (${kind === QueueKind.BUS ? 0 : Math.max(1, effectiveDate)}, ${recordId})`
    : sql`and (effective_date, record_id) > (${effectiveDate}, ${recordId})`;
  return sql`${since} ${until} ${next}`;
}
