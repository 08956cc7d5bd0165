import type {
  AccessLine,
  MonitoringStore,
  NodeStore,
  SampleFilter,
} from '../../../lib/ports/storage/index.ts';
import { ofTenants } from '../queue/entry-store.ts';
import { numberIn, type Row, textOf } from '../sql/columns.ts';
import type { SystemAccess } from '../sql/runner.ts';
import { firstRowsAs, isIn, nothing, raw, rowsAs, sql } from '../sql/sql.ts';
import {
  accessLogTable,
  broadcastsTable,
  nodesTable,
  pluginSwitchesTable,
  samplesTable,
} from '../tables/monitoring.ts';
import { insertInto, namesOf } from '../tables/record-access.ts';

const given = ['nodeName', 'version', 'bootDate', 'plugins'] as const;

export function nodeStore(access: SystemAccess, hold: NodeStore['hold']): NodeStore {
  const { dialect } = access;
  const silentFor = (ms: number) => sql`last_updated_date < ${dialect.nowMs} - ${ms}`;
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
      return access.readAs(({ name }) => textOf(name, 'name'))`select name from bw_nodes`;
    },
    list: async (silentForAtMostMs) => {
      const nodes = await access.readAs(nodesTable)`
        select ${raw(dialect.selectList(nodesTable))} from bw_nodes where not ${silentFor(silentForAtMostMs)}
        order by boot_date, record_id`;
      return nodes.map(({ recordId: _recordId, ...node }) => node);
    },
    remove: async (names) => {
      if (names.length === 0) return;
      await access.run(sql`delete from bw_nodes where ${isIn('name', 'text', names)}`);
    },
    lastBroadcast: async () => {
      const rows = await access.rows(sql`select coalesce(max(record_id), 0) as last from bw_broadcasts`);
      return numberIn(rows[0], 'last');
    },
    broadcastsAfter: (recordId, limit) => access.readAs(broadcastsTable)`
        select ${raw(dialect.selectList(broadcastsTable))} from bw_broadcasts where record_id > ${recordId}
        order by record_id limit ${limit}`,
    purgeBroadcasts: async (before) => {
      await access.run(sql`delete from bw_broadcasts where created_date < ${before}`);
    },
    pluginSwitches: async () => {
      const switches = await access.readAs(pluginSwitchesTable)`
        select ${raw(dialect.selectList(pluginSwitchesTable))} from bw_plugin_switches order by plugin_name`;
      return switches.map(({ recordId: _recordId, ...switched }) => switched);
    },
    purge: async (silentForMs) => {
      await access.run(sql`delete from bw_nodes where ${silentFor(silentForMs)}`);
    },
  };
}

const PART = 5_000;

export function monitoringStore(access: SystemAccess): MonitoringStore {
  const { dialect } = access;
  const lineColumns = raw(dialect.selectList(accessLogTable));
  const sampleColumns = raw(dialect.selectList(samplesTable));
  return {
    addAccess: async (lines) => {
      if (lines.length === 0) return;
      const columns = raw(namesOf(accessLogTable.written));
      const rows = lines.map((line) => accessLogTable.encode(line.tenantRecordId, line));
      await access.run(sql`
        insert into bw_access_log (${columns})
        select ${columns} from ${firstRowsAs('r', accessLogTable.written, rows)}`);
    },
    access: async ({ sinceMs, limit, ...of }) => {
      const rows = await access.rows(sql`
        select ${lineColumns} from bw_access_log where at_ms >= ${sinceMs} ${ofTenants(of)}
        order by record_id desc limit ${limit}`);
      const lineOf = (row: Row): AccessLine => ({
        ...accessLogTable.decode(row),
        tenantRecordId: numberIn(row, 'tenant_record_id'),
      });
      return rows
        .map(lineOf)
        .reverse()
        .sort((one, other) => one.atMs - other.atMs);
    },
    addSamples: async (samples) => {
      if (samples.length === 0) return;
      await access.run(sql`
        ${insertInto(0, samplesTable, samples)}
        on conflict (event_category, node_name, at_ms) do nothing`);
    },
    async *samples(filter) {
      let after = { atMs: filter.fromMs, recordId: 0 };
      for (;;) {
        const found = await access.readAs(samplesTable)`
          select ${sampleColumns} from bw_samples
          where (at_ms, record_id) > (${after.atMs}, ${after.recordId}) and ${conditionsOf(filter)}
          order by at_ms, record_id limit ${PART}`;
        if (found.length > 0) yield found;
        const last = found.at(-1);
        if (last === undefined || found.length < PART) return;
        after = last;
      }
    },
    purge: async ({ accessMs, samplesMs, limit }) => {
      const purged = [
        { table: raw('bw_access_log'), beforeMs: accessMs },
        { table: raw('bw_samples'), beforeMs: samplesMs },
      ].map(({ table, beforeMs }) =>
        access.run(sql`
          delete from ${table} where record_id in (
            select record_id from ${table} where at_ms < ${beforeMs} order by at_ms, record_id limit ${limit})`),
      );
      return (await Promise.all(purged)).reduce((sum, { affected }) => sum + affected, 0);
    },
    countTagged: async (definitionId) => {
      const rows = await access.rows(sql`
        select count(*) as tagged from bw_tags
        where ${isIn('tag_definition_id', 'uuid', [definitionId])} and is_active
          and tenant_record_id in (select record_id from bw_tenants)`);
      return numberIn(rows[0], 'tagged');
    },
  };
}

function conditionsOf({ toMs, nodeNames, eventGroup, eventCategories }: SampleFilter) {
  return sql`at_ms < ${toMs}
    ${nodeNames === null ? nothing : sql`and ${isIn('node_name', 'text', ['', ...nodeNames])}`}
    ${eventGroup === null ? nothing : sql`and event_group = ${eventGroup}`}
    ${eventCategories === null ? nothing : sql`and ${isIn('event_category', 'text', eventCategories)}`}`;
}
