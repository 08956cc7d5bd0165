import { AccountCloseService, type WorkOff } from './accounts/close-service.ts';
import { AccountEmailService } from './accounts/email-service.ts';
import { AccountService } from './accounts/service.ts';
import { AuditService } from './audit/service.ts';
import { Calls } from './calls.ts';
import { CatalogAdministration } from './catalog/administration.ts';
import { CatalogEntryService } from './catalog/entries/service.ts';
import { PluginCatalogs } from './catalog/plugins/plugin-catalogs.ts';
import { CatalogService } from './catalog/service.ts';
import { CheckService } from './check/service.ts';
import { type CallContext, CallOrigin, type TenantRef } from './context.ts';
import { CustomFieldService } from './custom-fields/service.ts';
import { ExportService } from './export/service.ts';
import { type HealthReport, HealthService } from './health/service.ts';
import { IdempotencyService } from './idempotency/service.ts';
import { AccountCreditService } from './invoicing/account-credit-service.ts';
import { CatalogChangeHandler } from './invoicing/catalog-change-handler.ts';
import { ChangeReports } from './invoicing/change-report.ts';
import { CoverageService } from './invoicing/coverage-service.ts';
import { CreditDeletionService } from './invoicing/credit-deletion-service.ts';
import { ExplanationService } from './invoicing/explanation-service.ts';
import { InvoiceStatusService } from './invoicing/invoice-status-service.ts';
import { ManualItemService } from './invoicing/manual-item-service.ts';
import { MigrationInvoiceService } from './invoicing/migration-invoice-service.ts';
import { ParentCommitHandler } from './invoicing/parent-commit-handler.ts';
import { ParentSummaryHandler } from './invoicing/parent-summary-handler.ts';
import { InvoiceRunHandler } from './invoicing/run-handler.ts';
import { InvoicingService } from './invoicing/service.ts';
import { invoicingConfigOf } from './invoicing/tenant-invoicing-config.ts';
import type { Metric } from './metrics/metric.ts';
import { MetricsService } from './metrics/service.ts';
import { type Bound, bindContext } from './operations.ts';
import { AutomaticPaymentHandler } from './payments/automatic-payment-handler.ts';
import { externalPaymentGateway } from './payments/external-payment-gateway.ts';
import { HoldReleaseHandler } from './payments/hold-release-handler.ts';
import { JanitorHandler } from './payments/janitor-handler.ts';
import { PaymentMethodReads } from './payments/payment-method-reads.ts';
import { PaymentMethodService } from './payments/payment-method-service.ts';
import { PaymentReads } from './payments/payment-reads.ts';
import { PaymentRetryHandler } from './payments/payment-retry-handler.ts';
import { paymentConfigOf } from './payments/tenant-payment-config.ts';
import type {
  CatalogPlugin,
  Clock,
  EntitlementPlugin,
  IdGenerator,
  Logger,
  PaymentGateway,
  PluginProperty,
  Ports,
  SecretCipher,
  SecretHasher,
  SystemClock,
} from './ports/index.ts';
import type { Storage } from './ports/storage/index.ts';
import { Dispatcher } from './queue/dispatcher.ts';
import { queueSettingsOf } from './queue/queue-settings.ts';
import { SecurityService } from './security/service.ts';
import { BlockingService } from './subscriptions/blocking-service.ts';
import { BundleService } from './subscriptions/bundle-service.ts';
import { ControlledCreations } from './subscriptions/controlled-creations.ts';
import { ControlledOperations } from './subscriptions/controlled-operations.ts';
import { CreationService } from './subscriptions/creation-service.ts';
import { EntitlementControl } from './subscriptions/entitlement-control.ts';
import { LifecycleService } from './subscriptions/lifecycle-service.ts';
import { OutlineService } from './subscriptions/outline-service.ts';
import { SubscriptionService } from './subscriptions/service.ts';
import { SubscriptionEventHandler } from './subscriptions/subscription-event-handler.ts';
import { TransferService } from './subscriptions/transfer-service.ts';
import { TagDefinitionService } from './tags/definition-service.ts';
import { TagService } from './tags/service.ts';
import {
  busyPausesOf,
  type ConfigurationObject,
  lockWaitOf,
  type ServerConfiguration,
  type ServerSettings,
  serverConfiguration,
  skippedEventsOf,
  TenantConfiguration,
} from './tenants/configuration/index.ts';
import { KeyValueService } from './tenants/key-value-service.ts';
import { TenantService } from './tenants/service.ts';
import { SigningSecretService } from './tenants/signing-secret-service.ts';
import { TimelineService } from './timeline/service.ts';
import type { Uuid } from './values/ids/index.ts';
import { QUEUE_SHUTDOWN_WAIT_MS, SETTLE_TIMEOUT_MS } from './values/limits.ts';
import type { Instant } from './values/time/index.ts';
import { atMost } from './wait/at-most.ts';

/** What the engine is opened with. `Host` is the host application's transaction handle, given by the storage. */
export interface BillingOptions<Host> {
  readonly storage: Storage<Host>;
  readonly clock: Clock;
  readonly systemClock: SystemClock;
  readonly ids: IdGenerator;
  readonly hasher: SecretHasher;
  /** Encrypts what the server must read again, such as the keys that sign tokens. */
  readonly cipher: SecretCipher;
  readonly logger: Logger;
  /** Payment gateways by their names; `__EXTERNAL_PAYMENT__` is always there. */
  readonly gateways?: readonly PaymentGateway[];
  /** Sources of catalogs in the host's own code, asked in this order before what tenants have uploaded (catalog.md §16). */
  readonly catalogPlugins?: readonly CatalogPlugin[];
  /** Ask the host's own code before what happens to subscriptions, in this order (subscriptions.md §22). */
  readonly entitlementPlugins?: readonly EntitlementPlugin[];
  /**
   * Values of properties by name (platform.md §4): those of the server, such as
   * `{ 'org.service.notifications.allowPrivateNetworks': true }`, and per-tenant ones for tenants that set none of their
   * own, such as `{ 'org.service.payment.retry.days': '3,5,7' }`. A bad value leaves the default, with a warning.
   */
  readonly configuration?: ConfigurationObject;
  /**
   * XML of the catalog that tenants created with `useGlobalDefault` sell by until they upload their own; what runs on it by
   * then goes on, so it has to stay. A text is checked when the engine is opened; a function is asked for it when the first
   * of these tenants needs it.
   */
  readonly defaultCatalog?: string | (() => string);
  /**
   * Whether the engine is only being tried: push targets on this machine are taken (platform.md §10.1), and gateways that do
   * not answer are waited for 5 s instead of 30 unless `payment.plugin.timeout` is set; default false.
   */
  readonly testMode?: boolean;
  /** Bytes of a catalog document that is uploaded or looked at (`server.limits.text`); default 10 MiB. */
  readonly maxDocumentBytes?: number | undefined;
  /** Unique name of this node among those that share the storage; default: an id made at each start. */
  readonly nodeName?: string;
  /**
   * Whether a node of this name was an earlier life of this one, which has ended: what it had claimed is done again at
   * once. What nodes of other names leave behind is taken over when their leases end, within 30 s.
   */
  readonly isFormerNode?: (name: string) => boolean;
}

/** Who calls, for which tenant. */
export interface Caller {
  /** Tenant id, or the reference that `tenants.authenticate` gave. */
  readonly tenant: Uuid | TenantRef;
  /** Author of the changes, as it stands in audit rows. */
  readonly user: string;
  readonly principal?: string;
  readonly reason?: string;
  readonly comment?: string;
  /** Ties the changes of one request together; default a new id per call. */
  readonly userToken?: Uuid;
  /** Handed on to plugins. */
  readonly pluginProperties?: readonly PluginProperty[];
}

/** The operations, context first. `billing.as(caller)` gives the same ones with the context bound. */
export type BillingOperations = ReturnType<typeof operationsOf>;

/** The operations bound to one caller; each call reads the clock anew. */
export type TenantBilling = Bound<BillingOperations>;

/** The engine (architecture rule 4): operations, tenants, users, and the control of its background work. */
export interface Billing<Host = never> extends BillingOperations {
  readonly tenants: TenantService;
  readonly security: SecurityService;
  /** Answers to requests that carry an `Idempotency-Key`, for whoever serves them. */
  readonly idempotency: IdempotencyService;
  /** Looks for what cannot be in the stored data of all tenants; for operators. */
  readonly checks: CheckService;
  readonly clock: Clock;
  /** The properties in force for the whole server, by name without prefix (platform.md §4.3). */
  readonly server: ServerSettings;
  /** The context of one call, read from the clock now. */
  context(caller: Caller): Promise<CallContext>;
  /**
   * Binds the caller: `const acme = billing.as({ tenant, user: 'sign-up' }); await acme.createAccount({ … })`.
   * With `within`, the operations run inside the host's own open transaction and commit or roll back with it.
   */
  as(caller: Caller): TenantBilling & { within(host: Host): TenantBilling };
  /** Starts the background dispatcher: due work of the queue is done as it falls due. */
  start(): void;
  /**
   * Works the queue until nothing is due or in processing (of one tenant, or of all), at most `timeoutMs` of system
   * time. With a fake clock this makes the whole chain deterministic. False when the time ran out.
   */
  settle(options?: { readonly tenant?: TenantRef; readonly timeoutMs?: number }): Promise<boolean>;
  /**
   * Waits until the work that a call with this context has caused is done, such as invoice, then payment, by following
   * the context's user token through the queue (subscriptions.md §22, call completion); what falls due later is not
   * waited for. Works whether this node or another does the work, and works the queue itself where `start` has not been
   * called. `timeoutMs` is system time, at most `server.callCompletion.maxSec`; naming the account makes the wait cheap.
   * @returns false when the time ran out; what the call did stays done.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  completion(context: CallContext, timeoutMs: number, accountId?: Uuid): Promise<boolean>;
  /** Answers when the storage does. */
  ping(): Promise<void>;
  /** The health checks of this node: database, queues, clock (platform.md §13); they throw nothing. */
  health(): Promise<HealthReport>;
  /** What this node measures of its queue, its work and its database connections (platform.md §13). */
  metrics(): Promise<readonly Metric[]>;
  /**
   * Ends what `start` has started: waits up to 15 s for work that is running, and gives back what is left. Calls go on;
   * those that wait for work, such as `settle` and `completion`, end.
   */
  stop(): Promise<void>;
  /**
   * Stops, waits up to 15 s for calls that are under way, and closes the storage. Every call from then on is refused with
   * BillingError BUSY (60018), also by what `as` and `within` have given before.
   */
  close(): Promise<void>;
}

export const Billing = {
  /**
   * Opens the engine over its ports.
   *
   * @example
   * const billing = await Billing.open({ storage: sqlite('billing.db'), ...nodePorts() });
   * @throws when the storage's schema is not the one that this version knows; the message names the command that fixes it.
   */
  async open<Host>(options: BillingOptions<Host>): Promise<Billing<Host>> {
    const ports = portsOf(options);
    const settings = engineSettings(options, ports);
    const engine = engineOf(ports, { ...settings, workOff: (...due) => dispatcher.workOff(...due) });
    const { server } = settings.server;
    ports.storage.setLockWait(lockWaitOf(engine.settingsOf));
    ports.storage.setSkippedEvents(skippedEventsOf(engine.settingsOf));
    ports.storage.setCountThreshold(server['server.pagination.countThreshold']);
    await options.storage.prepare();
    await warnOfUnboundRole(ports);
    const dispatcher = new Dispatcher(ports, {
      handlers: engine.handlers,
      tenantOf: (recordId) => engine.tenants.refOfRecord(recordId),
      busyPausesOf: busyPausesOf(ports.storage, engine.settingsOf),
      node: options.nodeName ?? ports.ids.next(),
      ...(options.isFormerNode === undefined ? {} : { isFormerNode: options.isFormerNode }),
      settings: queueSettingsOf(server),
      historyRetentionMs: server['queue.history.retention'],
      housekeeping: [
        engine.idempotency.purge.bind(engine.idempotency),
        engine.security.tokenKeys.purge.bind(engine.security.tokenKeys),
      ],
    });
    await dispatcher.recover();
    return assemble({ options, settings, ports, engine, dispatcher });
  },
  /**
   * The checks alone, for a look at a database that others work on: no work is taken over, nothing is written. Give the
   * plugins and settings that the others have. The storage is closed by whoever has opened it.
   * @throws when the storage's schema is not the one that this version knows.
   */
  async openChecks<Host>(options: BillingOptions<Host>): Promise<CheckService> {
    const ports = portsOf(options);
    const { checks } = engineOf(ports, engineSettings(options, ports));
    await options.storage.prepare();
    return checks;
  },
};

/** Tenants are kept apart by each statement; the second barrier is missing then (platform.md §2, isolation rule 2). */
async function warnOfUnboundRole({ storage, logger }: Ports): Promise<void> {
  const role = await storage.system.unboundRole();
  if (role === null) return;
  logger.warn(
    { role },
    'row-level security of the database does not bind the role that the engine connects as: a superuser, one with BYPASSRLS, or security switched off for a table',
  );
}

type Engine = ReturnType<typeof engineOf>;

function portsOf<Host>(options: BillingOptions<Host>): Ports {
  const gateways = [externalPaymentGateway(), ...(options.gateways ?? [])];
  return { ...options, gateways: new Map(gateways.map((gateway) => [gateway.name, gateway])) };
}

function engineSettings<Host>(options: BillingOptions<Host>, ports: Ports): EngineSettings {
  return {
    ...options,
    testMode: options.testMode ?? false,
    plugins: new PluginCatalogs(options.catalogPlugins ?? [], ports.systemClock),
    server: serverConfiguration(options.configuration ?? {}, ports.logger, options),
  };
}

/** Settings of the engine, as it is opened with. */
interface EngineSettings
  extends Pick<BillingOptions<never>, 'defaultCatalog' | 'maxDocumentBytes' | 'entitlementPlugins'> {
  readonly testMode: boolean;
  /** Shared with the engines that join a host's transactions. */
  readonly plugins: PluginCatalogs;
  readonly server: ServerConfiguration;
  /** Works due entries of an account; absent where nothing can be worked, as inside a host's transaction. */
  readonly workOff?: WorkOff;
  /** The catalogs of the engine outside, for one that joins a host's transaction. */
  readonly outside?: CatalogService;
}

function engineOf(ports: Ports, settings: EngineSettings) {
  const tenants = new TenantService(ports);
  const catalogs = new CatalogService(ports, settings);
  const configuration = new TenantConfiguration(ports.logger, settings.server.tenant);
  const settingsOf = configuration.settingsOf.bind(configuration);
  const invoicingConfig = invoicingConfigOf(settingsOf);
  const paymentConfig = paymentConfigOf(settingsOf);
  const invoicing = new InvoicingService(ports, catalogs, invoicingConfig);
  const catalogAdministration = new CatalogAdministration(ports, catalogs);
  const catalogValues = {
    sources: catalogAdministration.sources.bind(catalogAdministration),
    upload: catalogs.upload.bind(catalogs),
    delete: catalogAdministration.delete.bind(catalogAdministration),
  };
  const maxRows = settings.server.server['server.limits.rows'];
  const outlines = new OutlineService(ports, catalogs, { maxRows });
  const entitlements = {
    creations: new CreationService(ports, catalogs),
    lifecycles: new LifecycleService(ports, catalogs),
    blocking: new BlockingService(ports),
    bundles: new BundleService(ports, catalogs, outlines),
    transfers: new TransferService(ports, catalogs),
  };
  const control = new EntitlementControl(ports, settings.entitlementPlugins ?? []);
  const services = {
    ...entitlements,
    controlled: new ControlledOperations(control, entitlements),
    controlledCreations: new ControlledCreations(control, entitlements.creations),
    catalogs,
    catalogEntries: new CatalogEntryService(ports, catalogs),
    catalogAdministration,
    accounts: new AccountService(ports, settingsOf),
    accountEmails: new AccountEmailService(ports),
    accountClosing: new AccountCloseService(ports, catalogs, {
      lockWaitOf: lockWaitOf(settingsOf),
      workOff: settings.workOff ?? null,
    }),
    outlines,
    timelines: new TimelineService(ports, catalogs, maxRows),
    subscriptions: new SubscriptionService(ports, catalogs, outlines),
    invoicing,
    manualItems: new ManualItemService(ports, catalogs),
    invoiceStatuses: new InvoiceStatusService(ports),
    explanations: new ExplanationService(ports),
    accountCredit: new AccountCreditService(ports),
    creditDeletion: new CreditDeletionService(ports),
    migrationInvoices: new MigrationInvoiceService(ports, invoicing),
    coverage: new CoverageService(ports, catalogs, invoicingConfig),
    changeReports: new ChangeReports(ports, catalogs, invoicingConfig),
    paymentMethods: new PaymentMethodService(ports, paymentConfig),
    paymentMethodReads: new PaymentMethodReads(ports, paymentConfig),
    payments: new PaymentReads(ports, paymentConfig),
    tags: new TagService(ports, settingsOf),
    tagDefinitions: new TagDefinitionService(ports),
    customFields: new CustomFieldService(ports),
    audit: new AuditService(ports),
    exports: new ExportService(ports),
    keyValues: new KeyValueService(ports, catalogValues, {
      allowPrivateNetworks: settings.server.server['notifications.allowPrivateNetworks'],
      allowLoopback: settings.testMode,
    }),
    signingSecrets: new SigningSecretService(ports),
    configuration: {
      settings: (context: CallContext) => ports.storage.read(context.tenant, settingsOf),
    },
  };
  const handlers = [
    new SubscriptionEventHandler(ports, catalogs),
    new InvoiceRunHandler(ports, invoicing, catalogs),
    new CatalogChangeHandler(ports, catalogs, invoicingConfig),
    new ParentSummaryHandler(ports, settingsOf),
    new ParentCommitHandler(ports),
    new AutomaticPaymentHandler(ports, paymentConfig),
    new PaymentRetryHandler(ports, paymentConfig),
    new JanitorHandler(ports, paymentConfig),
    new HoldReleaseHandler(ports),
  ];
  const checks = new CheckService(ports, catalogs, invoicingConfig);
  const idempotency = new IdempotencyService(ports, settings.server.server['server.idempotency.retention']);
  return {
    tenants,
    settingsOf,
    security: new SecurityService(ports),
    idempotency,
    checks,
    services,
    handlers,
  };
}

function operationsOf(services: Engine['services']) {
  const { catalogs, catalogAdministration, accounts, subscriptions, invoicing, payments, audit } = services;
  const { accountEmails, accountClosing, timelines, paymentMethods, paymentMethodReads } = services;
  const { keyValues, signingSecrets, configuration } = services;
  const { tags, tagDefinitions, customFields } = services;
  const { catalogEntries, changeReports, manualItems, accountCredit, lifecycles } = services;
  const { creditDeletion, migrationInvoices, outlines } = services;
  const {
    blocking,
    controlled,
    controlledCreations: creations,
    invoiceStatuses,
    coverage,
    bundles,
  } = services;
  return Object.freeze({
    uploadCatalog: catalogs.upload.bind(catalogs),
    createAccount: accounts.create.bind(accounts),
    updateAccount: accounts.update.bind(accounts),
    anonymizeAccount: accounts.anonymize.bind(accounts),
    getAccount: accounts.get.bind(accounts),
    addPaymentMethod: paymentMethods.add.bind(paymentMethods),
    createSubscription: creations.create.bind(creations),
    getSubscription: subscriptions.get.bind(subscriptions),
    generateInvoice: invoicing.generate.bind(invoicing),
    getInvoice: invoicing.get.bind(invoicing),
    catalogs: {
      current: catalogs.current.bind(catalogs),
      changeReport: changeReports.report.bind(changeReports),
      validate: catalogs.validate.bind(catalogs),
      sources: catalogAdministration.sources.bind(catalogAdministration),
      addSimplePlan: catalogAdministration.addSimplePlan.bind(catalogAdministration),
      availableBasePlans: catalogAdministration.availableBasePlans.bind(catalogAdministration),
      availableAddOns: catalogAdministration.availableAddOns.bind(catalogAdministration),
      delete: catalogAdministration.delete.bind(catalogAdministration),
    },
    catalogEntries: {
      create: catalogEntries.create.bind(catalogEntries),
      createPlan: catalogEntries.createPlan.bind(catalogEntries),
      updatePlan: catalogEntries.updatePlan.bind(catalogEntries),
      retirePlan: catalogEntries.retirePlan.bind(catalogEntries),
      deletePlan: catalogEntries.deletePlan.bind(catalogEntries),
      deleteProduct: catalogEntries.deleteProduct.bind(catalogEntries),
      products: catalogEntries.products.bind(catalogEntries),
      plans: catalogEntries.plans.bind(catalogEntries),
      plansOfProduct: catalogEntries.plansOfProduct.bind(catalogEntries),
      latestPlan: catalogEntries.latestPlan.bind(catalogEntries),
      state: catalogEntries.state.bind(catalogEntries),
    },
    accounts: {
      getByKey: accounts.getByKey.bind(accounts),
      page: accounts.page.bind(accounts),
      balances: accounts.balances.bind(accounts),
      search: accounts.search.bind(accounts),
      findExactly: accounts.findExactly.bind(accounts),
      children: accounts.children.bind(accounts),
      timeline: timelines.ofAccount.bind(timelines),
      emails: accountEmails.ofAccount.bind(accountEmails),
      addEmail: accountEmails.add.bind(accountEmails),
      removeEmail: accountEmails.remove.bind(accountEmails),
      close: accountClosing.close.bind(accountClosing),
      rebalanceCredit: accountCredit.rebalance.bind(accountCredit),
      transferCreditToParent: accountCredit.transferToParent.bind(accountCredit),
    },
    subscriptions: {
      getByKey: subscriptions.getByKey.bind(subscriptions),
      planAt: subscriptions.planAt.bind(subscriptions),
      createWithAddOns: creations.createWithAddOns.bind(creations),
      createBundles: creations.createBundles.bind(creations),
      cancel: controlled.cancel.bind(controlled),
      uncancel: controlled.uncancel.bind(controlled),
      changePlan: controlled.changePlan.bind(controlled),
      undoChangePlan: controlled.undoChangePlan.bind(controlled),
      changeBillCycleDay: lifecycles.changeBillCycleDay.bind(lifecycles),
      changeQuantity: lifecycles.changeQuantity.bind(lifecycles),
      bundlesOfAccount: subscriptions.bundlesOfAccount.bind(subscriptions),
      pageBundlesOfAccount: subscriptions.pageBundlesOfAccount.bind(subscriptions),
    },
    blocking: {
      add: controlled.addBlockingState.bind(controlled),
      pauseBundle: controlled.pauseBundle.bind(controlled),
      resumeBundle: controlled.resumeBundle.bind(controlled),
      ofAccount: blocking.ofAccount.bind(blocking),
    },
    bundles: {
      get: bundles.get.bind(bundles),
      getByKey: bundles.getByKey.bind(bundles),
      allOfKey: bundles.allOfKey.bind(bundles),
      page: bundles.page.bind(bundles),
      search: bundles.search.bind(bundles),
      renameKey: controlled.renameKey.bind(controlled),
      transfer: controlled.transfer.bind(controlled),
    },
    /** Bundles and subscriptions whose rows are made while they are gone through, for answers of any length. */
    outlines: {
      ofAccount: outlines.ofAccount.bind(outlines),
      pageOfAccount: outlines.pageOfAccount.bind(outlines),
      page: outlines.page.bind(outlines),
      search: outlines.search.bind(outlines),
      bundle: outlines.bundle.bind(outlines),
      bundleByKey: outlines.bundleByKey.bind(outlines),
      allOfKey: outlines.allOfKey.bind(outlines),
      subscription: outlines.subscription.bind(outlines),
      subscriptionByKey: outlines.subscriptionByKey.bind(outlines),
      timeline: timelines.outlineOfAccount.bind(timelines),
    },
    invoices: {
      dryRun: invoicing.dryRun.bind(invoicing),
      explain: services.explanations.explain.bind(services.explanations),
      ofAccount: invoicing.ofAccount.bind(invoicing),
      page: invoicing.page.bind(invoicing),
      pageOfAccount: invoicing.pageOfAccount.bind(invoicing),
      addCharges: manualItems.addCharges.bind(manualItems),
      addTaxes: manualItems.addTaxes.bind(manualItems),
      addCredits: manualItems.addCredits.bind(manualItems),
      getCredit: manualItems.getCredit.bind(manualItems),
      adjustItem: manualItems.adjustItem.bind(manualItems),
      deleteCredit: creditDeletion.delete.bind(creditDeletion),
      createMigrationInvoice: migrationInvoices.create.bind(migrationInvoices),
      commit: invoiceStatuses.commit.bind(invoiceStatuses),
      void: invoiceStatuses.void.bind(invoiceStatuses),
      verifyCoverage: coverage.verify.bind(coverage),
    },
    paymentMethods: {
      ofAccount: paymentMethodReads.ofAccount.bind(paymentMethodReads),
      get: paymentMethodReads.get.bind(paymentMethodReads),
      setDefault: paymentMethods.setDefault.bind(paymentMethods),
    },
    payments: {
      ofAccount: payments.ofAccount.bind(payments),
      invoicePaymentsOfAccount: payments.invoicePaymentsOfAccount.bind(payments),
      invoicePaymentsOfInvoice: payments.invoicePaymentsOfInvoice.bind(payments),
    },
    tagDefinitions: {
      list: tagDefinitions.list.bind(tagDefinitions),
      get: tagDefinitions.get.bind(tagDefinitions),
      create: tagDefinitions.create.bind(tagDefinitions),
      delete: tagDefinitions.delete.bind(tagDefinitions),
    },
    tags: {
      add: tags.add.bind(tags),
      remove: tags.remove.bind(tags),
      ofObject: tags.ofObject.bind(tags),
      ofAccount: tags.ofAccount.bind(tags),
      page: tags.page.bind(tags),
      search: tags.search.bind(tags),
    },
    customFields: {
      add: customFields.add.bind(customFields),
      modify: customFields.modify.bind(customFields),
      remove: customFields.remove.bind(customFields),
      ofObject: customFields.ofObject.bind(customFields),
      ofAccount: customFields.ofAccount.bind(customFields),
      page: customFields.page.bind(customFields),
      search: customFields.search.bind(customFields),
      searchByName: customFields.searchByName.bind(customFields),
    },
    exportAccount: services.exports.account.bind(services.exports),
    audit: {
      logs: audit.logs.bind(audit),
      history: audit.history.bind(audit),
      historyWithin: audit.historyWithin.bind(audit),
      ofAccount: audit.ofAccount.bind(audit),
    },
    keyValues: {
      add: keyValues.add.bind(keyValues),
      get: keyValues.get.bind(keyValues),
      delete: keyValues.delete.bind(keyValues),
      search: keyValues.search.bind(keyValues),
    },
    /** Secrets that sign push notifications (platform.md §10.3). */
    signingSecrets: {
      create: signingSecrets.create.bind(signingSecrets),
      delete: signingSecrets.delete.bind(signingSecrets),
    },
    configuration: {
      /** What is in force for the tenant, by property name without prefix (platform.md §4.1). */
      settings: configuration.settings,
    },
  });
}

interface Parts<Host> {
  readonly options: BillingOptions<Host>;
  readonly settings: EngineSettings;
  readonly ports: Ports;
  readonly engine: Engine;
  readonly dispatcher: Dispatcher;
}

function assemble<Host>({ options, settings, ports, engine, dispatcher }: Parts<Host>): Billing<Host> {
  const { tenants, security, services } = engine;
  const calls = new Calls();
  const operations = operationsOf(services);
  const { server } = settings.server;
  const health = new HealthService(ports, {
    workedOn: () => dispatcher.workedOn,
    lateThresholdMs: server['health.lateThreshold'],
  });
  const metrics = new MetricsService(ports, dispatcher.counts);
  const context = (caller: Caller): Promise<CallContext> => contextOf(ports, tenants, caller);
  const close = async (): Promise<void> => {
    const ended = calls.close();
    await dispatcher.stop();
    await atMost(ports.systemClock, QUEUE_SHUTDOWN_WAIT_MS, ended);
    await services.paymentMethods.idle();
    await options.storage.close();
  };
  let closing: Promise<void> | undefined;
  return {
    ...calls.of(operations),
    tenants,
    security,
    idempotency: engine.idempotency,
    checks: engine.checks,
    clock: ports.clock,
    server,
    as: (caller) => ({
      ...calls.of(bindContext(operations, () => context(caller))),
      within: (host) => {
        calls.check();
        const inside = { ...ports, storage: options.storage.within(host) };
        const joined = engineOf(inside, { ...settings, outside: services.catalogs });
        const joinedContext = () => contextOf(inside, tenants, caller);
        return calls.of(bindContext(operationsOf(joined.services), joinedContext));
      },
    }),
    start: () => {
      calls.check();
      dispatcher.start();
    },
    ...calls.of({
      context,
      settle: async (settling: Parameters<Billing['settle']>[0]) =>
        dispatcher.settle(settling?.tenant?.recordId ?? null, settling?.timeoutMs ?? SETTLE_TIMEOUT_MS),
      completion: async (context: CallContext, timeoutMs: number, accountId?: Uuid) => {
        const account = accountId === undefined ? null : await services.accounts.get(context, accountId);
        const cause = { userToken: context.userToken, accountRecordId: account?.recordId ?? null };
        const limitMs = Math.min(timeoutMs, server['server.callCompletion.maxSec'] * 1_000);
        return dispatcher.complete(context.tenant.recordId, cause, limitMs);
      },
      ping: () => ports.storage.system.ping(),
      health: () => health.report(),
      metrics: () => metrics.read(),
    }),
    stop: () => dispatcher.stop(),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

async function contextOf(ports: Ports, tenants: TenantService, caller: Caller): Promise<CallContext> {
  const createdDate: Instant = ports.clock.now();
  return {
    tenant:
      typeof caller.tenant === 'string' ? await tenants.refOf(caller.tenant, ports.storage) : caller.tenant,
    userName: caller.user,
    principal: caller.principal ?? null,
    reasonCode: caller.reason ?? null,
    comments: caller.comment ?? null,
    userToken: caller.userToken ?? ports.ids.next(),
    callOrigin: CallOrigin.EXTERNAL,
    createdDate,
    ...(caller.pluginProperties ? { pluginProperties: caller.pluginProperties } : {}),
  };
}
