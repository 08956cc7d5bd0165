import { NodeService, PluginService, pluginInfos } from '../nodes/index.ts';
import type { Ports } from '../ports/index.ts';
import type { BillingOptions } from './billing-options.ts';

/** Of an engine whose version nobody has named. */
const UNKNOWN_VERSION = '0.0.0';

/** This process among the others that share the storage. */
export function nodesOf<Host>(options: BillingOptions<Host>, ports: Ports, nodeName: string): NodeService {
  const plugins = pluginInfos([
    { service: PluginService.PAYMENT, plugins: options.gateways ?? [] },
    { service: PluginService.PAYMENT_CONTROL, plugins: options.paymentControls ?? [] },
    { service: PluginService.INVOICE, plugins: options.invoicePlugins ?? [] },
    { service: PluginService.ENTITLEMENT, plugins: options.entitlementPlugins ?? [] },
    { service: PluginService.CATALOG, plugins: options.catalogPlugins ?? [] },
    { service: PluginService.USAGE, plugins: options.usageSources ?? [] },
  ]);
  return new NodeService(ports, {
    nodeName,
    version: options.version ?? UNKNOWN_VERSION,
    plugins: () => plugins,
    isFormerNode: options.isFormerNode,
  });
}
