import { numberOf } from '../sql/columns.ts';
import type { Statements } from '../sql/connection.ts';
import type { EncodedEntry } from '../sql/dialect.ts';
import { nothing, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import { liveConflict, movedColumns, queueEntriesTable } from '../tables/queue.ts';

/**
 * Advisory locks of transactions that tell the outside of something: this number in the upper 8 bits, below it 16 bits of the
 * tenant, and in the lowest 40 the last record id that was given before. Tenants that share their bits wait for each
 * other, no more.
 */
const TELLING_LOCKS = 0x62;
const TENANT_BITS = 65_535;

const sequence = sql`pg_get_serial_sequence('bw_queue_entries', 'record_id')`;
export const lastEntry = sql`coalesce(pg_sequence_last_value(${sequence}::regclass), 0)`;

/**
 * The history takes its numbers from the live table's sequence: an entry keeps its record id for good. The lock is taken
 * before the first number, since the numbers are given to rows that are joined with it.
 */
export async function insertEntries(statements: Statements, entries: readonly EncodedEntry[]): Promise<void> {
  const columns = queueEntriesTable.written;
  const names = raw(`record_id, ${columns.map(({ name }) => name).join(', ')}`);
  const cells = entries.map((entry) => entry.cells);
  const toldOf = entries.find((entry) => entry.toldOf !== null)?.toldOf ?? null;
  await statements.run(sql`
    with telling as materialized (
      select case when ${toldOf !== null}::boolean then pg_advisory_xact_lock_shared(
        (${TELLING_LOCKS}::bigint << 56) + ((${toldOf ?? 0}::bigint & ${TENANT_BITS}) << 40) + ${lastEntry}) end
    ), numbered as materialized (
      select nextval(${sequence}) as record_id, r.*
      from telling cross join ${rowsAs('r', columns, cells)}
    ), processed as (
      insert into bw_queue_history (${names}) select ${names} from numbered where processing_state = 'PROCESSED'
    )
    insert into bw_queue_entries (${names})
    select ${names} from numbered where processing_state <> 'PROCESSED' ${liveConflict}`);
}

/**
 * Numbers of a sequence are given before their rows are committed. Whoever holds one that the reader must wait for is
 * either still among the locks, below its numbers; or it took its lock after the locks were read, and then all its numbers are
 * greater than the last one given before that; or it has ended, so that its rows are there.
 */
export async function toldUpTo(statements: Statements, tenantRecordId: number | null): Promise<number> {
  const ofTenant =
    tenantRecordId === null
      ? nothing
      : sql`and (classid::bigint >> 8) & ${TENANT_BITS} = ${tenantRecordId}::bigint & ${TENANT_BITS}`;
  const given = await statements.rows(sql`select ${lastEntry} as last`);
  const held = await statements.rows(sql`
    select min(((classid::bigint & 255) << 32) | objid::bigint) as held from pg_locks
    where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 24 = ${TELLING_LOCKS} ${ofTenant}
      and database = (select oid from pg_database where datname = current_database())`);
  const last = numberOf(given[0]?.last, 'last');
  const lowest = held[0]?.held;
  return lowest === null || lowest === undefined ? last : Math.min(last, numberOf(lowest, 'held'));
}

export async function moveEntries(statements: Statements, condition: Sql, outcome: string): Promise<number> {
  const { affected } = await statements.run(sql`
    with moved as (delete from bw_queue_entries where ${condition} returning *)
    insert into bw_queue_history (${raw(movedColumns)}, processing_state)
    select ${raw(movedColumns)}, ${outcome} from moved`);
  return affected;
}
