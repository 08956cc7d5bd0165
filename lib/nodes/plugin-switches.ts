import type { PluginIdentity } from '../ports/index.ts';
import { type PluginInfo, PluginState, type PluginSwitch } from '../records/index.ts';
import { type NodeCommand, PluginCommand } from './node-command.ts';

/** The running and stopped plugins of this node (platform §11). */
export class PluginSwitches {
  readonly #registered: readonly PluginInfo[];
  /** Plugins that are not running. */
  readonly #off = new Map<string, PluginSwitch['state']>();
  readonly #refills: (() => void)[] = [];

  constructor(registered: readonly RegisteredPlugins[]) {
    this.#registered = pluginInfos(registered);
  }

  /** Returns a list of the given plugins that are running. Each command updates the list. */
  running<P extends PluginIdentity>(plugins: readonly P[]): readonly P[] {
    const list: P[] = [];
    this.#follow(() => list.splice(0, list.length, ...plugins.filter(({ name }) => this.#isRunning(name))));
    return list;
  }

  /** Same as `running`, by name. */
  runningByName<P extends PluginIdentity>(plugins: readonly P[]): ReadonlyMap<string, P> {
    const byName = new Map<string, P>();
    this.#follow(() => {
      byName.clear();
      for (const plugin of plugins) if (this.#isRunning(plugin.name)) byName.set(plugin.name, plugin);
    });
    return byName;
  }

  /** Returns the installed plugins with their states. */
  list(): readonly PluginInfo[] {
    return this.#registered
      .filter(({ pluginName }) => this.#off.get(pluginName) !== 'UNINSTALLED')
      .map((plugin) => ({
        ...plugin,
        state: this.#isRunning(plugin.pluginName) ? PluginState.RUNNING : PluginState.STOPPED,
      }));
  }

  /** Returns the registered plugin that a command names, or null if it is not registered. */
  find(command: NodeCommand): PluginInfo | null {
    return pluginNamedBy(command, this.#registered);
  }

  /** Executes a plugin command. */
  apply(type: PluginCommand, { pluginName }: PluginInfo): void {
    this.#set(pluginName, applyPluginCommand(type, this.#off.get(pluginName) ?? null));
    for (const refill of this.#refills) refill();
  }

  /** Stops these plugins and starts all others. */
  restore(switches: readonly PluginSwitch[]): void {
    this.#off.clear();
    for (const { pluginName, state } of switches) this.#set(pluginName, state);
    for (const refill of this.#refills) refill();
  }

  #follow(refill: () => void): void {
    this.#refills.push(refill);
    refill();
  }

  #isRunning(pluginName: string): boolean {
    return !this.#off.has(pluginName);
  }

  #set(pluginName: string, state: PluginSwitch['state'] | null): void {
    if (state === null) this.#off.delete(pluginName);
    else this.#off.set(pluginName, state);
  }
}

/**
 * Returns the state of a plugin after a command. Null means that it is running. Only INSTALL starts an uninstalled
 * plugin.
 */
export function applyPluginCommand(
  type: PluginCommand,
  state: PluginSwitch['state'] | null,
): PluginSwitch['state'] | null {
  switch (type) {
    case PluginCommand.INSTALL:
      return null;
    case PluginCommand.UNINSTALL:
      return 'UNINSTALLED';
    case PluginCommand.START:
    case PluginCommand.RESTART:
      return state === 'UNINSTALLED' ? state : null;
    case PluginCommand.STOP:
      return state ?? 'STOPPED';
  }
}

/** Returns the name of the plugin that the properties of a command identify. */
export function pluginNamedBy(
  { properties }: NodeCommand,
  plugins: readonly PluginInfo[],
): PluginInfo | null {
  const propertyOf = (wanted: string): unknown => properties.find(({ key }) => key === wanted)?.value;
  const [name, key] = [propertyOf('pluginName'), propertyOf('pluginKey')];
  const isMeant = (plugin: PluginInfo): boolean =>
    name === undefined || name === null || name === ''
      ? key !== undefined && key !== null && (plugin.pluginKey === key || plugin.pluginName === key)
      : plugin.pluginName === name;
  return plugins.find(isMeant) ?? null;
}

/** The plugin types in commands and node lists. */
export const PluginService = {
  PAYMENT: 'PaymentPluginApi',
  PAYMENT_CONTROL: 'PaymentControlPluginApi',
  INVOICE: 'InvoicePluginApi',
  ENTITLEMENT: 'EntitlementPluginApi',
  CATALOG: 'CatalogPluginApi',
  USAGE: 'UsagePluginApi',
} as const;
export type PluginService = (typeof PluginService)[keyof typeof PluginService];

interface RegisteredPlugins {
  readonly service: PluginService;
  readonly plugins: readonly PluginIdentity[];
}

/** Merges plugins of different types that have the same name into one plugin with several services. */
function pluginInfos(registered: readonly RegisteredPlugins[]): readonly PluginInfo[] {
  const found = new Map<string, PluginInfo>();
  for (const { service, plugins } of registered) {
    for (const { name, pluginKey, version } of plugins) {
      const known = found.get(name);
      found.set(name, {
        pluginName: name,
        pluginKey: known?.pluginKey ?? pluginKey ?? null,
        version: known?.version ?? version ?? null,
        state: PluginState.RUNNING,
        services: [...(known?.services ?? []), { serviceTypeName: service, registrationName: name }],
      });
    }
  }
  return [...found.values()].sort((one, other) => (one.pluginName < other.pluginName ? -1 : 1));
}
