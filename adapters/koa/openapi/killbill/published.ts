import { BillingActionPolicy } from '../../../../lib/records/index.ts';
import type { JsonSchema } from '../../wire/wire-type.ts';

// These details of the Kill Bill 0.24 clients are not in the route table.

/** Client class by path segment. */
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

/** Operations of the core interface that the published clients do not have. */
export const unpublishedOperations: ReadonlySet<string> = new Set([
  'createApiClient',
  'createCoupon',
  'createCouponCustomFields',
  'createNotificationSigningSecret',
  'createSession',
  'canUseFeature',
  'consumeFeature',
  'deleteApiClient',
  'deleteCouponCustomFields',
  'deleteNotificationSigningSecret',
  'callOperation',
  'endCurrentSession',
  'endFeatureOverride',
  'explainFeature',
  'explainInvoiceItem',
  'findObjects',
  'getAccountCoupons',
  'getAllPermissions',
  'getApiClient',
  'getAvailableRoles',
  'getCoupon',
  'getCouponCustomFields',
  'getCoupons',
  'getCreditNote',
  'getCreditNoteAsEInvoice',
  'getCreditNoteAsHTML',
  'getCreditNoteAsPDF',
  'getCreditNotesOfAccount',
  'getCreditNotesOfInvoice',
  'getCurrentSeller',
  'getCurrentSession',
  'getCurrentTime',
  'getEInvoiceDeliveries',
  'getEvents',
  'getFailedPayments',
  'getFeatures',
  'getInvoiceAsEInvoice',
  'getInvoiceAsPDF',
  'getInvoiceMPTemplateDefault',
  'getInvoiceTrackingIds',
  'setInvoiceNote',
  'getLateQueueEntries',
  'getMonthsReport',
  'getNotificationDeliveries',
  'getNotificationDelivery',
  'getOverdueAccounts',
  'getOverdueReport',
  'getRatedUsage',
  'getSellerLogo',
  'getSellers',
  'getSessionTenants',
  'getSubscriptionCoupons',
  'getSubscriptionsReport',
  'getUnbilledUsage',
  'getUsageTimeline',
  'getUsers',
  'getUserTenants',
  'killbillSwaggerJson',
  'modifyCouponCustomFields',
  'overrideFeature',
  'queryOperation',
  'recordUsageBulk',
  'redeemCoupon',
  'redeemSubscriptionCoupon',
  'removeCouponRedemption',
  'releaseFeature',
  'reportCatalogChanges',
  'resendEInvoice',
  'resendNotificationDelivery',
  'searchCustomFieldsAlias',
  'searchCustomFieldsByTypeNameAlias',
  'setTestClockTime',
  'updateCoupon',
  'updateTestClockTime',
  'updateUserTenants',
  'uploadCatalogXmlOriginal',
  'uploadSeller',
  'voidUsageRecord',
  'waitForQueuesToComplete',
  'writeLogInvoiceLogEntriesForAccount',
]);

/** Differences for one operation between the published clients and the route table. */
interface Published {
  /** Query parameters in the clients' order. Defaults to the parameters of the route. */
  readonly parameters?: readonly string[];
  /** Names of parameters that are optional in the clients but required in this server. */
  readonly optional?: readonly string[];
  /** Names of parameters that are required in the clients but optional in this server. */
  readonly required?: readonly string[];
  /** Names of parameters that clients send as plain text, such as lists separated by commas. */
  readonly texts?: readonly string[];
  /** Values of parameters in the clients. This server rejects some of these values. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  readonly defaults?: JsonSchema;
  readonly formats?: Readonly<Record<string, string>>;
  /** If true, the author headers are parameters of the client method. */
  readonly author?: true;
  /** Statuses that the clients know but this server never returns. */
  readonly unanswered?: readonly number[];
  /**
   * Result of the client method. Defaults to the body of the response. If there is no body, defaults to the resource at
   * `Location`.
   */
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
  generateDryRunInvoice: { parameters: ['accountId', 'targetDate', property], required: ['accountId'] },
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
  createTenant: { parameters: ['useGlobalDefault'] },
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

export function publishedDifferences(operationId: string): Published {
  return operations[operationId] ?? {};
}

// These details of the Kill Bill 0.24 client models are not in the server's models.

/** Client names of models. */
export const modelNames: Readonly<Record<string, string>> = {
  RefundedInvoiceItem: 'InvoiceItem',
  SubscriptionEvent: 'EventSubscription',
};

/** Properties of dialect K that the published clients do not know. */
export const unpublishedProperties: Readonly<Record<string, readonly string[]>> = {
  Invoice: ['formattedNumber'],
  InvoiceDryRun: ['subscriptiontId', 'quantity'],
  UserRoles: ['tenants', 'currentPassword'],
};

const text = { type: 'string' };
const dateTime = { type: 'string', format: 'date-time' };
const auditLogs = {
  type: 'array',
  items: { $ref: '#/components/schemas/AuditLog' },
  description: 'Not supported: ignored in requests, absent from responses',
};

/** Properties that have a different type in the clients, and properties that this server does not use. */
export const publishedProperties: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> = {
  AdminPayment: { lastSuccessPaymentState: text, currentPaymentStateName: text, transactionStatus: text },
  AuditLog: { changeType: text, userToken: text, history: { $ref: '#/components/schemas/Entity' } },
  ComboHostedPaymentPage: { auditLogs },
  ComboPaymentTransaction: { auditLogs },
  PaymentAttempt: { stateName: text },
  Phase: { type: text },
  PluginInfo: { state: text },
  Product: { type: text },
  Session: { timeout: { type: 'integer', format: 'int64' } },
  Usage: { billingPeriod: text },
  UsageRecord: { recordDate: dateTime },
};

/** Models of clients only. */
export const publishedModels: Readonly<Record<string, JsonSchema>> = {
  Entity: {
    type: 'object',
    description: 'An object after a change, with further properties that depend on its type',
    properties: {
      id: { type: 'string', format: 'uuid', description: 'Always null' },
      createdDate: { ...dateTime, description: 'When the change was made' },
      updatedDate: { ...dateTime, description: 'When the change was made' },
    },
  },
};

/** Properties that the client classes require, both in requests and in responses. */
export const requiredProperties: Readonly<Record<string, readonly string[]>> = {
  AccountEmail: ['email'],
  BulkSubscriptionsBundle: ['baseEntitlementAndAddOns'],
  Bundle: ['accountId'],
  CustomField: ['name', 'value'],
  InvoiceItem: ['accountId', 'invoiceItemId'],
  RoleDefinition: ['permissions', 'role'],
  Subscription: ['billingPeriod', 'planName', 'priceList', 'productName'],
  SubscriptionUsageRecord: ['subscriptionId', 'unitUsageRecords'],
  TagDefinition: ['description', 'name'],
  Tenant: ['apiKey', 'apiSecret'],
  UserRoles: ['password', 'roles', 'username'],
};

const payer = ['account', 'paymentMethod'] as const;

/** Order of the properties in the client constructors. Defaults to the order of this server. */
export const propertyOrders: Readonly<Record<string, readonly string[]>> = {
  Account: [
    ...['accountId', 'name', 'firstNameLength', 'externalKey', 'email', 'billCycleDayLocal', 'currency'],
    ...['parentAccountId', 'isPaymentDelegatedToParent', 'paymentMethodId', 'referenceTime', 'timeZone'],
    ...['address1', 'address2', 'postalCode', 'company', 'city', 'state', 'country', 'locale', 'phone'],
    ...['notes', 'isMigrated', 'accountBalance', 'accountCBA', 'auditLogs'],
  ],
  ComboHostedPaymentPage: [...payer, 'hostedPaymentPageFields', 'paymentMethodPluginProperties'],
  ComboPaymentTransaction: [...payer, 'transaction', 'paymentMethodPluginProperties'],
  CustomField: ['customFieldId', 'objectId'],
  Invoice: [
    'amount',
    'currency',
    'status',
    'creditAdj',
    'refundAdj',
    'invoiceId',
    'invoiceDate',
    'targetDate',
    'invoiceNumber',
    'balance',
    'accountId',
  ],
  InvoicePaymentTransaction: [
    ...['transactionId', 'transactionExternalKey', 'paymentId', 'paymentExternalKey', 'transactionType'],
    ...['amount', 'currency', 'effectiveDate', 'processedAmount', 'processedCurrency', 'status'],
    ...['gatewayErrorCode', 'gatewayErrorMsg', 'firstPaymentReferenceId', 'secondPaymentReferenceId'],
    ...['properties', 'isAdjusted', 'adjustments', 'auditLogs'],
  ],
  Subscription: [
    ...['accountId', 'bundleId', 'bundleExternalKey', 'subscriptionId', 'externalKey', 'startDate'],
    ...['productName', 'productCategory', 'billingPeriod', 'phaseType', 'priceList', 'planName', 'state'],
    ...['sourceType', 'cancelledDate', 'chargedThroughDate', 'billingStartDate', 'billingEndDate'],
    ...['billCycleDayLocal', 'quantity', 'events', 'priceOverrides', 'prices'],
  ],
  SubscriptionEvent: [
    ...['eventId', 'billingPeriod', 'effectiveDate', 'catalogEffectiveDate', 'plan', 'product', 'priceList'],
    ...['eventType', 'isBlockedBilling', 'isBlockedEntitlement', 'serviceName', 'serviceStateName', 'phase'],
  ],
  Tier: ['limits', 'fixedPrice', 'recurringPrice'],
};
