import { type NodeService, nodeService, PluginService, PluginSwitches } from '../nodes/index.ts';
import type { Ports } from '../ports/index.ts';
import type { BillingOptions } from './billing-options.ts';
import { checkOptions, guardedOptions, withoutNull } from './checked-options.ts';

/** Version of an engine that was opened without the option `version`. */
const UNKNOWN_VERSION = '0.0.0';

/** The options with only the running plugins. Node commands start and stop plugins. */
export interface Switched<Host> {
  readonly options: BillingOptions<Host>;
  readonly switches: PluginSwitches;
}

/**
 * Returns the options with plugins that can be switched on and off.
 * @throws InvariantError for an unknown option, an invalid storage or an invalid plugin.
 */
export function switchable<Host>(given: BillingOptions<Host>): Switched<Host> {
  checkOptions(given);
  const named = withFormerNames(withoutNull(given));
  checkOptions(named);
  const options = guardedOptions(named);
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

/** Registers each gateway under its former name as well. */
function withFormerNames<Host>(options: BillingOptions<Host>): BillingOptions<Host> {
  const { gateways = [] } = options;
  const names = new Set(gateways.map(({ name }) => name));
  const former = gateways.flatMap(({ formerly }) =>
    formerly === undefined || names.has(formerly.name) ? [] : [formerly],
  );
  return former.length === 0 ? options : { ...options, gateways: [...gateways, ...former] };
}

/** Returns this process as a node of the deployment. */
export function nodesOf<Host>(
  { options, switches }: Switched<Host>,
  ports: Ports,
  node: { readonly nodeName: string; readonly dropCaches: (tenantRecordId: number | null) => void },
): NodeService {
  return nodeService(ports, {
    ...node,
    version: options.version ?? UNKNOWN_VERSION,
    switches,
    handlers: options.nodeCommands,
    isFormerNode: options.isFormerNode,
  });
}
