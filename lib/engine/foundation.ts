import type { WorkOff } from '../account-closing/index.ts';
import { CatalogService, PluginCatalogs } from '../catalog/index.ts';
import { type InvoicingConfigOf, invoicingConfigOf, RegisteredInvoicePlugins } from '../invoicing/index.ts';
import { definitionText, OverdueConfigs } from '../overdue/index.ts';
import { externalPaymentGateway } from '../payments/index.ts';
import type { Ports } from '../ports/index.ts';
import { DatabaseTime, scopedLogger } from '../runtime/index.ts';
import {
  type CallbackPolicy,
  type ServerConfiguration,
  type SettingsOf,
  serverConfiguration,
  TenantConfiguration,
} from '../tenants/index.ts';
import { UsageSources } from '../usage/index.ts';
import type { BillingOptions } from './billing-options.ts';
import type { MonitoredNode } from './monitored-node.ts';
import type { Switched } from './nodes.ts';

/** The settings with which the engine is opened. */
export interface EngineSettings
  extends Pick<
    BillingOptions<never>,
    | 'defaultCatalog'
    | 'defaultOverdueConfig'
    | 'maxDocumentBytes'
    | 'entitlementPlugins'
    | 'eventSinks'
    | 'invoicePlugins'
    | 'usageSources'
  > {
  readonly testMode: boolean;
  readonly plugins: PluginCatalogs;
  readonly server: ServerConfiguration;
  /** The node that the engine is. */
  readonly node: MonitoredNode;
  /** Does the due work of an account. */
  readonly workOff: WorkOff;
}

/** What every area is built on. */
export interface Foundation {
  readonly ports: Ports;
  readonly settings: EngineSettings;
  readonly settingsOf: SettingsOf;
  readonly invoicingConfig: InvoicingConfigOf;
  readonly invoicePlugins: RegisteredInvoicePlugins;
  readonly usageSources: UsageSources;
  readonly catalogs: CatalogService;
  readonly overdueConfigs: OverdueConfigs;
  /** How many rows an answer without pages may have. */
  readonly maxRows: number;
}

/** The time that the nodes of a database share, and the clocks that go by it; null: the host's own count. */
export function timeOf<Host>({ storage, systemClock }: BillingOptions<Host>): DatabaseTime | null {
  if (systemClock.isOfMachine !== true) return null;
  return new DatabaseTime(systemClock, () => storage.system.nowMs());
}

export function portsOf<Host>(
  { options, switches }: Switched<Host>,
  time: DatabaseTime | null = null,
): Ports {
  const { clock, systemClock } = options;
  return {
    ...options,
    // One object for both, as in Node: business time is real time.
    clock: time !== null && Object.is(clock, systemClock) ? time.clock : clock,
    systemClock: time ?? systemClock,
    logger: scopedLogger(options.logger, options.scopes),
    gateways: switches.runningByName([externalPaymentGateway(), ...(options.gateways ?? [])]),
    paymentControls: switches.runningByName(options.paymentControls ?? []),
  };
}

export function engineSettings<Host>(
  options: BillingOptions<Host>,
  ports: Ports,
  { node, workOff }: Pick<EngineSettings, 'node' | 'workOff'>,
): EngineSettings {
  return {
    ...options,
    node,
    workOff,
    testMode: options.testMode ?? false,
    plugins: new PluginCatalogs(options.catalogPlugins ?? [], ports),
    server: serverConfiguration(options.configuration ?? {}, ports.logger, options),
  };
}

export function foundationOf(ports: Ports, settings: EngineSettings): Foundation {
  const configuration = new TenantConfiguration(ports.logger, settings.server.tenant);
  const settingsOf = configuration.settingsOf.bind(configuration);
  return {
    ports,
    settings,
    settingsOf,
    invoicingConfig: invoicingConfigOf(settingsOf),
    invoicePlugins: new RegisteredInvoicePlugins(ports, settings.invoicePlugins ?? []),
    usageSources: new UsageSources(ports, settings.usageSources ?? []),
    catalogs: new CatalogService(ports, settings),
    overdueConfigs: overdueConfigsOf(ports, settings),
    maxRows: settings.server.server['server.limits.rows'],
  };
}

/** Where pushes may go (platform §10.1). */
export function callbackPolicyOf({ server, testMode }: EngineSettings): CallbackPolicy {
  return {
    allowPrivateNetworks: server.server['notifications.allowPrivateNetworks'],
    allowLoopback: testMode,
  };
}

function overdueConfigsOf(
  { logger }: Ports,
  { defaultOverdueConfig: given }: EngineSettings,
): OverdueConfigs {
  return new OverdueConfigs(logger, typeof given === 'object' ? definitionText(given) : given);
}
