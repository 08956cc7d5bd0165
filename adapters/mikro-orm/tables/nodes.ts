import type { NodeInfo, PluginInfo } from '../../../lib/records/index.ts';
import { instantAt, json, text } from '../sql/columns.ts';
import { RecordTable } from './record-table.ts';

/** The processes that work on the database (platform §15 rule 1); they belong to no tenant. */
export const nodesTable = new RecordTable<NodeInfo>(
  { name: 'nodes', ofTenant: false, uniques: [{ name: 'name', columns: ['name'] }] },
  {
    nodeName: text('name'),
    version: text('version'),
    bootDate: instantAt('boot_date'),
    lastUpdatedDate: instantAt('last_updated_date'),
    plugins: json<readonly PluginInfo[]>('plugins'),
  },
);
