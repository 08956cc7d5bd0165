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

/** What the engine is opened with. `Host` is the host application's transaction handle, given by the storage. */
export interface BillingOptions<Host> {
  readonly storage: Storage<Host>;
  readonly clock: Clock;
  readonly systemClock: SystemClock;
  readonly ids: IdGenerator;
  readonly hasher: SecretHasher;
  /** Encrypts what the server must read again, such as the keys that sign tokens. */
  readonly cipher: SecretCipher;
  /** Not for a host to choose: Node's entry point gives that of Node. */
  readonly sha256: Sha256;
  readonly logger: Logger;
  /**
   * Shows what the engine does as traces, such as `openTelemetryTracer()` of `billwright/opentelemetry`; default nobody
   * looks, which costs nothing. It needs `scopes`.
   */
  readonly tracer?: Tracer | undefined;
  /** Carries along on whose behalf something is done, so that log lines tell it: `workScopes()`. Without, they do not. */
  readonly scopes?: WorkScopes | undefined;
  /** Payment gateways by their names; `__EXTERNAL_PAYMENT__` is always there. */
  readonly gateways?: readonly PaymentGateway[];
  /** Stand before and behind operations on payments that name them, or whose tenant does (payments §2.3). */
  readonly paymentControls?: readonly PaymentControl[];
  /** Sources of catalogs in the host's own code, asked in this order before what tenants have uploaded (catalog §16). */
  readonly catalogPlugins?: readonly CatalogPlugin[];
  /** The host's own code, asked in this order before what happens to subscriptions (subscriptions §22). */
  readonly entitlementPlugins?: readonly EntitlementPlugin[];
  /**
   * The host's own code, asked before invoices are stored (invoicing §13): taxes, groups, numbers. A tenant names those that
   * it has in `org.service.invoice.plugin`; unset, it has all, by name.
   */
  readonly invoicePlugins?: readonly InvoicePlugin[];
  /** The host's own code that takes what happens, after its commit (platform §10.6), each sink by its name. */
  readonly eventSinks?: readonly EventSink[];
  /** The host's own meters, asked in this order before what is recorded in the engine is looked at (usage §9). */
  readonly usageSources?: readonly UsageSource[];
  /** Writes amounts and days of documents in the host's own way (invoicing §14 rule 5). */
  readonly invoiceFormatter?: InvoiceFormatterFactory;
  /** Makes PDFs of invoices (invoicing §14 rule 6): `pdfRenderer()` of `billwright/pdf`. Without one there are none. */
  readonly documentRenderer?: DocumentRenderer;
  /**
   * Sends events to the callbacks of tenants (platform §10). Without one, or with null, the engine sends none and keeps none
   * to be sent.
   */
  readonly pushSender?: PushSender | null | undefined;
  /**
   * Values of properties by name (platform §4): those of the server, such as
   * `{ 'org.service.notifications.allowPrivateNetworks': true }`, and per-tenant ones for tenants that set none of their
   * own, such as `{ 'org.service.payment.retry.days': '3,5,7' }`. A bad value leaves the default, with a warning.
   */
  readonly configuration?: ConfigurationObject;
  /**
   * XML of the catalog that tenants created with `useGlobalDefault` use until they upload their own. Subscriptions that
   * run on it then go on, so it has to stay. A text is checked when the engine is opened; a function is called when the
   * first of these tenants needs it.
   */
  readonly defaultCatalog?: string | (() => string);
  /**
   * Overdue configuration of tenants that have none of their own (overdue §1.2): XML, JSON, or the definition itself. It is
   * checked when the engine is opened. Default: nobody is overdue.
   */
  readonly defaultOverdueConfig?: string | NewOverdueDefinition | undefined;
  /**
   * Whether the engine is only being tried: push targets on this machine are accepted (platform §10.1), and gateways have
   * 5 s to answer instead of 30 unless `payment.plugin.timeout` is set. Default false.
   */
  readonly testMode?: boolean;
  /** Bytes of a catalog document that is uploaded or looked at (`server.limits.text`); default 10 MiB. */
  readonly maxDocumentBytes?: number | undefined;
  /**
   * What this node does when the nodes are commanded (`billing.nodes.command`), by type of command; those about plugins are
   * the engine's own. It has to do no harm twice.
   */
  readonly nodeCommands?: Readonly<Record<string, NodeCommandHandler>>;
  /** Version of the engine as operators see it, dotted numbers; Node's entry point gives that of the package. */
  readonly version?: string;
  /** Tells of memory and event loop of this process for the samples (platform §12.2); Node's entry point has it. */
  readonly processGauges?: ProcessGauges | undefined;
  /** Reads log files for diagnostics (platform §12.6), from `health.diagnostic.logDirs`; Node's entry point has it. */
  readonly logFiles?: LogFiles | undefined;
  /** Name of this machine in the access log; default: that of the node. */
  readonly hostName?: string | undefined;
  /** Unique name of this node among those that share the storage; default: an id made at each start. */
  readonly nodeName?: string;
  /**
   * Whether a node of this name was an earlier life of this one and has ended: what it had claimed is then done again at
   * once. What nodes of other names leave behind is taken over when their leases end, within 30 s.
   */
  readonly isFormerNode?: (name: string) => boolean;
}
