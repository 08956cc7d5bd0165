import type { JsonSchema } from '../../wire/json-schema.ts';

// Facts of the models that the clients of Kill Bill 0.24 were made from, where the models of the server do not tell them.

/** Names of models that those clients know under another one. */
export const modelNames: Readonly<Record<string, string>> = {
  RefundedInvoiceItem: 'InvoiceItem',
  SubscriptionEvent: 'EventSubscription',
};

/** Properties that models have besides in dialect K, and that those clients do not know. */
export const unpublishedProperties: Readonly<Record<string, readonly string[]>> = {
  Invoice: ['formattedNumber'],
  InvoiceDryRun: ['subscriptiontId'],
  UserRoles: ['tenants', 'currentPassword'],
};

const text = { type: 'string' };
const dateTime = { type: 'string', format: 'date-time' };
const auditLogs = {
  type: 'array',
  items: { $ref: '#/components/schemas/AuditLog' },
  description: 'Neither read nor sent',
};

/** Properties that have another type there, or are only there: this server neither reads nor sends those. */
export const publishedProperties: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> = {
  AdminPayment: {
    lastSuccessPaymentState: text,
    currentPaymentStateName: text,
    transactionStatus: text,
  },
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

/** Models that are only there. */
export const publishedModels: Readonly<Record<string, JsonSchema>> = {
  Entity: {
    type: 'object',
    description: 'An object as it was after a change; there is more in it, by its type',
    properties: {
      id: { type: 'string', format: 'uuid', description: 'Always null' },
      createdDate: { ...dateTime, description: 'When the change was made' },
      updatedDate: { ...dateTime, description: 'When the change was made' },
    },
  },
};

/**
 * Properties that the classes of those clients cannot be without, in requests and answers alike; of other models, none. This
 * server can be asked for a subscription with a part of them.
 */
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

/** Properties in their order, which is that of constructors; of other models, that of the server's. */
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
  ].concat(['invoiceNumber', 'balance', 'accountId']),
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
