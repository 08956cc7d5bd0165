import type { AccountClosingOperations } from '../account-closing/index.ts';
import type { AccountEmailOperations, AccountOperations } from '../accounts/index.ts';
import type { AuditOperations } from '../audit/index.ts';
import type {
  CatalogEntryOperations,
  CatalogOperations,
  CatalogVersionView,
  CatalogView,
} from '../catalog/index.ts';
import type { CouponOperations } from '../coupons/index.ts';
import type { CustomFieldOperations } from '../custom-fields/index.ts';
import type { AccountExportOperations } from '../export/index.ts';
import type { FeatureOperations } from '../features/index.ts';
import type {
  AccountCreditOperations,
  CatalogReportOperations,
  ChangePreviewOperations,
  CreditNoteOperations,
  InvoiceOperations,
  InvoiceTextOperations,
  UsageReviewOperations,
} from '../invoicing/index.ts';
import type { MonitoringOperations } from '../monitoring/index.ts';
import type { OverdueOperations } from '../overdue/index.ts';
import type {
  InvoicePaymentOperations,
  PaymentGatewayOperations,
  PaymentMethodOperations,
  PaymentOperations,
} from '../payments/index.ts';
import type { DeliveryOperations, EventOperations } from '../push/index.ts';
import type { QueueOperations } from '../queues/index.ts';
import type { Leading } from '../records/index.ts';
import type { ReportOperations } from '../reports/index.ts';
import type {
  BlockingOperations,
  BundleOperations,
  OutlineOperations,
  PlanAtRequest,
  PlanInForce,
  SubscriptionOperations,
} from '../subscriptions/index.ts';
import type { TagDefinitionOperations, TagOperations } from '../tags/index.ts';
import type {
  ConfigurationOperations,
  KeyValueOperations,
  SellerOperations,
  SigningSecretOperations,
} from '../tenants/index.ts';
import type { TimelineOperations, TimelineOutlineOperations } from '../timeline/index.ts';
import type { UsageOperations } from '../usage/index.ts';
import type { HostInput, Plain } from '../values/host-values/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** Operations on accounts. */
export interface AllAccountOperations<C extends Leading = []>
  extends AccountOperations<C>,
    AccountEmailOperations<C>,
    AccountClosingOperations<C>,
    AccountCreditOperations<C>,
    AccountExportOperations<C>,
    TimelineOperations<C> {}

/** Operations on catalogs, and reports on the effect of catalog changes. */
export interface AllCatalogOperations<C extends Leading = []>
  extends CatalogOperations<C>,
    CatalogReportOperations<C> {}

/** Operations on subscriptions, and previews of their changes. */
export interface AllSubscriptionOperations<C extends Leading = []>
  extends SubscriptionOperations<C>,
    ChangePreviewOperations<C> {}

/** Operations that return bundles, subscriptions and timelines in a compact form, whose rows are computed on demand. */
export interface AllOutlineOperations<C extends Leading = []>
  extends OutlineOperations<C>,
    TimelineOutlineOperations<C> {}

/** Operations on usage and its cost. */
export interface AllUsageOperations<C extends Leading = []>
  extends UsageOperations<C>,
    UsageReviewOperations<C> {}

/**
 * The operations of one tenant by group. `C` is the type of each call's leading parameters: either the context or
 * nothing.
 */
export interface GroupedOperations<C extends Leading = []> {
  /** Accounts with their e-mail addresses, credit, timeline, closure and export. */
  readonly accounts: AllAccountOperations<C>;
  /** The tenant's catalogs, as documents. */
  readonly catalogs: AllCatalogOperations<C>;
  /** Plans and products that are managed individually. */
  readonly catalogEntries: CatalogEntryOperations<C>;
  /** Subscriptions, and previews of their changes. */
  readonly subscriptions: AllSubscriptionOperations<C>;
  /** States that block changes, entitlement or billing of an account, bundle or subscription. */
  readonly blocking: BlockingOperations<C>;
  /** Bundles of a base subscription and its add-ons. */
  readonly bundles: BundleOperations<C>;
  /** Bundles and subscriptions whose rows are computed on demand. The results can therefore have any length. */
  readonly outlines: AllOutlineOperations<C>;
  /** Coupons, and their redemption on subscriptions and accounts. */
  readonly coupons: CouponOperations<C>;
  /** Usage of subscriptions. */
  readonly usage: AllUsageOperations<C>;
  /** Features and quotas of accounts. */
  readonly features: FeatureOperations<C>;
  /** Invoices and manual items. */
  readonly invoices: InvoiceOperations<C>;
  /** Credit notes of adjusted invoices. */
  readonly creditNotes: CreditNoteOperations<C>;
  /** Payment methods of accounts. */
  readonly paymentMethods: PaymentMethodOperations<C>;
  /** Payments and their transactions. */
  readonly payments: PaymentOperations<C>;
  /** Payments and refunds of invoices. */
  readonly invoicePayments: InvoicePaymentOperations<C>;
  /** Hosted pages and notifications of payment gateways. */
  readonly paymentGateways: PaymentGatewayOperations<C>;
  /** Overdue states of accounts, their configuration and explanation. */
  readonly overdue: OverdueOperations<C>;
  /** Definitions of tags. */
  readonly tagDefinitions: TagDefinitionOperations<C>;
  /** Tags on objects. Control tags change how the engine treats their object. */
  readonly tags: TagOperations<C>;
  /** Custom fields of objects. */
  readonly customFields: CustomFieldOperations<C>;
  /** Audit rows and history. */
  readonly audit: AuditOperations<C>;
  /** Values of the tenant by key, including its configuration. */
  readonly keyValues: KeyValueOperations<C>;
  /** Templates and translations of documents. */
  readonly invoiceTexts: InvoiceTextOperations<C>;
  /** The seller on documents: name, address, tax id, bank account and logo. */
  readonly sellers: SellerOperations<C>;
  /** Deliveries to the tenant's callback. */
  readonly deliveries: DeliveryOperations<C>;
  /** The tenant's queue entries, for operators. */
  readonly queues: QueueOperations<C>;
  /** The feed of events. */
  readonly events: EventOperations<C>;
  /** Secrets that sign pushes (platform §10.3). */
  readonly signingSecrets: SigningSecretOperations<C>;
  /** The tenant's settings. */
  readonly configuration: ConfigurationOperations<C>;
  /** Health of the deployment, including late and failed work. */
  readonly monitoring: MonitoringOperations<C>;
  /** Figures of the tenant, and a search over all kinds of objects. */
  readonly reports: ReportOperations<C>;
}

/** Short names of frequent operations. */
export interface FrequentOperations<C extends Leading = []> {
  /** Short for `catalogs.upload`: adds the versions of a catalog document. */
  readonly uploadCatalog: CatalogOperations<C>['upload'];
  /** Short for `accounts.create`. */
  readonly createAccount: AccountOperations<C>['create'];
  /** Short for `accounts.update`. */
  readonly updateAccount: AccountOperations<C>['update'];
  /** Short for `accounts.anonymize`: replaces personal data. */
  readonly anonymizeAccount: AccountOperations<C>['anonymize'];
  /** Short for `accounts.get`. */
  readonly getAccount: AccountOperations<C>['get'];
  /** Short for `paymentMethods.add`. */
  readonly addPaymentMethod: PaymentMethodOperations<C>['add'];
  /** Short for `subscriptions.create`. */
  readonly createSubscription: SubscriptionOperations<C>['create'];
  /** Short for `subscriptions.get`. */
  readonly getSubscription: SubscriptionOperations<C>['get'];
  /** Short for `usage.record`: records usage of a subscription. */
  readonly recordUsage: UsageOperations<C>['record'];
  /** Short for `invoices.generate`: bills an account up to a date. */
  readonly generateInvoice: InvoiceOperations<C>['generate'];
  /** Short for `invoices.get`. */
  readonly getInvoice: InvoiceOperations<C>['get'];
  /** Short for `overdue.explain`: explains the overdue state of an account. */
  readonly explainOverdue: OverdueOperations<C>['explain'];
}

/** The operations of one tenant. */
export interface Operations<C extends Leading = []> extends GroupedOperations<C>, FrequentOperations<C> {}

/** The operations of a group with plain results: dates are text, instants are `Date`. */
export type PlainGroup<G> = {
  readonly [N in keyof G]: G[N] extends (...given: infer P) => Promise<infer R>
    ? (...given: P) => Promise<Plain<R>>
    : G[N];
};

/**
 * The operations of one tenant for hosts. `outlines`, for results of any length, is for adapters only. `F` is the type
 * of the feature names in the catalog.
 */
export type PlainOperations<C extends Leading = [], F extends string = string> = {
  readonly [G in Exclude<
    keyof GroupedOperations<C>,
    'outlines' | 'catalogs' | 'subscriptions' | 'features'
  >]: PlainGroup<GroupedOperations<C>[G]>;
} & {
  /** Features and quotas of accounts. */
  readonly features: PlainGroup<FeatureOperations<C, F>>;
  /** The tenant's catalogs, as documents. */
  readonly catalogs: PlainGroup<Omit<GroupedOperations<C>['catalogs'], 'current'>> & {
    /** Returns the current catalog, as `CatalogOperations.current` does. */
    current(...given: [...C, accountId?: Uuid | string | null]): Promise<CatalogView>;
  };
  /** Operations on subscriptions. */
  readonly subscriptions: PlainGroup<Omit<GroupedOperations<C>['subscriptions'], 'planAt'>> & {
    /** Returns the plan in force, as `SubscriptionOperations.planAt` does. */
    planAt(...given: [...C, request: HostInput<PlanAtRequest>]): Promise<PlanInForceView>;
  };
} & PlainGroup<FrequentOperations<C>>;

/** A plan in force with its catalog version. */
export type PlanInForceView = Plain<Omit<PlanInForce, 'version'>> & { readonly version: CatalogVersionView };
