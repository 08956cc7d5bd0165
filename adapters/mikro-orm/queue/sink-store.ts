import type { SinkStore } from '../../../lib/ports/storage/index.ts';
import { type Column, textOf } from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { SystemAccess } from '../sql/runner.ts';
import { isIn, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';

const nameColumn: readonly Column[] = [{ name: 'name', type: 'text', nullable: false }];

/** The event sinks of hosts, each by its name. */
export function sinkStore(access: SystemAccess, dialect: Dialect): SinkStore {
  const isUnused = (forMs: number): Sql => sql`used_at_ms < ${dialect.nowMs} - ${forMs}`;
  return {
    register: async (names) => {
      if (names.length === 0) return;
      const rows = rowsAs(
        'r',
        nameColumn,
        names.map((name) => [name]),
      );
      await access.run(sql`
        insert into bw_sinks (name, after_record_id, used_at_ms)
        select r.name, ${dialect.lastEntry}, ${dialect.nowMs} from ${rows} where true
        on conflict (name) do update set used_at_ms = excluded.used_at_ms`);
    },
    forget: async (unusedForMs, limit) =>
      access.transact(async (runner) => {
        const found = await runner.rows(sql`
          select name from bw_sinks where ${isUnused(unusedForMs)} order by name ${raw(dialect.forUpdate)}`);
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
