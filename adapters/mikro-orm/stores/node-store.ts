import type { NodeStore } from '../../../lib/ports/storage/index.ts';
import { numberOf, textOf } from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { SystemAccess } from '../sql/runner.ts';
import { isIn, raw, rowsAs, type Sql, sql } from '../sql/sql.ts';
import { broadcastsTable, nodesTable, pluginSwitchesTable } from '../tables/nodes.ts';
import { namesOf } from '../tables/record-access.ts';

const given = ['nodeName', 'version', 'bootDate', 'plugins'] as const;

export function nodeStore(access: SystemAccess, dialect: Dialect, hold: NodeStore['hold']): NodeStore {
  const silentFor = (ms: number): Sql => sql`last_updated_date < ${dialect.nowMs} - ${ms}`;
  return {
    hold,
    beat: async (node) => {
      const columns = nodesTable.columnsOf(given);
      const names = raw(namesOf(columns));
      await access.run(sql`
        insert into bw_nodes (${names}, last_updated_date)
        select ${names}, ${dialect.nowMs} from ${rowsAs('r', columns, [nodesTable.encodeOnly(given, node)])} where true
        on conflict (name) do update set version = excluded.version, boot_date = excluded.boot_date,
          plugins = excluded.plugins, last_updated_date = excluded.last_updated_date`);
    },
    names: async () => {
      const { rows } = await access.run(sql`select name from bw_nodes`);
      return rows.map(({ name }) => textOf(name, 'name'));
    },
    list: async (silentForAtMostMs) => {
      const { rows } = await access.run(sql`
        select ${raw(dialect.selectList(nodesTable))} from bw_nodes where not ${silentFor(silentForAtMostMs)}
        order by boot_date, record_id`);
      return rows.map((row) => {
        const { recordId: _recordId, ...node } = nodesTable.decode(row);
        return node;
      });
    },
    remove: async (names) => {
      if (names.length === 0) return;
      await access.run(sql`delete from bw_nodes where ${isIn('name', 'text', names)}`);
    },
    lastBroadcast: async () => {
      const { rows } = await access.run(sql`select coalesce(max(record_id), 0) as last from bw_broadcasts`);
      return numberOf(rows[0]?.last, 'last');
    },
    broadcastsAfter: async (recordId, limit) => {
      const { rows } = await access.run(sql`
        select ${raw(dialect.selectList(broadcastsTable))} from bw_broadcasts where record_id > ${recordId}
        order by record_id limit ${limit}`);
      return rows.map((row) => broadcastsTable.decode(row));
    },
    purgeBroadcasts: async (before) => {
      await access.run(sql`delete from bw_broadcasts where created_date < ${before}`);
    },
    pluginSwitches: async () => {
      const { rows } = await access.run(sql`
        select ${raw(dialect.selectList(pluginSwitchesTable))} from bw_plugin_switches order by plugin_name`);
      return rows.map((row) => {
        const { recordId: _recordId, ...switched } = pluginSwitchesTable.decode(row);
        return switched;
      });
    },
    purge: async (silentForMs) => {
      await access.run(sql`delete from bw_nodes where ${silentFor(silentForMs)}`);
    },
  };
}
