import type { PushLease, PushStore } from '../../../lib/ports/storage/index.ts';
import { instant } from '../../../lib/values/time/index.ts';
import { type Column, numberOf } from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { SystemAccess } from '../sql/runner.ts';
import { isIn, nothing, type RawText, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import { updateRows } from '../tables/record-access.ts';
import { changing, type DeliveryTables } from './push-deliveries.ts';
import { heldBack, letGoOn } from './sink-order.ts';

const leaseColumns: readonly Column[] = [
  { name: 'owner', type: 'text', nullable: false },
  { name: 'token', type: 'text', nullable: false },
  { name: 'ends_at_ms', type: 'bigint', nullable: false },
];

/** How deliveries of one kind are found: those to callbacks, or those to one sink. */
interface Place {
  readonly rows: RawText;
  readonly leases: RawText;
  /** What holds of the rows of this kind alone. */
  readonly ofKind: (alias: string) => Sql;
  /** What tells a lease of this kind besides its tenant: columns, their values, and the key of the table. */
  readonly sinkColumn: RawText;
  readonly sinkValue: Sql;
  readonly leaseKey: RawText;
}

function placeOf({ deliveries, leases, sink }: DeliveryTables): Place {
  const found = { rows: raw(deliveries.name), leases: raw(leases) };
  if (sink === null) {
    const ofKind = (): Sql => nothing;
    return {
      ...found,
      ofKind,
      sinkColumn: raw(''),
      sinkValue: nothing,
      leaseKey: raw('tenant_record_id'),
    };
  }
  return {
    ...found,
    ofKind: (alias) => sql`and ${raw(alias)}.sink = ${sink}`,
    sinkColumn: raw(', sink'),
    sinkValue: sql`, ${sink}`,
    leaseKey: raw('tenant_record_id, sink'),
  };
}

export function pushStore(
  access: SystemAccess,
  dialect: Dialect,
  { tables, onWritten }: { readonly tables: DeliveryTables } & Pick<PushStore, 'onWritten'>,
): PushStore {
  const { deliveries, sink } = tables;
  const { rows, leases, ofKind, sinkColumn, sinkValue, leaseKey } = placeOf(tables);
  const due = sql`d.state = 'AVAILABLE' ${ofKind('d')}`;
  /** The leases of these tenants that still carry our tokens. */
  const areHeld = (held: readonly PushLease[]): Sql => {
    const tenants = held.map(({ tenantRecordId }) => tenantRecordId);
    const tokens = [...new Set(held.map(({ token }) => token))];
    return sql`${isIn(`l.tenant_record_id`, 'bigint', tenants)} and ${isIn(`l.token`, 'text', tokens)} ${ofKind('l')}`;
  };
  return {
    take: async ({ owner, token, limit, businessNow, systemNowMs, leaseEndsAtMs }) => {
      // Along the index of what is due, from tenant to tenant, whatever each has to send.
      const { rows: taken } = await access.run(sql`
        with recursive pushing (id) as (
          select min(d.tenant_record_id) from ${rows} d where ${due}
          union all
          select (select min(d.tenant_record_id) from ${rows} d where ${due} and d.tenant_record_id > pushing.id)
          from pushing where pushing.id is not null
        )
        insert into ${leases} as l (tenant_record_id, owner, token, ends_at_ms ${sinkColumn})
        select pushing.id, r.owner, r.token, r.ends_at_ms ${sinkValue}
        from pushing cross join ${rowsAs('r', leaseColumns, [[owner, token, leaseEndsAtMs]])}
        where pushing.id is not null
          and exists (
            select 1 from ${rows} d
            where d.tenant_record_id = pushing.id and ${due} and d.due_order <= ${businessNow})
          and not exists (
            select 1 from ${leases} o
            where o.tenant_record_id = pushing.id and o.ends_at_ms > ${systemNowMs} ${ofKind('o')})
        limit ${limit}
        on conflict (${leaseKey}) do update
          set owner = excluded.owner, token = excluded.token, ends_at_ms = excluded.ends_at_ms
          where l.ends_at_ms <= ${systemNowMs}
        returning tenant_record_id`);
      return taken.map((row) => numberOf(row.tenant_record_id, 'tenant_record_id'));
    },
    renew: async (held, leaseEndsAtMs) => {
      if (held.length === 0) return;
      await access.run(sql`update ${leases} as l set ends_at_ms = ${leaseEndsAtMs} where ${areHeld(held)}`);
    },
    owners: async () => {
      const { rows: found } = await access.run(sql`
        select distinct l.owner from ${leases} l where true ${ofKind('l')}`);
      return found.map(({ owner }) => String(owner));
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
      if (sink !== null) await access.run(heldBack(tenantRecordId, sink));
      const columns = raw(dialect.selectList(deliveries));
      const some = (which: Sql): Sql => sql`
        select ${columns} from (
          select * from ${rows} d
          where d.tenant_record_id = ${tenantRecordId} and ${due} and ${which}
            and not ${isIn('d.record_id', 'bigint', held)}
          order by d.due_order, d.record_id limit ${limit}) as chosen`;
      const { rows: found } = await access.run(sql`
        ${some(sql`d.due_order = 0 and not ${isIn('coalesce(d.account_record_id, 0)', 'bigint', enoughOf)}`)}
        union all ${some(sql`d.due_order > 0 and d.due_order <= ${businessNow}`)}`);
      return found
        .map((row) => deliveries.decode(row))
        .sort((one, other) => one.dueOrder - other.dueOrder || one.recordId - other.recordId);
    },
    record: async (lease, changes, leaseEndsAtMs) =>
      access.transact(async (runner) => {
        const { affected } = await runner.run(sql`
          update ${leases} as l set ends_at_ms = ${leaseEndsAtMs} where ${areHeld([lease])}`);
        if (affected === 0) return false;
        const scope = { runner, tenantRecordId: lease.tenantRecordId };
        await updateRows(scope, deliveries, { properties: changing, records: changes });
        const over = changes.filter(({ state, attempts }) => state !== 'AVAILABLE' && attempts > 1);
        if (sink !== null && over.length > 0) {
          const recordIds = over.map(({ recordId }) => recordId);
          await runner.run(letGoOn(lease.tenantRecordId, sink, recordIds));
        }
        return true;
      }),
    nextDue: async (after) => {
      const { rows: found } = await access.run(sql`
        select min(d.due_order) as next_due from ${rows} d where ${due} and d.due_order > ${after}`);
      const next = found[0]?.next_due;
      return next === null || next === undefined ? null : instant(numberOf(next, 'next_due'));
    },
    backlog: async ({ businessNow, limit }) => {
      const { rows: found } = await access.run(sql`
        select count(*) as due, min(begun) as oldest from (
          select case when d.due_order = 0 then d.created_date else d.due_order end as begun from ${rows} d
          where ${due} and d.due_order <= ${businessNow} order by d.due_order limit ${limit}) as found`);
      const [row] = found;
      const oldest = row?.oldest;
      return {
        due: numberOf(row?.due, 'due'),
        oldest: oldest === null || oldest === undefined ? null : instant(numberOf(oldest, 'oldest')),
      };
    },
    hasDue: async (tenantRecordId, businessNow) => {
      const whose = tenantRecordId === null ? nothing : sql`and d.tenant_record_id = ${tenantRecordId}`;
      const { rows: found } = await access.run(sql`
        select 1 as found from ${rows} d where ${due} and d.due_order <= ${businessNow} ${whose}
        order by d.due_order limit 1`);
      return found.length > 0;
    },
    purge: async (before, limit) => {
      const { affected } = await access.run(sql`
        delete from ${rows} where record_id in (
          select d.record_id from ${rows} d
          where d.ended_date is not null and d.ended_date < ${before} ${ofKind('d')}
          order by d.ended_date, d.record_id limit ${limit})`);
      return affected;
    },
    onWritten,
  };
}
