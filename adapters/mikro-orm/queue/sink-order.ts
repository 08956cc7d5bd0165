import { isIn, type Sql, sql } from '../sql/sql.ts';

/**
 * A sink gets the events of an account strictly in order: while one comes again, those behind it are due at no time, so that
 * nobody who looks for what is due finds them.
 */
const HELD_BACK = 9_000_000_000_000_000;

/** Holds back what has been written behind something that comes again. Where nothing does, only that is looked up. */
export function heldBack(tenantRecordId: number, sink: string): Sql {
  const again = sql`from bw_sink_deliveries w
    where w.sink = ${sink} and w.tenant_record_id = ${tenantRecordId} and w.state = 'AVAILABLE' and w.due_order > 0`;
  return sql`
    update bw_sink_deliveries as d set due_order = ${HELD_BACK}
    where d.sink = ${sink} and d.tenant_record_id = ${tenantRecordId} and d.state = 'AVAILABLE' and d.due_order = 0
      and exists (select 1 ${again})
      and coalesce(d.account_record_id, 0) in (select coalesce(w.account_record_id, 0) ${again})`;
}

/** Lets the accounts go on whose event, with one of these record ids, comes no more. */
export function letGoOn(tenantRecordId: number, sink: string, recordIds: readonly number[]): Sql {
  return sql`
    update bw_sink_deliveries as d set due_order = 0
    where d.sink = ${sink} and d.tenant_record_id = ${tenantRecordId}
      and d.state = 'AVAILABLE' and d.due_order = ${HELD_BACK}
      and coalesce(d.account_record_id, 0) in (
        select coalesce(w.account_record_id, 0) from bw_sink_deliveries w
        where ${isIn('w.record_id', 'bigint', recordIds)})`;
}
