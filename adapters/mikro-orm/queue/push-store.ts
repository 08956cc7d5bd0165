import type { PushReads, PushStore, PushWrites } from '../../../lib/ports/storage/index.ts';
import type { New, PushDelivery } from '../../../lib/records/index.ts';
import { instant } from '../../../lib/values/time/index.ts';
import { type Column, numberOf } from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { SystemAccess } from '../sql/runner.ts';
import { isIn, nothing, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import { pushDeliveriesTable as deliveries, pushLeasesTable } from '../tables/queue.ts';
import {
  insertInto,
  ofAccount,
  page,
  select,
  type TenantScope,
  updateRows,
} from '../tables/record-access.ts';

const due = sql`state = 'AVAILABLE'`;

/** What an attempt, or asking for one, changes. */
const changing = [
  'state',
  'dueOrder',
  'attempts',
  'failures',
  'attemptedDate',
  'lastStatus',
  'lastError',
  'endedDate',
] as const;

export function pushReads(scope: TenantScope): PushReads {
  return {
    list: async ({ state, eventType, accountId }, request) =>
      page(scope, deliveries, {
        request,
        within: sql`${state === undefined ? nothing : sql`and state = ${state}`}
          ${eventType === undefined ? nothing : sql`and event_type = ${eventType}`}
          ${accountId === undefined ? nothing : sql`and ${ofAccount(scope, accountId)}`}`,
        among: nothing,
      }),
    find: async (id) => (await select(scope, deliveries, isIn('id', 'uuid', [id])))[0] ?? null,
  };
}

/** @param onAsked called when something was made due. */
export function pushWrites(scope: TenantScope, onAsked: () => void): PushWrites {
  return {
    sendAgain: async (delivery, to) => {
      const record = { ...delivery, ...to, state: 'AVAILABLE' as const, failures: 0, endedDate: null };
      await updateRows(scope, deliveries, { properties: [...changing, 'url'], records: [record] });
      onAsked();
    },
  };
}

/** Leaves deliveries to the commit. */
export function leaveDeliveries(scope: TenantScope, written: readonly New<PushDelivery>[]): void {
  if (written.length === 0) return;
  scope.runner.leaveToCommit(scope.runner.run(insertInto(scope, deliveries, written)));
}

const leaseColumns: readonly Column[] = [
  { name: 'owner', type: 'text', nullable: false },
  { name: 'token', type: 'text', nullable: false },
  { name: 'ends_at_ms', type: 'bigint', nullable: false },
];

export function pushStore(
  access: SystemAccess,
  dialect: Dialect,
  onWritten: PushStore['onWritten'],
): PushStore {
  return {
    take: async ({ owner, token, limit, businessNow, systemNowMs, leaseEndsAtMs }) => {
      // Along the index of what is due, from tenant to tenant, whatever each has to send.
      const { rows } = await access.run(sql`
        with recursive pushing (id) as (
          select min(tenant_record_id) from bw_push_deliveries where ${due}
          union all
          select (select min(tenant_record_id) from bw_push_deliveries where ${due} and tenant_record_id > pushing.id)
          from pushing where pushing.id is not null
        )
        insert into bw_push_leases (tenant_record_id, owner, token, ends_at_ms)
        select pushing.id, r.owner, r.token, r.ends_at_ms
        from pushing cross join ${rowsAs('r', leaseColumns, [[owner, token, leaseEndsAtMs]])}
        where pushing.id is not null
          and exists (
            select 1 from bw_push_deliveries d
            where d.tenant_record_id = pushing.id and d.state = 'AVAILABLE' and d.due_order <= ${businessNow})
          and not exists (
            select 1 from bw_push_leases l where l.tenant_record_id = pushing.id and l.ends_at_ms > ${systemNowMs})
        limit ${limit}
        on conflict (tenant_record_id) do update
          set owner = excluded.owner, token = excluded.token, ends_at_ms = excluded.ends_at_ms
          where bw_push_leases.ends_at_ms <= ${systemNowMs}
        returning tenant_record_id`);
      return rows.map((row) => numberOf(row.tenant_record_id, 'tenant_record_id'));
    },
    renew: async (leases, leaseEndsAtMs) => {
      if (leases.length === 0) return;
      await access.run(sql`update bw_push_leases set ends_at_ms = ${leaseEndsAtMs} where ${areHeld(leases)}`);
    },
    owners: async () => {
      const { rows } = await access.run(sql`select distinct owner from bw_push_leases`);
      return rows.map(({ owner }) => String(owner));
    },
    releaseFrom: async (owners) => {
      if (owners.length === 0) return;
      await access.run(sql`delete from bw_push_leases where ${isIn('owner', 'text', owners)}`);
    },
    release: async (leases) => {
      if (leases.length === 0) return;
      await access.run(sql`delete from bw_push_leases where ${areHeld(leases)}`);
    },
    load: async ({ tenantRecordId, businessNow, limit, held, enoughOf }) => {
      const columns = raw(dialect.selectList(deliveries));
      const some = (which: Sql): Sql => sql`
        select ${columns} from (
          select * from bw_push_deliveries
          where tenant_record_id = ${tenantRecordId} and ${due} and ${which}
            and not ${isIn('record_id', 'bigint', held)}
          order by due_order, record_id limit ${limit}) as chosen`;
      const { rows } = await access.run(sql`
        ${some(sql`due_order = 0 and not ${isIn('coalesce(account_record_id, 0)', 'bigint', enoughOf)}`)}
        union all ${some(sql`due_order > 0 and due_order <= ${businessNow}`)}`);
      return rows
        .map((row) => deliveries.decode(row))
        .sort((one, other) => one.dueOrder - other.dueOrder || one.recordId - other.recordId);
    },
    record: async (lease, changes, leaseEndsAtMs) =>
      access.transact(async (runner) => {
        const { affected } = await runner.run(sql`
          update bw_push_leases set ends_at_ms = ${leaseEndsAtMs} where ${areHeld([lease])}`);
        if (affected === 0) return false;
        const scope = { runner, tenantRecordId: lease.tenantRecordId };
        await updateRows(scope, deliveries, { properties: changing, records: changes });
        return true;
      }),
    nextDue: async (after) => {
      const { rows } = await access.run(sql`
        select min(due_order) as next_due from bw_push_deliveries where ${due} and due_order > ${after}`);
      const next = rows[0]?.next_due;
      return next === null || next === undefined ? null : instant(numberOf(next, 'next_due'));
    },
    backlog: async ({ businessNow, limit }) => {
      const { rows } = await access.run(sql`
        select count(*) as due, min(begun) as oldest from (
          select case when due_order = 0 then created_date else due_order end as begun from bw_push_deliveries
          where ${due} and due_order <= ${businessNow} order by due_order limit ${limit}) as found`);
      const [row] = rows;
      const oldest = row?.oldest;
      return {
        due: numberOf(row?.due, 'due'),
        oldest: oldest === null || oldest === undefined ? null : instant(numberOf(oldest, 'oldest')),
      };
    },
    hasDue: async (tenantRecordId, businessNow) => {
      const whose = tenantRecordId === null ? nothing : sql`and tenant_record_id = ${tenantRecordId}`;
      const { rows } = await access.run(sql`
        select 1 as found from bw_push_deliveries where ${due} and due_order <= ${businessNow} ${whose}
        order by due_order limit 1`);
      return rows.length > 0;
    },
    purge: async (before, limit) => {
      const { affected } = await access.run(sql`
        delete from bw_push_deliveries where record_id in (
          select record_id from bw_push_deliveries where ended_date is not null and ended_date < ${before}
          order by ended_date, record_id limit ${limit})`);
      return affected;
    },
    onWritten,
  };
}

/** The leases of these tenants that still carry our tokens. */
function areHeld(leases: Parameters<PushStore['release']>[0]): Sql {
  const tenants = leases.map(({ tenantRecordId }) => tenantRecordId);
  const tokens = [...new Set(leases.map(({ token }) => token))];
  return sql`${isIn(`${pushLeasesTable.name}.tenant_record_id`, 'bigint', tenants)}
    and ${isIn(`${pushLeasesTable.name}.token`, 'text', tokens)}`;
}
