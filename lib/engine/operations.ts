import type { AccountClosingOperations } from '../account-closing/index.ts';
import type { AccountEmailOperations, AccountOperations } from '../accounts/index.ts';
import type { AuditOperations } from '../audit/index.ts';
import type {
  CatalogEntryOperations,
  CatalogOperations,
  CatalogVersionView,
  CatalogView,
} from '../catalog/index.ts';
import type { CustomFieldOperations } from '../custom-fields/index.ts';
import type { AccountExportOperations } from '../export/index.ts';
import type {
  AccountCreditOperations,
  CatalogReportOperations,
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
  SigningSecretOperations,
} from '../tenants/index.ts';
import type { TimelineOperations, TimelineOutlineOperations } from '../timeline/index.ts';
import type { UsageOperations } from '../usage/index.ts';
import type { Given, Plain } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** Accounts, and what belongs to them. */
export interface AllAccountOperations<C extends Leading = []>
  extends AccountOperations<C>,
    AccountEmailOperations<C>,
    AccountClosingOperations<C>,
    AccountCreditOperations<C>,
    AccountExportOperations<C>,
    TimelineOperations<C> {}

/** Catalogs, and what changes of a catalog would do. */
export interface AllCatalogOperations<C extends Leading = []>
  extends CatalogOperations<C>,
    CatalogReportOperations<C> {}

/** Outlines of bundles, subscriptions and timelines. */
export interface AllOutlineOperations<C extends Leading = []>
  extends OutlineOperations<C>,
    TimelineOutlineOperations<C> {}

/** What was used, and what it costs. */
export interface AllUsageOperations<C extends Leading = []>
  extends UsageOperations<C>,
    UsageReviewOperations<C> {}

/** The operations of one tenant in their groups. `C` is what each call begins with: its context, or nothing. */
export interface GroupedOperations<C extends Leading = []> {
  /** Accounts: who pays. Their addresses, credit and timeline, their closing and export. */
  readonly accounts: AllAccountOperations<C>;
  /** What the tenant sells, as documents. */
  readonly catalogs: AllCatalogOperations<C>;
  /** Plans and products that are kept one by one, beside the documents. */
  readonly catalogEntries: CatalogEntryOperations<C>;
  /** Subscriptions: their life, and what they are at a moment. */
  readonly subscriptions: SubscriptionOperations<C>;
  /** What keeps an account, bundle or subscription from change, service or billing. */
  readonly blocking: BlockingOperations<C>;
  /** Bundles: a base subscription with its add-ons. */
  readonly bundles: BundleOperations<C>;
  /** Bundles and subscriptions whose rows are made while they are read, for answers of any length. */
  readonly outlines: AllOutlineOperations<C>;
  /** What subscriptions have used. */
  readonly usage: AllUsageOperations<C>;
  /** Invoices, and what is put on them by hand. */
  readonly invoices: InvoiceOperations<C>;
  /** Documents of what was taken off invoices. */
  readonly creditNotes: CreditNoteOperations<C>;
  /** The payment methods of accounts. */
  readonly paymentMethods: PaymentMethodOperations<C>;
  /** Payments, and how they went. */
  readonly payments: PaymentOperations<C>;
  /** How invoices are paid, and paid back. */
  readonly invoicePayments: InvoicePaymentOperations<C>;
  /** Pages of payment gateways, and what gateways tell by themselves. */
  readonly paymentGateways: PaymentGatewayOperations<C>;
  /** What happens to those who do not pay, who that is and why. */
  readonly overdue: OverdueOperations<C>;
  /** What tags there are. */
  readonly tagDefinitions: TagDefinitionOperations<C>;
  /** Tags on objects; system tags steer the engine. */
  readonly tags: TagOperations<C>;
  /** Fields that the tenant adds to objects. */
  readonly customFields: CustomFieldOperations<C>;
  /** Who has changed what. */
  readonly audit: AuditOperations<C>;
  /** Values that the tenant stores by key, its configuration among them. */
  readonly keyValues: KeyValueOperations<C>;
  /** Templates and translations of the documents that customers get. */
  readonly invoiceTexts: InvoiceTextOperations<C>;
  /** What is and was sent to the tenant's callback. */
  readonly deliveries: DeliveryOperations<C>;
  /** The work that the engine has to do for the tenant, for those who look after it. */
  readonly queues: QueueOperations<C>;
  /** What has happened, to be read from anywhere. */
  readonly events: EventOperations<C>;
  /** Secrets that sign pushes (platform §10.3). */
  readonly signingSecrets: SigningSecretOperations<C>;
  /** The settings in force for the tenant. */
  readonly configuration: ConfigurationOperations<C>;
  /** How the deployment fares: work that is late or was given up. */
  readonly monitoring: MonitoringOperations<C>;
}

/** Short names of the frequent operations; each has its home in a group. */
export interface FrequentOperations<C extends Leading = []> {
  /** Short for `catalogs.upload`: adds the versions of a catalog document. */
  readonly uploadCatalog: CatalogOperations<C>['upload'];
  /** Short for `accounts.create`. */
  readonly createAccount: AccountOperations<C>['create'];
  /** Short for `accounts.update`. */
  readonly updateAccount: AccountOperations<C>['update'];
  /** Short for `accounts.anonymize`: forgets whose account it is. */
  readonly anonymizeAccount: AccountOperations<C>['anonymize'];
  /** Short for `accounts.get`. */
  readonly getAccount: AccountOperations<C>['get'];
  /** Short for `paymentMethods.add`. */
  readonly addPaymentMethod: PaymentMethodOperations<C>['add'];
  /** Short for `subscriptions.create`. */
  readonly createSubscription: SubscriptionOperations<C>['create'];
  /** Short for `subscriptions.get`. */
  readonly getSubscription: SubscriptionOperations<C>['get'];
  /** Short for `usage.record`: records what a subscription has used. */
  readonly recordUsage: UsageOperations<C>['record'];
  /** Short for `invoices.generate`: bills an account up to a date. */
  readonly generateInvoice: InvoiceOperations<C>['generate'];
  /** Short for `invoices.get`. */
  readonly getInvoice: InvoiceOperations<C>['get'];
  /** Short for `overdue.explain`: why an account is overdue, or is not. */
  readonly explainOverdue: OverdueOperations<C>['explain'];
}

/** The operations of one tenant. */
export interface Operations<C extends Leading = []> extends GroupedOperations<C>, FrequentOperations<C> {}

/** The operations of a group, whose answers are plain: dates are text, instants are `Date`. */
export type PlainGroup<G> = {
  readonly [N in keyof G]: G[N] extends (...given: infer P) => Promise<infer R>
    ? (...given: P) => Promise<Plain<R>>
    : G[N];
};

/** The operations of one tenant as hosts call them. `outlines` are for adapters, which write answers of any length. */
export type PlainOperations<C extends Leading = []> = {
  readonly [G in Exclude<keyof GroupedOperations<C>, 'outlines' | 'catalogs' | 'subscriptions'>]: PlainGroup<
    GroupedOperations<C>[G]
  >;
} & {
  /** What the tenant sells, as documents. */
  readonly catalogs: PlainGroup<Omit<GroupedOperations<C>['catalogs'], 'current'>> & {
    /** Returns the catalog as it is now, as `CatalogOperations.current` does. */
    current(...given: [...C, accountId?: Uuid | string | null]): Promise<CatalogView>;
  };
  /** Subscriptions: their life, and what they are at a moment. */
  readonly subscriptions: PlainGroup<Omit<GroupedOperations<C>['subscriptions'], 'planAt'>> & {
    /** Returns the plan in force, as `SubscriptionOperations.planAt` does. */
    planAt(...given: [...C, request: Given<PlanAtRequest>]): Promise<PlanInForceView>;
  };
} & PlainGroup<FrequentOperations<C>>;

/** A plan in force, with the version of the catalog that supplies it. */
export type PlanInForceView = Plain<Omit<PlanInForce, 'version'>> & { readonly version: CatalogVersionView };
