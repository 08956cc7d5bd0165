import type { PluginSwitch } from '../../../lib/records/index.ts';
import { broadcastFields, nodeFields } from '../../../lib/records/index.ts';
import { fieldsOf, oneOf, text } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/** The processes that use the database (platform §15 rule 1). */
export const nodesTable = new RecordTable('nodes', columnsOf(nodeFields, { nodeName: 'name' }), {
  ofTenant: false,
  uniques: { name: 'name' },
});

/** Messages to all nodes (platform §11). */
export const broadcastsTable = new RecordTable('broadcasts', columnsOf(broadcastFields), {
  ofTenant: false,
  indexes: { age: 'created_date' },
});

/** Plugins that a command to all nodes has stopped or uninstalled, one row each (platform §11 rule 2). */
export const pluginSwitchesTable = new RecordTable(
  'plugin_switches',
  fieldsOf({ pluginName: text, state: oneOf<PluginSwitch['state']> }),
  { ofTenant: false, uniques: { plugin: 'plugin_name' } },
);
