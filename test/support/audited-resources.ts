export interface AuditedResource {
  /** Path below the core prefix. */
  readonly path: string;
  readonly objectType: string;
  readonly tableName: string;
  readonly historyTableName: string;
  /** Members of `history` that not all resources have. Includes `isActive` if the resource has it. */
  readonly columns: readonly string[];
  /** Members of `history` in dialect D only. */
  readonly columnsOnlyInD: readonly string[];
}

type Line = readonly [path: string, objectType: string, tables: string, columns: string];

const lines: readonly Line[] = [
  [
    '/accounts/{accountId}',
    'ACCOUNT',
    'ACCOUNT / ACCOUNT_HISTORY',
    'externalKey, email, name, firstNameLength, currency, parentAccountId, isPaymentDelegatedToParent, billingCycleDayLocal, paymentMethodId, referenceTime, timeZone, locale, address1, address2, companyName, city, stateOrProvince, country, postalCode, phone, notes, migrated; legalName, taxId',
  ],
  [
    '/accounts/{accountId}/emails/{accountEmailId}',
    'ACCOUNT_EMAIL',
    'ACCOUNT_EMAIL / ACCOUNT_EMAIL_HISTORY',
    'accountId, email, isActive',
  ],
  [
    '/accounts/block/{blockingId}',
    'BLOCKING_STATES',
    'BLOCKING_STATES / BLOCKING_STATE_HISTORY',
    'blockableId, type, state, service, blockChange, blockEntitlement, blockBilling, effectiveDate, isActive',
  ],
  [
    '/bundles/{bundleId}',
    'BUNDLE',
    'BUNDLES / BUNDLE_HISTORY',
    'externalKey, accountId, lastSysUpdateDate, originalCreatedDate',
  ],
  [
    '/subscriptions/{subscriptionId}',
    'SUBSCRIPTION',
    'SUBSCRIPTIONS / SUBSCRIPTION_HISTORY',
    'bundleId, externalKey, category, startDate, bundleStartDate, chargedThroughDate, migrated',
  ],
  [
    '/subscriptions/events/{eventId}',
    'SUBSCRIPTION_EVENT',
    'SUBSCRIPTION_EVENTS / SUBSCRIPTION_EVENT_HISTORY',
    'totalOrdering, eventType, userType, effectiveDate, subscriptionId, planName, phaseName, priceListName, billingCycleDayLocal, quantity, isActive',
  ],
  [
    '/invoices/{invoiceId}',
    'INVOICE',
    'INVOICES / INVOICE_HISTORY',
    'accountId, invoiceNumber, invoiceDate, targetDate, currency, status, migrated, isParentInvoice, grpId; note',
  ],
  [
    '/invoiceItems/{invoiceItemId}',
    'INVOICE_ITEM',
    'INVOICE_ITEMS / INVOICE_ITEM_HISTORY',
    'type, invoiceId, accountId, childAccountId, bundleId, subscriptionId, description, productName, planName, phaseName, usageName, startDate, endDate, amount, rate, currency, linkedItemId, quantity, itemDetails, catalogEffectiveDate; taxRate, taxCategory, taxExemption, listRate, discounts',
  ],
  [
    '/invoicePayments/{invoicePaymentId}',
    'INVOICE_PAYMENT',
    'INVOICE_PAYMENTS / INVOICE_PAYMENT_HISTORY',
    'type, invoiceId, paymentId, paymentDate, amount, currency, processedCurrency, paymentCookieId, linkedInvoicePaymentId, status',
  ],
  [
    '/payments/{paymentId}',
    'PAYMENT',
    'PAYMENTS / PAYMENT_HISTORY',
    'accountId, paymentNumber, paymentMethodId, externalKey, stateName, lastSuccessStateName',
  ],
  [
    '/paymentTransactions/{transactionId}',
    'TRANSACTION',
    'PAYMENT_TRANSACTIONS / PAYMENT_TRANSACTION_HISTORY',
    'attemptId, paymentId, transactionExternalKey, transactionType, effectiveDate, transactionStatus, amount, currency, processedAmount, processedCurrency, gatewayErrorCode, gatewayErrorMsg',
  ],
  [
    '/payments/attempts/{paymentAttemptId}',
    'PAYMENT_ATTEMPT',
    'PAYMENT_ATTEMPTS / PAYMENT_ATTEMPT_HISTORY',
    'accountId, paymentMethodId, paymentExternalKey, transactionId, transactionExternalKey, transactionType, stateName, amount, currency, pluginName',
  ],
  [
    '/paymentMethods/{paymentMethodId}',
    'PAYMENT_METHOD',
    'PAYMENT_METHODS / PAYMENT_METHOD_HISTORY',
    'externalKey, accountId, pluginName, isActive',
  ],
  [
    '/customFields/{customFieldId}',
    'CUSTOM_FIELD',
    'CUSTOM_FIELD / CUSTOM_FIELD_HISTORY',
    'fieldName, fieldValue, objectId, objectType, isActive',
  ],
  ['/tags/{tagId}', 'TAG', 'TAG / TAG_HISTORY', 'tagDefinitionId, objectId, objectType, isActive'],
  [
    '/tagDefinitions/{tagDefinitionId}',
    'TAG_DEFINITION',
    'TAG_DEFINITIONS / TAG_DEFINITION_HISTORY',
    'name, applicableObjectTypes, description, isActive',
  ],
];

export const auditedResources: readonly AuditedResource[] = lines.map(
  ([path, objectType, tables, columns]) => {
    const [tableName = '', historyTableName = ''] = tables.split(' / ');
    const [inBoth, onlyInD] = columns.split('; ').map((part) => part.split(', '));
    return {
      path,
      objectType,
      tableName,
      historyTableName,
      columns: inBoth ?? [],
      columnsOnlyInD: onlyInD ?? [],
    };
  },
);
