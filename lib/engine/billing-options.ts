import type { NodeCommandHandler } from '../nodes/index.ts';
import type { NewOverdueDefinition } from '../overdue/index.ts';
import type {
  CatalogPlugin,
  Clock,
  DocumentRenderer,
  EntitlementPlugin,
  EventSink,
  IdGenerator,
  InvoiceFormatterFactory,
  InvoicePlugin,
  LogFiles,
  Logger,
  PaymentControl,
  PaymentGateway,
  ProcessGauges,
  PushSender,
  SecretCipher,
  SecretHasher,
  Sha256,
  SystemClock,
  Tracer,
  UsageSource,
  WorkScopes,
} from '../ports/index.ts';
import type { Storage } from '../ports/storage/index.ts';
import type { ConfigurationObject } from '../tenants/index.ts';

/** Options of `Billing.open`. `Host` is the host application's transaction handle, defined by the storage. */
export interface BillingOptions<Host> {
  readonly storage: Storage<Host>;
  readonly clock: Clock;
  readonly systemClock: SystemClock;
  readonly ids: IdGenerator;
  readonly hasher: SecretHasher;
  /** Encrypts secrets that the server must read again, such as the keys that sign tokens. */
  readonly cipher: SecretCipher;
  /** Set by Node's entry point, never by hosts. */
  readonly sha256: Sha256;
  readonly logger: Logger;
  /** Records traces, such as `openTelemetryTracer()` of `billwright/opentelemetry`; requires `scopes`. Default none. */
  readonly tracer?: Tracer | undefined;
  /** Adds the current request to log lines: `workScopes()`. Default: log lines do not contain the request. */
  readonly scopes?: WorkScopes | undefined;
  /** Payment gateways with unique names; `__EXTERNAL_PAYMENT__` is built in. */
  readonly gateways?: readonly PaymentGateway[];
  /** Called before and after payment operations that name them, or whose tenant does (payments §2.3). */
  readonly paymentControls?: readonly PaymentControl[];
  /** Catalog sources, called in this order before uploaded catalogs are used (catalog §16). */
  readonly catalogPlugins?: readonly CatalogPlugin[];
  /** Called in this order before operations on subscriptions (subscriptions §22). */
  readonly entitlementPlugins?: readonly EntitlementPlugin[];
  /**
   * Called before invoices are stored (invoicing §13), for taxes, groups and numbers. A tenant selects its plugins in
   * `org.service.invoice.plugin`; by default all are used, sorted by name.
   */
  readonly invoicePlugins?: readonly InvoicePlugin[];
  /** Sinks that receive events after their commit (platform §10.6). */
  readonly eventSinks?: readonly EventSink[];
  /** The host's meters, called in this order before the engine reads recorded usage (usage §9). */
  readonly usageSources?: readonly UsageSource[];
  /** Formats amounts and dates of documents (invoicing §14 rule 5). */
  readonly invoiceFormatter?: InvoiceFormatterFactory;
  /** Renders invoices as PDF (invoicing §14 rule 6): `pdfRenderer()` of `billwright/pdf`. Default: no PDFs. */
  readonly documentRenderer?: DocumentRenderer;
  /** Sends events to the callbacks of tenants (platform §10). Absent or null: no event is sent or kept for sending. */
  readonly pushSender?: PushSender | null | undefined;
  /**
   * Values of properties by name (platform §4): server properties, such as
   * `{ 'org.service.notifications.allowPrivateNetworks': true }`, and defaults of tenant properties, such as
   * `{ 'org.service.payment.retry.days': '3,5,7' }`. An invalid value is replaced by the default, with a warning.
   */
  readonly configuration?: ConfigurationObject;
  /**
   * Catalog XML for tenants created with `useGlobalDefault`, until they upload their own. Keep it afterwards, because
   * running subscriptions still use it. A text is checked at opening; a function is called on first use.
   */
  readonly defaultCatalog?: string | (() => string);
  /**
   * Overdue configuration of tenants without their own (overdue §1.2): XML, JSON or a definition, checked at opening.
   * Default: no account becomes overdue.
   */
  readonly defaultOverdueConfig?: string | NewOverdueDefinition | undefined;
  /**
   * Accepts push targets on this machine (platform §10.1) and limits gateway calls to 5 s instead of 30 s, unless
   * `payment.plugin.timeout` is set. Default false.
   */
  readonly testMode?: boolean;
  /** Longest catalog document in bytes (`server.limits.text`); default 10 MiB. */
  readonly maxDocumentBytes?: number | undefined;
  /**
   * Handlers of commands to nodes (`billing.nodes.command`) by command type. Must be idempotent. The engine handles the
   * commands for plugins itself.
   */
  readonly nodeCommands?: Readonly<Record<string, NodeCommandHandler>>;
  /** Version of the engine, dotted numbers, shown to operators; Node's entry point sets the package version. */
  readonly version?: string;
  /** Measures memory and event loop of this process for samples (platform §12.2); set by Node's entry point. */
  readonly processGauges?: ProcessGauges | undefined;
  /** Reads the logs in `health.diagnostic.logDirs` for diagnostics (platform §12.6); set by Node's entry point. */
  readonly logFiles?: LogFiles | undefined;
  /** Name of this machine in the access log; defaults to the node name. */
  readonly hostName?: string | undefined;
  /** Unique name of this node among those that share the storage; default a new id at each start. */
  readonly nodeName?: string;
  /**
   * Returns true for the name of an ended process of this node, whose claimed work is then repeated at once. Work
   * claimed by other nodes is taken over when its leases end, within 30 s.
   */
  readonly isFormerNode?: (name: string) => boolean;
}
