import { broadcastFields, nodeFields, type PluginSwitch } from '../../../lib/records/index.ts';
import {
  bigint,
  bigintOrNull,
  fieldsOf,
  integer,
  jsonRead,
  oneOf,
  text,
  textOrNull,
} from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/**
 * A request and its response (platform §12.1 rule 5). Requests without a tenant are stored for the system tenant, 0.
 */
const accessFields = fieldsOf({
  atMs: bigint,
  nodeName: text,
  hostName: text,
  method: text,
  uri: text,
  statusCode: integer,
  bytesSent: bigintOrNull,
  principal: textOrNull,
  createdBy: textOrNull,
});

export const accessLogTable = new RecordTable('access_log', accessFields, {
  indexes: { listed: 'tenant_record_id, record_id', age: 'at_ms, record_id' },
});

/** The measurements of one category at one time, by kind of sample (platform §12.2). */
const sampleFields = {
  ...fieldsOf({
    atMs: bigint,
    /** Name of the node. The text is empty if the sample describes the whole deployment. */
    nodeName: text,
    eventGroup: text,
    eventCategory: text,
  }),
  // JSON columns return fractional numbers as decimals.
  kinds: jsonRead('kinds', (kinds: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(kinds).map(([kind, value]) => [kind, Number(value)])),
  ),
};

export const samplesTable = new RecordTable('samples', sampleFields, {
  ofTenant: false,
  uniques: { series: 'event_category, node_name, at_ms' },
  indexes: { age: 'at_ms, record_id' },
});

/** The nodes, that is, the processes that use the database (platform §15 rule 1). */
export const nodesTable = new RecordTable('nodes', columnsOf(nodeFields, { nodeName: 'name' }), {
  ofTenant: false,
  uniques: { name: 'name' },
});

/** Messages to all nodes (platform §11). */
export const broadcastsTable = new RecordTable('broadcasts', columnsOf(broadcastFields), {
  ofTenant: false,
  indexes: { age: 'created_date' },
});

/** Plugins that have been stopped or uninstalled by a command to all nodes, one per row (platform §11 rule 2). */
export const pluginSwitchesTable = new RecordTable(
  'plugin_switches',
  fieldsOf({ pluginName: text, state: oneOf<PluginSwitch['state']> }),
  { ofTenant: false, uniques: { plugin: 'plugin_name' } },
);
