import type { NodeCommandHandler } from '../nodes/index.ts';
import type { NewOverdueDefinition } from '../overdue/index.ts';
import type {
  CatalogPlugin,
  Clock,
  DocumentRenderer,
  EInvoiceSender,
  EInvoiceWriter,
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

/**
 * Options of `Billing.open`. `Host` is the type of the host application's transaction handle. The storage defines
 * this type.
 */
export interface BillingOptions<Host> {
  readonly storage: Storage<Host>;
  readonly clock: Clock;
  readonly systemClock: SystemClock;
  readonly ids: IdGenerator;
  readonly hasher: SecretHasher;
  /** Encrypts secrets that the server must read later, such as the keys that sign tokens. */
  readonly cipher: SecretCipher;
  /** The SHA-256 implementation. The Node entry point sets it; hosts never do. */
  readonly sha256: Sha256;
  readonly logger: Logger;
  /**
   * Records traces. For example, pass `openTelemetryTracer()` from `billwright/opentelemetry`. Requires `scopes`. By
   * default, nothing is traced.
   */
  readonly tracer?: Tracer | undefined;
  /** Adds the current request to log lines. Pass `workScopes()`. By default, log lines do not contain the request. */
  readonly scopes?: WorkScopes | undefined;
  /** Payment gateways with unique names. `__EXTERNAL_PAYMENT__` is built in. */
  readonly gateways?: readonly PaymentGateway[];
  /**
   * Control plugins that are called before and after a payment operation if the operation or its tenant selects them
   * (payments §2.3).
   */
  readonly paymentControls?: readonly PaymentControl[];
  /** Catalog plugins, called in this order before uploaded catalogs are used (catalog §16). */
  readonly catalogPlugins?: readonly CatalogPlugin[];
  /** Entitlement plugins, called in this order before operations on subscriptions (subscriptions §22). */
  readonly entitlementPlugins?: readonly EntitlementPlugin[];
  /**
   * Invoice plugins, called before invoices are stored (invoicing §13). They can add taxes and other items, split an
   * invoice into groups, and set invoice numbers. A tenant selects its plugins in `org.service.invoice.plugin`. By
   * default all plugins are used, sorted by name.
   */
  readonly invoicePlugins?: readonly InvoicePlugin[];
  /** Sinks that receive each event after its transaction commits (platform §10.6). */
  readonly eventSinks?: readonly EventSink[];
  /**
   * Usage meters of the host application. The engine calls them in this order before it reads recorded usage (usage
   * §9).
   */
  readonly usageSources?: readonly UsageSource[];
  /** Formats the amounts and dates of documents (invoicing §14 rule 5). */
  readonly invoiceFormatter?: InvoiceFormatterFactory;
  /**
   * Renders invoices as PDF (invoicing §14 rule 6). Pass `pdfRenderer()` from `billwright/pdf`. By default, PDFs are
   * unavailable.
   */
  readonly documentRenderer?: DocumentRenderer;
  /**
   * Writes e-invoices (invoicing §22). Pass `eInvoiceWriter()` from `billwright/e-invoice`. By default, no e-invoices
   * are written.
   */
  readonly eInvoices?: EInvoiceWriter | undefined;
  /**
   * Sends e-invoices to an access point (invoicing §22 rule 9), for tenants with `org.service.invoice.eInvoice`. By
   * default, no e-invoices are sent.
   */
  readonly eInvoiceSender?: EInvoiceSender | undefined;
  /**
   * Sends events to the callbacks of tenants (platform §10). If this option is absent or null, events are neither sent
   * nor kept for sending.
   */
  readonly pushSender?: PushSender | null | undefined;
  /**
   * Values of properties by name (platform §4). They set server properties, such as
   * `{ 'org.service.notifications.allowPrivateNetworks': true }`, and defaults of tenant properties, such as
   * `{ 'org.service.payment.retry.days': '3,5,7' }`. An invalid value is replaced with the default, and a warning is
   * logged.
   */
  readonly configuration?: ConfigurationObject;
  /**
   * Catalog XML for tenants that were created with `useGlobalDefault`, until they upload their own. Keep the document
   * afterward, because running subscriptions still use it. A string is checked when the engine opens; a function is
   * called on first use.
   */
  readonly defaultCatalog?: string | (() => string);
  /**
   * Overdue configuration for tenants without their own (overdue §1.2), as XML, JSON or a definition. Checked when the
   * engine opens. By default, no account becomes overdue.
   */
  readonly defaultOverdueConfig?: string | NewOverdueDefinition | undefined;
  /**
   * If true, accepts push targets on this machine (platform §10.1), and limits gateway calls to 5 s instead of 30 s
   * unless `payment.plugin.timeout` is set. Defaults to false.
   */
  readonly testMode?: boolean;
  /** Maximum size of a catalog document in bytes (`server.limits.text`); defaults to 10 MiB. */
  readonly maxDocumentBytes?: number | undefined;
  /**
   * Handlers for commands to nodes (`billing.nodes.command`), by command type. Handlers must be idempotent. The engine
   * itself handles the commands for plugins.
   */
  readonly nodeCommands?: Readonly<Record<string, NodeCommandHandler>>;
  /** Version of the engine as dotted numbers, shown to operators. Node's entry point sets the package version. */
  readonly version?: string;
  /** Measures the memory and event loop of this process for samples (platform §12.2). Set by Node's entry point. */
  readonly processGauges?: ProcessGauges | undefined;
  /** Reads the logs in `health.diagnostic.logDirs` for diagnostics (platform §12.6). Set by Node's entry point. */
  readonly logFiles?: LogFiles | undefined;
  /** Name of this machine in the access log. Defaults to the node name. */
  readonly hostName?: string | undefined;
  /** Name of this node, unique among the nodes that share the storage. By default, each start generates a new name. */
  readonly nodeName?: string;
  /**
   * Returns true if this name belonged to an earlier process of this node. Work claimed under that name is repeated
   * immediately. Work claimed by other nodes is reclaimed when its leases end, within 30 s.
   */
  readonly isFormerNode?: (name: string) => boolean;
}
