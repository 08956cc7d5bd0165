import {
  type Broadcast,
  broadcastFields,
  type New,
  type NodeInfo,
  nodeFields,
  type PluginSwitch,
} from '../../../lib/records/index.ts';
import { oneOf, text } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/** The processes that work on the database (platform §15 rule 1); they belong to no tenant. */
export const nodesTable = new RecordTable<NodeInfo>(
  { name: 'nodes', ofTenant: false, uniques: [{ name: 'name', columns: ['name'] }] },
  columnsOf(nodeFields, { nodeName: 'name' }),
);

/** What all nodes are told (platform §11). */
export const broadcastsTable = new RecordTable<New<Broadcast>>(
  { name: 'broadcasts', ofTenant: false, indexes: [{ name: 'age', columns: ['created_date'] }] },
  columnsOf(broadcastFields),
);

/** Plugins that commands to all nodes have stopped or uninstalled, one row each (platform §11 rule 2). */
export const pluginSwitchesTable = new RecordTable<PluginSwitch>(
  { name: 'plugin_switches', ofTenant: false, uniques: [{ name: 'plugin', columns: ['plugin_name'] }] },
  { pluginName: text('plugin_name'), state: oneOf('state') },
);
