import type { QueuePageRequest, QueuePages, QueuePart } from '../../../lib/ports/storage/index.ts';
import { QueueKind } from '../../../lib/records/index.ts';
import { isIn, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { pushDeliveriesTable as deliveries, queueEntriesTable } from '../tables/queue.ts';
import type { TenantScope } from '../tables/record-access.ts';

const live = sql`bw_queue_entries`;
const history = sql`bw_queue_history`;

/** Written out: each state of what is live has an index of its own, which a parameter would keep from being chosen. */
const places: Readonly<Record<QueuePart, { readonly table: Sql; readonly isThere: Sql }>> = {
  FINISHED: { table: history, isThere: nothing },
  AVAILABLE: { table: live, isThere: sql`and processing_state = 'AVAILABLE'` },
  PROCESSING: { table: live, isThere: sql`and processing_state = 'IN_PROCESSING'` },
};

export function queuePages({ runner, tenantRecordId }: TenantScope): QueuePages {
  const own = (accountRecordId: number | null): Sql =>
    sql`${ofTenant(tenantRecordId)} ${ofAccount(accountRecordId)}`;
  return {
    entries: async (request) => {
      const columns = raw(runner.dialect.selectList(queueEntriesTable));
      const rows = await runner.rows(sql`
        select ${columns} from (${pageOf(request, own(request.accountRecordId))}) as chosen ${inOrder(request.part)}`);
      return rows.map((row) => ({ ...queueEntriesTable.decode(row), tenantRecordId }));
    },
    deliveries: async ({ part, accountRecordId, from, to, afterRecordId, limit }) => {
      const dates =
        part === 'AVAILABLE'
          ? sql`and state = 'AVAILABLE' ${to === null ? nothing : sql`and due_order <= ${to}`}`
          : sql`and state <> 'AVAILABLE' ${from === null ? nothing : sql`and ended_date >= ${from}`}`;
      const columns = raw(runner.dialect.selectList(deliveries));
      const rows = await runner.rows(sql`
        select ${columns} from (
          select * from bw_push_deliveries
          where record_id > ${afterRecordId} ${own(accountRecordId)} ${dates}
          order by record_id limit ${limit}) as chosen
        order by record_id`);
      return rows.map((row) => deliveries.decode(row));
    },
  };
}

function pageOf(request: QueuePageRequest, whose: Sql): Sql {
  const { part, topics, limit } = request;
  const { table, isThere } = places[part];
  return sql`
    select * from ${table}
    where ${ofKind(request)} ${whose} ${isThere}
      ${topics === null ? nothing : sql`and ${isIn('topic', 'text', topics)}`} ${during(request)}
    ${inOrder(part)} limit ${limit}`;
}

function ofTenant(tenantRecordId: number): Sql {
  return sql`and tenant_record_id = ${tenantRecordId}`;
}

function ofAccount(accountRecordId: number | null): Sql {
  return accountRecordId === null ? nothing : sql`and account_record_id = ${accountRecordId}`;
}

function isLive(part: QueuePart): boolean {
  return part === 'AVAILABLE' || part === 'PROCESSING';
}

/** What is live is in the order of claims, along its index. */
function inOrder(part: QueuePart): Sql {
  return isLive(part) ? sql`order by due_order, record_id` : sql`order by effective_date, record_id`;
}

/** The part of the index of claims in which the kind lies. */
function ofKind({ kind, part }: QueuePageRequest): Sql {
  if (!isLive(part)) return sql`kind = ${kind}`;
  return kind === QueueKind.BUS ? sql`due_order = 0` : sql`due_order > 0`;
}

function during({ kind, part, from, to, after }: QueuePageRequest): Sql {
  const since = from === null ? nothing : sql`and effective_date >= ${from}`;
  const until = to === null ? nothing : sql`and effective_date <= ${to}`;
  if (after === null) return sql`${since} ${until}`;
  const { effectiveDate, recordId } = after;
  const next = isLive(part)
    ? sql`and (due_order, record_id) > (${kind === QueueKind.BUS ? 0 : Math.max(1, effectiveDate)}, ${recordId})`
    : sql`and (effective_date, record_id) > (${effectiveDate}, ${recordId})`;
  return sql`${since} ${until} ${next}`;
}
