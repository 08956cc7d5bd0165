import type { PluginIdentity } from '../ports/index.ts';
import { type PluginInfo, PluginState } from '../records/index.ts';

/** The kinds of plugins that a host registers, as operators and commands know them. */
export const PluginService = {
  PAYMENT: 'PaymentPluginApi',
  PAYMENT_CONTROL: 'PaymentControlPluginApi',
  INVOICE: 'InvoicePluginApi',
  ENTITLEMENT: 'EntitlementPluginApi',
  CATALOG: 'CatalogPluginApi',
  USAGE: 'UsagePluginApi',
} as const;
export type PluginService = (typeof PluginService)[keyof typeof PluginService];

/** The plugins of one kind. */
export interface RegisteredPlugins {
  readonly service: PluginService;
  readonly plugins: readonly PluginIdentity[];
}

/** One entry for each name: what is registered as several kinds under one name is one plugin with several services. */
export function pluginInfos(registered: readonly RegisteredPlugins[]): readonly PluginInfo[] {
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
