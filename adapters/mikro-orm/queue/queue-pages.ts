import type {
  QueueLooks,
  QueuePageRequest,
  QueuePages,
  QueuePart,
  SeenEntry,
} from '../../../lib/ports/storage/index.ts';
import { QueueKind } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { numberOf, type Row, textOf } from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { SystemAccess } from '../sql/runner.ts';
import { isIn, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { pushDeliveriesTable as deliveries, queueEntriesTable } from '../tables/queue.ts';
import type { TenantScope } from '../tables/record-access.ts';

const live = sql`bw_queue_entries`;
const history = sql`bw_queue_history`;

/** Written out: each state of what is live has an index of its own, which a parameter would keep from being chosen. */
const places: Readonly<Record<QueuePart, { readonly table: Sql; readonly isThere: Sql }>> = {
  FINISHED: { table: history, isThere: nothing },
  FAILED: { table: history, isThere: sql`and processing_state = 'FAILED'` },
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

export function queueLooks(access: SystemAccess, dialect: Dialect): QueueLooks {
  const columns = raw(dialect.selectList(queueEntriesTable));
  return {
    see: async (request) => {
      const { tenantRecordId, accountId, ...page } = request;
      const whose = sql`${ofTenant(tenantRecordId)} ${
        accountId === null
          ? nothing
          : sql`and account_record_id in (select a.record_id from bw_accounts a where ${isIn('a.id', 'uuid', [accountId])})`
      }`;
      const { rows } = await access.run(sql`
        select ${columns}, tenant_record_id, ${beside} from (${pageOf(page, whose)}) as chosen ${inOrder(page.part)}`);
      return rows.map(seen);
    },
  };
}

/** Who it belongs to, and what of its account stands before it. */
const ofSameAccount = sql`other.tenant_record_id = chosen.tenant_record_id
  and other.account_record_id = chosen.account_record_id`;
const underWay = (column: string): Sql => sql`(
  select other.${raw(column)} from bw_queue_entries other
  where ${ofSameAccount} and other.processing_state = 'IN_PROCESSING' and other.record_id <> chosen.record_id
  order by other.record_id limit 1)`;
const beside = sql`
  (select t.id from bw_tenants t where t.record_id = chosen.tenant_record_id) as tenant_id,
  (select a.id from bw_accounts a where a.record_id = chosen.account_record_id) as account_id,
  ${underWay('record_id')} as under_way, ${underWay('processing_owner')} as under_way_owner,
  (select other.record_id from bw_queue_entries other
    where ${ofSameAccount} and other.processing_state = 'AVAILABLE'
      and (other.due_order, other.record_id) < (chosen.due_order, chosen.record_id)
    order by other.due_order, other.record_id limit 1) as behind`;

type Page = Omit<QueuePageRequest, 'accountRecordId'>;

function pageOf(request: Page, whose: Sql): Sql {
  const { part, topics, limit } = request;
  const { table, isThere } = places[part];
  return sql`
    select * from ${table}
    where ${ofKind(request)} ${whose} ${isThere}
      ${topics === null ? nothing : sql`and ${isIn('topic', 'text', topics)}`} ${during(request)}
    ${inOrder(part)} limit ${limit}`;
}

function ofTenant(tenantRecordId: number | null): Sql {
  return tenantRecordId === null ? nothing : sql`and tenant_record_id = ${tenantRecordId}`;
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
function ofKind({ kind, part }: Page): Sql {
  if (!isLive(part)) return sql`kind = ${kind}`;
  return kind === QueueKind.BUS ? sql`due_order = 0` : sql`due_order > 0`;
}

function during({ kind, part, from, to, after }: Page): Sql {
  const since = from === null ? nothing : sql`and effective_date >= ${from}`;
  const until = to === null ? nothing : sql`and effective_date <= ${to}`;
  if (after === null) return sql`${since} ${until}`;
  const { effectiveDate, recordId } = after;
  const next = isLive(part)
    ? sql`and (due_order, record_id) > (${kind === QueueKind.BUS ? 0 : Math.max(1, effectiveDate)}, ${recordId})`
    : sql`and (effective_date, record_id) > (${effectiveDate}, ${recordId})`;
  return sql`${since} ${until} ${next}`;
}

function tenantOf(row: Row): number {
  return numberOf(row.tenant_record_id, 'tenant_record_id');
}

function seen(row: Row): SeenEntry {
  const numberOrNull = (column: string): number | null =>
    row[column] === null || row[column] === undefined ? null : numberOf(row[column], column);
  const textOrNull = (column: string): string | null =>
    row[column] === null || row[column] === undefined ? null : textOf(row[column], column);
  const { recordId, kind, topic, payload, accountRecordId, userToken, createdDate, effectiveDate, ...rest } =
    queueEntriesTable.decode(row);
  const { traceParent, errorCount, processingState, processingOwner } = rest;
  const { doneHandlers, availableAtMs, reason } = rest;
  const underWayId = numberOrNull('under_way');
  return {
    recordId,
    kind,
    topic,
    payload,
    accountRecordId,
    tenantRecordId: tenantOf(row),
    tenantId: textOrNull('tenant_id') as Uuid | null,
    accountId: textOrNull('account_id') as Uuid | null,
    userToken,
    traceParent,
    createdDate,
    effectiveDate,
    errorCount,
    processingState,
    processingOwner,
    doneHandlers,
    availableAtMs,
    reason,
    underWay: underWayId === null ? null : { recordId: underWayId, owner: textOrNull('under_way_owner') },
    behind: numberOrNull('behind'),
  };
}
