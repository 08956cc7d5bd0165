import { NodeService, PluginService, PluginSwitches } from '../nodes/index.ts';
import type { Ports } from '../ports/index.ts';
import type { BillingOptions } from './billing-options.ts';
import { checkOptions, guardedOptions } from './checked-options.ts';

/** Of an engine whose version nobody has named. */
const UNKNOWN_VERSION = '0.0.0';

/** The options with the plugins that run now: one list each, which commands to the node change. */
export interface Switched<Host> {
  readonly options: BillingOptions<Host>;
  readonly switches: PluginSwitches;
}

/** @throws InvariantError for an option that there is not, and a storage or plugin that is none. */
export function switchable<Host>(given: BillingOptions<Host>): Switched<Host> {
  checkOptions(given);
  const options = guardedOptions(given);
  const {
    gateways = [],
    paymentControls = [],
    invoicePlugins = [],
    entitlementPlugins = [],
    catalogPlugins = [],
    usageSources = [],
  } = options;
  const switches = new PluginSwitches([
    { service: PluginService.PAYMENT, plugins: gateways },
    { service: PluginService.PAYMENT_CONTROL, plugins: paymentControls },
    { service: PluginService.INVOICE, plugins: invoicePlugins },
    { service: PluginService.ENTITLEMENT, plugins: entitlementPlugins },
    { service: PluginService.CATALOG, plugins: catalogPlugins },
    { service: PluginService.USAGE, plugins: usageSources },
  ]);
  return {
    options: {
      ...options,
      invoicePlugins: switches.running(invoicePlugins),
      entitlementPlugins: switches.running(entitlementPlugins),
      catalogPlugins: switches.running(catalogPlugins),
      usageSources: switches.running(usageSources),
    },
    switches,
  };
}

/** This process among the others that share the storage. */
export function nodesOf<Host>(
  { options, switches }: Switched<Host>,
  {
    ports,
    nodeName,
    dropCaches,
  }: {
    readonly ports: Ports;
    readonly nodeName: string;
    readonly dropCaches: (tenantRecordId: number | null) => void;
  },
): NodeService {
  return new NodeService(ports, {
    nodeName,
    version: options.version ?? UNKNOWN_VERSION,
    switches,
    handlers: options.nodeCommands,
    dropCaches,
    isFormerNode: options.isFormerNode,
  });
}
