import type {
  PushLease,
  PushReads,
  PushStore,
  PushWrites,
  SinkStore,
} from '../../../lib/ports/storage/index.ts';
import { SYSTEM_TENANT } from '../../../lib/records/index.ts';
import { inputColumns, instantIn, numberIn, orNullIn, textIn, textOf } from '../sql/columns.ts';
import type { Runner, SystemAccess } from '../sql/runner.ts';
import { isIn, nothing, type RawText, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import { ARE_TENANTS_MOVING } from '../tables/moves.ts';
import {
  pushDeliveriesTable as callbackDeliveries,
  pushCursorsTable,
  pushLeasesTable,
  queueEntriesTable,
  queueHistoryTable,
  sinkDeliveriesTable,
  sinkLeasesTable,
} from '../tables/queue.ts';
import { insertInto, TenantScope } from '../tables/record-access.ts';

const leaseColumns = inputColumns({
  tenant_record_id: 'bigint',
  owner: 'text',
  token: 'text',
  ends_at_ms: 'bigint',
});

const liveTable = raw(queueEntriesTable.name);
const historyTable = raw(queueHistoryTable.name);

/** SQL condition for the events `e` after a cursor `c`. */
const isPendingEvent = sql`
  e.tenant_record_id = c.tenant_record_id and e.record_id > c.after_record_id and e.event_id is not null`;

/**
 * SQL condition for cursors that have later events. It finds the first of these events in the index of published
 * events.
 */
const hasPendingEvents = sql`coalesce(
  (select e.record_id from ${liveTable} e where ${isPendingEvent} order by e.tenant_record_id, e.record_id limit 1),
  (select e.record_id from ${historyTable} e where ${isPendingEvent} order by e.tenant_record_id, e.record_id limit 1)
  ) is not null`;

/**
 * Selects, for each cursor, the number of later events (at most `limit` per table) and the time of the first of them.
 */
function pendingEventCounts(cursors: Sql, limit: number) {
  const of = (table: RawText) => sql`
    union all select
      (select count(*) from (select 1 as one from ${table} e where ${isPendingEvent}
        order by e.tenant_record_id, e.record_id limit ${limit}) as counted),
      (select e.created_date from ${table} e where ${isPendingEvent} order by e.tenant_record_id, e.record_id limit 1)
    from ${cursors}`;
  return sql`${of(liveTable)} ${of(historyTable)}`;
}

/** Returns, for each tenant, the last event for which a delivery to the sink was created. */
function sinkCursors(sink: string) {
  return sql`(
    select t.id as tenant_record_id, coalesce(k.after_record_id, s.after_record_id) as after_record_id
    from bw_sinks s cross join (select record_id as id from bw_tenants union all select ${raw(String(SYSTEM_TENANT.recordId))}) t
    left join bw_sink_cursors k on k.tenant_record_id = t.id and k.sink = s.name
    where s.name = ${sink}) c`;
}

/** @param sink Name of an event sink, or null for deliveries to the callbacks of tenants. */
export function pushStore(
  access: SystemAccess,
  sink: string | null,
  onWritten: PushStore['onWritten'],
): PushStore {
  const { dialect } = access;
  const deliveries = sink === null ? callbackDeliveries : sinkDeliveriesTable;
  const rows = raw(deliveries.name);
  const leases = raw((sink === null ? pushLeasesTable : sinkLeasesTable).name);
  const cursors = sink === null ? sql`bw_push_cursors c` : sinkCursors(sink);
  const ofKind = (alias: string) => (sink === null ? nothing : sql`and ${raw(alias)}.sink = ${sink}`);
  const sinkColumn = raw(sink === null ? '' : ', sink');
  const sinkValue = sink === null ? nothing : sql`, ${sink}`;
  const due = sql`d.state = 'AVAILABLE' ${ofKind('d')}`;
  const isOpen = dialect.ofWorkingTenants('d.tenant_record_id');
  /** Returns the condition for the leases of these tenants that this node still holds, according to the token. */
  const areHeld = (held: readonly PushLease[]) => {
    const tenants = held.map(({ tenantRecordId }) => tenantRecordId);
    const tokens = [...new Set(held.map(({ token }) => token))];
    return sql`${isIn(`l.tenant_record_id`, 'bigint', tenants)} and ${isIn(`l.token`, 'text', tokens)} ${ofKind('l')}`;
  };
  /** Extends the lease. Returns false if the lease was lost. */
  const extendLease = async (runner: Runner, lease: PushLease, leaseEndsAtMs: number): Promise<boolean> => {
    const { affected } = await runner.run(sql`
      update ${leases} as l set ends_at_ms = ${leaseEndsAtMs} where ${areHeld([lease])}`);
    return affected > 0;
  };
  /** Advances the cursor of a tenant, unless another node has already advanced it. */
  const advanceCursorStatement = (
    tenantRecordId: number,
    { after, upTo }: { readonly after: number; readonly upTo: number },
  ): Sql =>
    sink === null
      ? sql`
        update bw_push_cursors set after_record_id = ${upTo}
        where tenant_record_id = ${tenantRecordId} and after_record_id = ${after}`
      : sql`
        insert into bw_sink_cursors as k (tenant_record_id, sink, after_record_id)
        values (${tenantRecordId}, ${sink}, ${upTo})
        on conflict (tenant_record_id, sink) do update set after_record_id = excluded.after_record_id
          where k.after_record_id = ${after}`;
  return {
    take: async ({ owner, token, limit, businessNow, systemNowMs, leaseEndsAtMs }) => {
      // The search skips from tenant to tenant along the index of due deliveries.
      // This is a separate statement, because Citus rejects `recursive` in an insert.
      const waiting = await access.rows(sql`
        with recursive pushing (id) as (
          select min(d.tenant_record_id) from ${rows} d where ${due}
          union all
          select (select min(d.tenant_record_id) from ${rows} d where ${due} and d.tenant_record_id > pushing.id)
          from pushing where pushing.id is not null
        )
        , waiting (id) as (
          select pushing.id from pushing
          where pushing.id is not null and exists (
            select 1 from ${rows} d
            where d.tenant_record_id = pushing.id and ${due} and d.due_order <= ${businessNow})
          union select c.tenant_record_id from ${cursors} where ${hasPendingEvents}
        )
        select waiting.id from waiting
        where not exists (
          select 1 from ${leases} o
          where o.tenant_record_id = waiting.id and o.ends_at_ms > ${systemNowMs} ${ofKind('o')})
          ${dialect.ofWorkingTenants('waiting.id')}
        limit ${limit}`);
      if (waiting.length === 0) return [];
      const wanted = waiting.map((row) => [numberIn(row, 'id'), owner, token, leaseEndsAtMs]);
      const taken = await access.rows(sql`
        insert into ${leases} as l (tenant_record_id, owner, token, ends_at_ms ${sinkColumn})
        select r.tenant_record_id, r.owner, r.token, r.ends_at_ms ${sinkValue}
        from ${rowsAs('r', leaseColumns, wanted)} where true ${dialect.ofWorkingTenants('r.tenant_record_id')}
        on conflict (tenant_record_id ${sinkColumn}) do update
          set owner = excluded.owner, token = excluded.token, ends_at_ms = excluded.ends_at_ms
          where l.ends_at_ms <= ${systemNowMs}
        returning tenant_record_id`);
      return taken.map((row) => numberIn(row, 'tenant_record_id'));
    },
    renew: async (held, leaseEndsAtMs) => {
      if (held.length === 0) return;
      await access.run(sql`update ${leases} as l set ends_at_ms = ${leaseEndsAtMs} where ${areHeld(held)}`);
    },
    owners: async () => {
      return access.readAs((row) => textIn(row, 'owner'))`
        select distinct l.owner from ${leases} l where true ${ofKind('l')}`;
    },
    releaseFrom: async (owners) => {
      if (owners.length === 0) return;
      await access.run(
        sql`delete from ${leases} as l where ${isIn('l.owner', 'text', owners)} ${ofKind('l')}`,
      );
    },
    release: async (held) => {
      if (held.length === 0) return;
      await access.run(sql`delete from ${leases} as l where ${areHeld(held)}`);
    },
    load: async ({ tenantRecordId, businessNow, limit, held, enoughOf }) => {
      if (sink !== null) await access.run(holdBackStatement(tenantRecordId, sink));
      const columns = raw(dialect.selectList(deliveries));
      const some = (which: Sql) => sql`
        select ${columns} from (
          select * from ${rows} d
          where d.tenant_record_id = ${tenantRecordId} and ${due} and ${which} ${isOpen}
            and not ${isIn('d.record_id', 'bigint', held)}
          order by d.due_order, d.record_id limit ${limit}) as chosen`;
      const found = await access.rows(sql`
        ${some(sql`d.due_order = 0 and not ${isIn('coalesce(d.account_record_id, 0)', 'bigint', enoughOf)}`)}
        union all ${some(sql`d.due_order > 0 and d.due_order <= ${businessNow}`)}`);
      return found
        .map((row) => deliveries.decode(row))
        .sort((one, other) => one.dueOrder - other.dueOrder || one.recordId - other.recordId);
    },
    record: async (lease, changes, leaseEndsAtMs) =>
      access.transact(async (runner) => {
        if (!(await extendLease(runner, lease, leaseEndsAtMs))) return false;
        const scope = new TenantScope(runner, lease.tenantRecordId);
        await scope.updateRows(deliveries, { properties: changing, records: changes });
        const over = changes.filter(({ state, attempts }) => state !== 'AVAILABLE' && attempts > 1);
        if (sink !== null && over.length > 0) {
          const recordIds = over.map(({ recordId }) => recordId);
          await runner.run(letGoOn(lease.tenantRecordId, sink, recordIds));
        }
        return true;
      }),
    takeUp: async (lease, { after, upTo, deliveries: made }, leaseEndsAtMs) =>
      access.transact(async (runner) => {
        if (!(await extendLease(runner, lease, leaseEndsAtMs))) return 'LOST';
        const { tenantRecordId } = lease;
        const { affected } = await runner.run(advanceCursorStatement(tenantRecordId, { after, upTo }));
        if (affected === 0) return 'MOVED';
        // A node with an earlier version may run at the same time. That node writes its deliveries together with the
        // change.
        if (made.length > 0)
          await runner.run(sql`${insertInto(tenantRecordId, deliveries, made)} on conflict do nothing`);
        return 'TAKEN';
      }),
    nextDue: async (after) => {
      const [row] = await access.rows(sql`
        select min(d.due_order) as next_due from ${rows} d where ${due} and d.due_order > ${after} ${isOpen}`);
      return orNullIn(row, 'next_due', instantIn);
    },
    backlog: async ({ businessNow, limit }) => {
      const [row] = await access.rows(sql`
        select sum(due) as due, min(oldest) as oldest from (
          select count(*) as due, min(begun) as oldest from (
            select case when d.due_order = 0 then d.created_date else d.due_order end as begun from ${rows} d
            where ${due} and d.due_order <= ${businessNow} ${isOpen} order by d.due_order limit ${limit}) as made
          ${pendingEventCounts(sql`${cursors} where true ${dialect.ofWorkingTenants('c.tenant_record_id')}`, limit)}) as found`);
      return { due: Math.min(numberIn(row, 'due'), limit), oldest: orNullIn(row, 'oldest', instantIn) };
    },
    hasDue: async (tenantRecordId, businessNow) => {
      const whose = (alias: string) =>
        tenantRecordId === null ? nothing : sql`and ${raw(alias)}.tenant_record_id = ${tenantRecordId}`;
      const found = await access.rows(sql`
        select 1 as found where (
          select d.record_id from ${rows} d where ${due} and d.due_order <= ${businessNow} ${whose('d')} ${isOpen}
          order by d.due_order limit 1) is not null
        or exists (select 1 from ${cursors} where ${hasPendingEvents} ${whose('c')}
          ${dialect.ofWorkingTenants('c.tenant_record_id')})`);
      return found.length > 0;
    },
    purge: async (before, limit) => {
      const { affected } = await access.run(sql`
        delete from ${rows} where record_id in (
          select d.record_id from ${rows} d
          where d.ended_date is not null and d.ended_date < ${before} ${ofKind('d')} ${isOpen}
          order by d.ended_date, d.record_id limit ${limit})`);
      return affected;
    },
    onWritten,
  };
}

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
      scope.page(callbackDeliveries, {
        request,
        within: sql`${state === undefined ? nothing : sql`and state = ${state}`}
          ${eventType === undefined ? nothing : sql`and event_type = ${eventType}`}
          ${accountId === undefined ? nothing : sql`and ${scope.ofAccount(accountId)}`}`,
        among: nothing,
      }),
    find: async (id) => (await scope.selectBy(callbackDeliveries, 'id', [id]))[0] ?? null,
    lastEventId: async (sink) =>
      sink === undefined
        ? ((await scope.select(pushCursorsTable, sql`true`))[0]?.afterRecordId ?? null)
        : lastSinkEventId(scope, sink),
  };
}

async function lastSinkEventId(
  { runner, tenantRecordId }: TenantScope,
  sink: string,
): Promise<number | null> {
  return runner.firstAs((row) => numberIn(row, 'after_record_id'))`
    select coalesce(k.after_record_id, s.after_record_id) as after_record_id from bw_sinks s
    left join bw_sink_cursors k on k.tenant_record_id = ${tenantRecordId} and k.sink = s.name
    where s.name = ${sink}`;
}

/** Starts the pushes of a tenant with the next event. If `callback` is null, ends the pushes. */
export async function beginPushes(scope: TenantScope, callback: number | null): Promise<void> {
  const { runner, tenantRecordId } = scope;
  await runner.run(
    callback === null
      ? sql`delete from bw_push_cursors where tenant_record_id = ${tenantRecordId}`
      : sql`
        insert into bw_push_cursors (tenant_record_id, after_record_id)
        values (${tenantRecordId}, ${runner.dialect.lastEntry})
        on conflict (tenant_record_id) do update set after_record_id = excluded.after_record_id`,
  );
}

/** @param onPushRequested Called when a push becomes due. */
export function pushWrites(scope: TenantScope, onPushRequested: () => void): PushWrites {
  return {
    sendAgain: async (delivery, to) => {
      const record = { ...delivery, ...to, state: 'AVAILABLE' as const, failures: 0, endedDate: null };
      await scope.updateRows(callbackDeliveries, { properties: [...changing, 'url'], records: [record] });
      onPushRequested();
    },
  };
}

/**
 * Due order of events that wait until an earlier event of the same account has been retried, because sinks receive
 * events in order. No due date ever reaches this value.
 */
const HELD_BACK = 9_000_000_000_000_000;

/**
 * Holds back the events after an event that is being retried. If no event is being retried, executes a single lookup.
 */
export function holdBackStatement(tenantRecordId: number, sink: string): Sql {
  const again = sql`from bw_sink_deliveries w
    where w.sink = ${sink} and w.tenant_record_id = ${tenantRecordId} and w.state = 'AVAILABLE' and w.due_order > 0`;
  return sql`
    update bw_sink_deliveries as d set due_order = ${HELD_BACK}
    where d.sink = ${sink} and d.tenant_record_id = ${tenantRecordId} and d.state = 'AVAILABLE' and d.due_order = 0
      and exists (select 1 ${again})
      and coalesce(d.account_record_id, 0) in (select coalesce(w.account_record_id, 0) ${again})`;
}

/** Releases the held events of accounts whose retries have ended. The retries are given by record id. */
function letGoOn(tenantRecordId: number, sink: string, recordIds: readonly number[]) {
  return sql`
    update bw_sink_deliveries as d set due_order = 0
    where d.sink = ${sink} and d.tenant_record_id = ${tenantRecordId}
      and d.state = 'AVAILABLE' and d.due_order = ${HELD_BACK}
      and coalesce(d.account_record_id, 0) in (
        select coalesce(w.account_record_id, 0) from bw_sink_deliveries w
        where ${isIn('w.record_id', 'bigint', recordIds)})`;
}

const nameColumn = inputColumns({ name: 'text' });

export function sinkStore(access: SystemAccess): SinkStore {
  const { dialect } = access;
  const isUnused = (forMs: number) => sql`used_at_ms < ${dialect.nowMs} - ${forMs}`;
  return {
    register: async (names) => {
      if (names.length === 0) return;
      const rows = names.map((name) => [name]);
      await access.run(sql`
        insert into bw_sinks (name, after_record_id, used_at_ms)
        select r.name, ${dialect.lastEntry}, ${dialect.nowMs} from ${rowsAs('r', nameColumn, rows)} where true
        on conflict (name) do update set used_at_ms = excluded.used_at_ms`);
    },
    forget: async (unusedForMs, limit) =>
      access.transact(async (runner) => {
        const found = await runner.rows(sql`
          select name from bw_sinks where ${isUnused(unusedForMs)} and not ${raw(ARE_TENANTS_MOVING)}
          order by name ${raw(dialect.forUpdate)}`);
        if (found.length === 0) return;
        const names = found.map(({ name }) => textOf(name, 'name'));
        const { affected } = await runner.run(sql`
          delete from bw_sink_deliveries where record_id in (
            select d.record_id from bw_sink_deliveries d where ${isIn('d.sink', 'text', names)} limit ${limit})`);
        if (affected >= limit) return;
        for (const table of ['bw_sink_cursors', 'bw_sink_leases'])
          await runner.run(sql`delete from ${raw(table)} where ${isIn('sink', 'text', names)}`);
        await runner.run(sql`delete from bw_sinks where ${isIn('name', 'text', names)}`);
      }),
  };
}
