import type { AccessLine, MonitoringStore, Sample, SampleFilter } from '../../../lib/ports/storage/index.ts';
import { ofTenants } from '../queue/of-tenants.ts';
import { numberOf } from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { SystemAccess } from '../sql/runner.ts';
import { firstRowsAs, isIn, nothing, raw, type Sql, sql } from '../sql/sql.ts';
import { accessLogTable, samplesTable } from '../tables/monitoring.ts';
import { insertInto, namesOf } from '../tables/record-access.ts';

/** Rows of samples that are read at a time. */
const PART = 5_000;

export function monitoringStore(access: SystemAccess, dialect: Dialect): MonitoringStore {
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
      const { rows } = await access.run(sql`
        select ${lineColumns} from bw_access_log where at_ms >= ${sinceMs} ${ofTenants(of)}
        order by record_id desc limit ${limit}`);
      return rows
        .map(
          (row): AccessLine => ({
            ...accessLogTable.decode(row),
            tenantRecordId: numberOf(row.tenant_record_id, 'tenant_record_id'),
          }),
        )
        .reverse()
        .sort((one, other) => one.atMs - other.atMs);
    },
    addSamples: async (samples) => {
      if (samples.length === 0) return;
      await access.run(sql`
        ${insertInto({ tenantRecordId: 0 }, samplesTable, samples)}
        on conflict (event_category, node_name, at_ms) do nothing`);
    },
    async *samples(filter) {
      let after = { atMs: filter.fromMs, recordId: 0 };
      for (;;) {
        const { rows } = await access.run(sql`
          select ${sampleColumns} from bw_samples
          where (at_ms, record_id) > (${after.atMs}, ${after.recordId}) and ${areAsked(filter)}
          order by at_ms, record_id limit ${PART}`);
        const found = rows.map((row) => samplesTable.decode(row));
        if (found.length > 0) yield found satisfies readonly Sample[];
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
      const { rows } = await access.run(sql`
        select count(*) as tagged from bw_tags
        where ${isIn('tag_definition_id', 'uuid', [definitionId])} and is_active
          and tenant_record_id in (select record_id from bw_tenants)`);
      return numberOf(rows[0]?.tagged, 'tagged');
    },
  };
}

function areAsked({ toMs, nodeNames, eventGroup, eventCategories }: SampleFilter): Sql {
  return sql`at_ms < ${toMs}
    ${nodeNames === null ? nothing : sql`and ${isIn('node_name', 'text', ['', ...nodeNames])}`}
    ${eventGroup === null ? nothing : sql`and event_group = ${eventGroup}`}
    ${eventCategories === null ? nothing : sql`and ${isIn('event_category', 'text', eventCategories)}`}`;
}
