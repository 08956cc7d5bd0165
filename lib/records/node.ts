import { instant, json, type RecordOf, text } from '../values/fields/index.ts';

/** Whether a plugin takes part in the work of its node (platform §11). */
export const PluginState = { RUNNING: 'RUNNING', STOPPED: 'STOPPED' } as const;
export type PluginState = (typeof PluginState)[keyof typeof PluginState];

/** What commands to all nodes have last made of a plugin (platform §11 rule 2). */
export interface PluginSwitch {
  readonly pluginName: string;
  readonly state: 'STOPPED' | 'UNINSTALLED';
}

/** As what a plugin is registered. */
export interface PluginServiceInfo {
  /** The kind of plugin, such as `PaymentPluginApi`. */
  readonly serviceTypeName: string;
  readonly registrationName: string;
}

/** A plugin that the host has registered at a node. */
export interface PluginInfo {
  readonly pluginName: string;
  /** Short name by which commands may call it. */
  readonly pluginKey: string | null;
  /** Dotted numbers. */
  readonly version: string | null;
  readonly state: PluginState;
  readonly services: readonly PluginServiceInfo[];
}

/** A process that works on the storage (platform §15 rule 1). Its dates are system time. */
export const nodeFields = {
  nodeName: text(),
  /** Version of the engine. */
  version: text(),
  bootDate: instant(),
  /** Its last sign of life, by the clock of the database. */
  lastUpdatedDate: instant(),
  plugins: json<readonly PluginInfo[]>(),
};
export interface NodeInfo extends RecordOf<typeof nodeFields> {}
