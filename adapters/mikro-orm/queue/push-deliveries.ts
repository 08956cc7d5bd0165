import type { PushReads, PushWrites } from '../../../lib/ports/storage/index.ts';
import { numberOf } from '../sql/columns.ts';
import { isIn, nothing, sql } from '../sql/sql.ts';
import {
  pushDeliveriesTable as deliveries,
  pushCursorsTable,
  pushLeasesTable,
  sinkDeliveriesTable,
  sinkLeasesTable,
} from '../tables/queue.ts';
import { ofAccount, page, select, type TenantScope, updateRows } from '../tables/record-access.ts';

/** Where deliveries of one kind lie, and the leases of those who send them. */
export interface DeliveryTables {
  readonly deliveries: typeof deliveries;
  readonly leases: string;
  /** The sink that they go to; null = the callback of their tenant. */
  readonly sink: string | null;
}

export const callbackTables: DeliveryTables = { deliveries, leases: pushLeasesTable.name, sink: null };

export function sinkTables(name: string): DeliveryTables {
  return { deliveries: sinkDeliveriesTable, leases: sinkLeasesTable.name, sink: name };
}

/** What an attempt, or asking for one, changes. */
export const changing = [
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
    takenUpTo: async (sink) =>
      sink === undefined
        ? ((await select(scope, pushCursorsTable, sql`true`))[0]?.afterRecordId ?? null)
        : sinkTakenUpTo(scope, sink),
  };
}

async function sinkTakenUpTo({ runner, tenantRecordId }: TenantScope, sink: string): Promise<number | null> {
  const [row] = await runner.rows(sql`
    select coalesce(k.after_record_id, s.after_record_id) as after_record_id from bw_sinks s
    left join bw_sink_cursors k on k.tenant_record_id = ${tenantRecordId} and k.sink = s.name
    where s.name = ${sink}`);
  return row === undefined ? null : numberOf(row.after_record_id, 'after_record_id');
}

/** From now on nothing that has happened before goes to the callback of the tenant; null = it has none any more. */
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
