import type { WorkOff } from '../account-closing/index.ts';
import {
  type CatalogService,
  catalogService,
  type PluginCatalogs,
  pluginCatalogs,
} from '../catalog/index.ts';
import { type InvoicingConfigOf, invoicingConfigOf, RegisteredInvoicePlugins } from '../invoicing/index.ts';
import { definitionText, OverdueConfigs } from '../overdue/index.ts';
import { externalPaymentGateway } from '../payments/index.ts';
import type { Ports } from '../ports/index.ts';
import type { NodeInfo } from '../records/index.ts';
import { DatabaseTime, scopedLogger } from '../runtime/index.ts';
import {
  type CallbackPolicy,
  type ServerConfiguration,
  type SettingsOf,
  serverConfiguration,
  settingsInForce,
} from '../tenants/index.ts';
import { UsageSources } from '../usage/index.ts';
import type { BillingOptions } from './billing-options.ts';
import type { Switched } from './nodes.ts';

/** The settings of an engine. */
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
  /** The node on which the engine runs, as shown in reports on the deployment. */
  readonly node: {
    nodes(): Promise<readonly NodeInfo[]>;
    /** Stores the buffered access log. */
    storeRequests(): Promise<void>;
  };
  readonly workOff: WorkOff;
}

/** The parts that all areas share. */
export interface Foundation {
  readonly ports: Ports;
  readonly settings: EngineSettings;
  readonly settingsOf: SettingsOf;
  readonly invoicingConfig: InvoicingConfigOf;
  readonly invoicePlugins: RegisteredInvoicePlugins;
  readonly usageSources: UsageSources;
  readonly catalogs: CatalogService;
  readonly overdueConfigs: OverdueConfigs;
  /** Maximum number of rows in a result that is not paginated. */
  readonly maxRows: number;
}

/** Returns the time of the database, which all of its nodes share. Returns null if the host supplies the clocks. */
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
    // If both clocks are the same object, as in Node, business time is real time.
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
    plugins: pluginCatalogs(options.catalogPlugins ?? [], ports),
    server: serverConfiguration(options.configuration ?? {}, ports.logger, options),
  };
}

export function foundationOf(ports: Ports, settings: EngineSettings): Foundation {
  const settingsOf = settingsInForce(ports.logger, settings.server.tenant);
  const given = settings.defaultOverdueConfig;
  return {
    ports,
    settings,
    settingsOf,
    invoicingConfig: invoicingConfigOf(settingsOf),
    invoicePlugins: new RegisteredInvoicePlugins(ports, settings.invoicePlugins ?? []),
    usageSources: new UsageSources(ports, settings.usageSources ?? []),
    catalogs: catalogService(ports, settings),
    overdueConfigs: new OverdueConfigs(
      ports.logger,
      typeof given === 'object' ? definitionText(given) : given,
    ),
    maxRows: settings.server.server['server.limits.rows'],
  };
}

/** Returns the allowed targets of pushes (platform §10.1). */
export function callbackPolicyOf({ server, testMode }: EngineSettings): CallbackPolicy {
  return {
    allowPrivateNetworks: server.server['notifications.allowPrivateNetworks'],
    allowLoopback: testMode,
  };
}
