import { enumeration, f, type RecordOf } from '../values/fields/index.ts';

/** The state of a plugin on a node (platform §11). */
export const PluginState = enumeration('RUNNING', 'STOPPED');
export type PluginState = keyof typeof PluginState;

/** A plugin that was stopped or uninstalled by a command to all nodes (platform §11 rule 2). */
export interface PluginSwitch {
  readonly pluginName: string;
  readonly state: 'STOPPED' | 'UNINSTALLED';
}

/** A registration of a plugin. */
export interface PluginServiceInfo {
  /** The name of the plugin's type, such as `PaymentPluginApi`. */
  readonly serviceTypeName: string;
  readonly registrationName: string;
}

/** A plugin of a node. */
export interface PluginInfo {
  readonly pluginName: string;
  /** Short name for commands. */
  readonly pluginKey: string | null;
  /** Version as dotted numbers. */
  readonly version: string | null;
  readonly state: PluginState;
  readonly services: readonly PluginServiceInfo[];
}

/** A node, which is a process of the deployment (platform §15 rule 1). Dates are system time. */
export const nodeFields = {
  nodeName: f.text(),
  /** Version of the engine. */
  version: f.text(),
  bootDate: f.instant(),
  /** Time of the last heartbeat, measured by the clock of the database. */
  lastUpdatedDate: f.instant(),
  plugins: f.json<readonly PluginInfo[]>(),
};
export interface NodeInfo extends RecordOf<typeof nodeFields> {}
