import { BillingActionPolicy } from '../../../../lib/records/index.ts';
import type { JsonSchema } from '../../wire/json-schema.ts';

// Facts of the interface that the clients of Kill Bill 0.24 were made from, where the route table does not tell them.

/** The class of clients that has the operations below a segment of the path. */
export const classes: Readonly<Record<string, string>> = {
  accounts: 'Account',
  admin: 'Admin',
  bundles: 'Bundle',
  catalog: 'Catalog',
  credits: 'Credit',
  customFields: 'CustomField',
  export: 'Export',
  invoiceItems: 'InvoiceItem',
  invoicePayments: 'InvoicePayment',
  invoices: 'Invoice',
  nodesInfo: 'NodesInfo',
  overdue: 'Overdue',
  paymentGateways: 'PaymentGateway',
  paymentMethods: 'PaymentMethod',
  payments: 'Payment',
  pluginsInfo: 'PluginInfo',
  security: 'Security',
  subscriptions: 'Subscription',
  tagDefinitions: 'TagDefinition',
  tags: 'Tag',
  tenants: 'Tenant',
  paymentTransactions: 'PaymentTransaction',
  usages: 'Usage',
};

/** Operations of the core that those clients do not have. */
export const unpublishedOperations: ReadonlySet<string> = new Set([
  'createApiClient',
  'createNotificationSigningSecret',
  'deleteApiClient',
  'deleteNotificationSigningSecret',
  'explainInvoiceItem',
  'getApiClient',
  'getAvailableRoles',
  'getCreditNote',
  'getCreditNoteAsHTML',
  'getCreditNoteAsPDF',
  'getCreditNotesOfAccount',
  'getCreditNotesOfInvoice',
  'getCurrentTime',
  'getEvents',
  'getInvoiceAsPDF',
  'getInvoiceMPTemplateDefault',
  'getInvoiceTrackingIds',
  'getLateQueueEntries',
  'getNotificationDeliveries',
  'getNotificationDelivery',
  'getRatedUsage',
  'getUnbilledUsage',
  'getUsageTimeline',
  'getUserTenants',
  'killbillSwaggerJson',
  'recordUsageBulk',
  'reportCatalogChanges',
  'resendNotificationDelivery',
  'searchCustomFieldsAlias',
  'searchCustomFieldsByTypeNameAlias',
  'setTestClockTime',
  'updateTestClockTime',
  'updateUserTenants',
  'uploadCatalogXmlOriginal',
  'voidUsageRecord',
  'waitForQueuesToComplete',
  'writeLogInvoiceLogEntriesForAccount',
]);

/** What those clients have otherwise in an operation than the route table tells. */
export interface Published {
  /** Query parameters in their order; default those of the route in its order. */
  readonly parameters?: readonly string[];
  /** Parameters that have to be given here and may be left out there. */
  readonly optional?: readonly string[];
  /** The other way round. */
  readonly required?: readonly string[];
  /** Parameters that are texts there: lists that are written with commas, and names. */
  readonly texts?: readonly string[];
  /** Values that clients have for parameters, where some of them are always refused. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Default values of parameters. */
  readonly defaults?: JsonSchema;
  /** Formats of parameters. */
  readonly formats?: Readonly<Record<string, string>>;
  /** True: the headers that name the author are among its parameters. */
  readonly author?: true;
  /** Statuses that clients know, though nothing that they can ask for here ends with them. */
  readonly unanswered?: readonly number[];
  /** What the method gives: text, or nothing; default what the route answers, or what `Location` leads to. */
  readonly gives?: 'TEXT' | 'NOTHING';
}

const completion = ['callCompletion', 'callTimeoutSec'] as const;
const page = ['offset', 'limit'] as const;
const range = { optional: ['startDate', 'endDate'] };
const dated = ['entitlementDate', 'billingDate'] as const;
const waiting = { callTimeoutSec: 3 };
const property = 'pluginProperty';
const pluginInfo = ['withPluginInfo', 'withAttempts'] as const;
const onlyProperty = { parameters: [property] };
const policies = { values: { billingPolicy: Object.values(BillingActionPolicy) } };
const nothing = { parameters: [] };
const ofSubscription = { optional: ['subscriptionId'] };

const operations: Readonly<Record<string, Published>> = {
  addSimplePlan: { gives: 'TEXT' },
  cancelSubscriptionPlan: {
    parameters: [
      'requestedDate',
      ...completion,
      'entitlementPolicy',
      'billingPolicy',
      'useRequestedDateForBilling',
      property,
    ],
    defaults: { callTimeoutSec: 5 },
    ...policies,
  },
  changeSubscriptionPlan: {
    parameters: ['requestedDate', ...completion, 'billingPolicy', property],
    defaults: waiting,
    ...policies,
  },
  chargebackReversalPayment: { unanswered: [402, 502, 503] },
  chargebackReversalPaymentByExternalKey: { unanswered: [402, 502, 503] },
  closeAccount: { defaults: { removeFutureNotifications: true } },
  commitInvoice: nothing,
  createChargeback: onlyProperty,
  createChargebackReversal: onlyProperty,
  createCredits: { parameters: ['autoCommit', property] },
  createFutureInvoice: { parameters: ['accountId', 'targetDate', property] },
  createFutureInvoiceGroup: { parameters: ['accountId', 'targetDate', property] },
  createMigrationInvoice: { parameters: ['targetDate'] },
  createRefundWithAdjustments: { parameters: ['externalPayment', 'paymentMethodId', property] },
  createSubscription: {
    parameters: [...dated, 'renameKeyIfExistsAndUnused', 'migrated', 'skipResponse', ...completion, property],
    defaults: waiting,
  },
  createSubscriptionCustomFields: { gives: 'NOTHING' },
  createSubscriptionTags: { gives: 'NOTHING' },
  createSubscriptionWithAddOns: {
    parameters: [...dated, 'migrated', 'skipResponse', 'renameKeyIfExistsAndUnused', ...completion, property],
    defaults: waiting,
  },
  createSubscriptionsWithAddOns: {
    parameters: [...dated, 'renameKeyIfExistsAndUnused', 'migrated', 'skipResponse', ...completion, property],
    defaults: waiting,
  },
  createTaxItems: { parameters: ['autoCommit', 'requestedDate', property] },
  deleteCBA: { parameters: ['accountId'] },
  exportDataForAccount: { author: true, gives: 'NOTHING' },
  getAccountBundles: { texts: ['bundlesFilter'] },
  getAllUsage: range,
  getCatalogJson: { formats: { requestedDate: 'date-time' } },
  getCatalogXml: { formats: { requestedDate: 'date-time' } },
  getInvoiceItemTags: { required: ['accountId'] },
  getInvoicePaymentTags: { parameters: ['includedDeleted', property, 'audit'] },
  getInvoicePayments: { parameters: [...pluginInfo, property, 'audit'] },
  getInvoicesForAccount: { texts: ['invoicesFilter'] },
  getOverdueAccount: nothing,
  getPayment: { parameters: [...pluginInfo, property, 'audit'] },
  getPaymentByExternalKey: { parameters: [...pluginInfo, 'externalKey', property, 'audit'] },
  getPaymentByTransactionExternalKey: {
    parameters: ['transactionExternalKey', ...pluginInfo, property, 'audit'],
  },
  getPaymentByTransactionId: { parameters: [...pluginInfo, property, 'audit'] },
  getPaymentMethodsForAccount: { parameters: ['withPluginInfo', 'includedDeleted', property, 'audit'] },
  getPayments: { parameters: [...page, 'pluginName', ...pluginInfo, property, 'audit'] },
  getPaymentsForInvoice: { parameters: [...pluginInfo, 'audit'] },
  getPerTenantConfiguration: { unanswered: [400] },
  getPhaseForSubscriptionAndDate: ofSubscription,
  getPlanForSubscriptionAndDate: ofSubscription,
  getPriceListForSubscriptionAndDate: ofSubscription,
  getProductForSubscriptionAndDate: ofSubscription,
  getPushNotificationCallbacks: { unanswered: [400] },
  getQueueEntries: { texts: ['minDate', 'maxDate'], gives: 'NOTHING' },
  getTenantByApiKey: { optional: ['apiKey'] },
  getUsage: range,
  getUserRoles: { unanswered: [404] },
  invalidatesCache: { texts: ['cacheName'] },
  payAllInvoices: {
    parameters: ['paymentMethodId', 'externalPayment', 'paymentAmount', 'targetDate', property],
  },
  processNotification: { author: true },
  rebalanceExistingCBAOnAccount: nothing,
  recordUsage: nothing,
  refreshPaymentMethods: { parameters: ['pluginName', property], texts: ['pluginName'] },
  registerPushNotificationCallback: { optional: ['cb'] },
  renameExternalKey: nothing,
  searchCustomFieldsByTypeName: { optional: ['objectType', 'fieldName'], texts: ['objectType'] },
  searchPayments: { parameters: [...page, ...pluginInfo, 'pluginName', property, 'audit'] },
  setDefaultPaymentMethod: { parameters: ['payAllUnpaidInvoices', property] },
  transferBundle: policies,
  transferChildCreditToParent: nothing,
  triggerInvoiceGenerationForParkedAccounts: { gives: 'NOTHING' },
  uploadCatalogXml: { gives: 'TEXT' },
  uploadInvoiceMPTemplate: { gives: 'TEXT', unanswered: [200] },
  uploadOverdueConfigXml: { gives: 'TEXT' },
  voidInvoice: nothing,
};

export function published(operationId: string): Published {
  return operations[operationId] ?? {};
}
