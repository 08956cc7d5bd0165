import type {
  Account,
  AccountEmail,
  CatalogEntry,
  CustomField,
  Invoice,
  InvoiceItem,
  InvoicePayment,
  New,
  Payment,
  PaymentAttempt,
  PaymentMethod,
  PaymentTransaction,
  PlanRow,
  Tag,
  UserTagDefinition,
} from '../../../lib/records/index.ts';
import {
  type BlockingState,
  type LifecycleEvent,
  LifecycleEventType,
  type Subscription,
} from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Instant, LocalDate } from '../../../lib/values/time/index.ts';
import { writeDay, writeInstant } from '../sql/remembered-dates.ts';
import type { StoredBundle } from '../tables/subscriptions.ts';

/** How a kind of record appears in the audit: its table's name and its history columns (accounts §14.1). */
export interface AuditedRecord<R> {
  readonly tableName: string;
  snapshot(record: R): Readonly<Record<string, unknown>>;
}

/** Instants and dates in their wire form, decimals as exact numbers: a snapshot is what the API shows. */
const at = (instant: Instant | null): string | null => (instant === null ? null : writeInstant(instant));
const day = (date: LocalDate | null): string | null => (date === null ? null : writeDay(date));

export type Identified = { readonly id: Uuid };

export const accountAudit: AuditedRecord<New<Account>> = {
  tableName: 'ACCOUNT',
  snapshot: (account) => ({
    externalKey: account.externalKey,
    email: account.email,
    name: account.name,
    firstNameLength: account.firstNameLength,
    currency: account.currency,
    parentAccountId: account.parentAccountId,
    isPaymentDelegatedToParent: account.isPaymentDelegatedToParent,
    billingCycleDayLocal: account.billCycleDayLocal,
    paymentMethodId: account.paymentMethodId,
    referenceTime: at(account.referenceTime),
    timeZone: account.timeZone,
    locale: account.locale,
    address1: account.address1,
    address2: account.address2,
    companyName: account.company,
    city: account.city,
    stateOrProvince: account.state,
    country: account.country,
    postalCode: account.postalCode,
    phone: account.phone,
    notes: account.notes,
    migrated: account.isMigrated,
  }),
};

export const accountEmailAudit: AuditedRecord<New<AccountEmail>> = {
  tableName: 'ACCOUNT_EMAIL',
  snapshot: (email) => ({ accountId: email.accountId, email: email.email, isActive: email.isActive }),
};

export const catalogEntryAudit: AuditedRecord<New<CatalogEntry>> = {
  tableName: 'CATALOG_ENTRIES',
  snapshot: (entry) => ({
    kind: entry.kind,
    name: entry.name,
    accountId: entry.accountId,
    parentId: entry.parentId,
    product: entry.product,
    plan: entry.plan,
  }),
};

export const planRowAudit: AuditedRecord<New<PlanRow>> = {
  tableName: 'CATALOG_PLAN_ROWS',
  snapshot: (row) => ({
    planName: row.planName,
    effectiveDate: at(row.effectiveDate),
    createdOrder: row.createdOrder,
    effectiveDateForExistingSubscriptions: at(row.effectiveDateForExistingSubscriptions),
    retired: row.retired,
    phases: row.phases,
  }),
};

export const bundleAudit: AuditedRecord<StoredBundle> = {
  tableName: 'BUNDLES',
  snapshot: (bundle) => ({
    externalKey: bundle.retiredKey ?? bundle.externalKey,
    accountId: bundle.accountId,
    lastSysUpdateDate: at(bundle.updatedDate),
    originalCreatedDate: at(bundle.originalCreatedDate),
  }),
};

export const subscriptionAudit: AuditedRecord<New<Subscription>> = {
  tableName: 'SUBSCRIPTIONS',
  snapshot: (subscription) => ({
    bundleId: subscription.bundleId,
    externalKey: subscription.externalKey,
    category: subscription.category,
    startDate: at(subscription.alignStart.at),
    bundleStartDate: at(subscription.bundleStart.at),
    chargedThroughDate: at(subscription.chargedThrough?.at ?? null),
    migrated: subscription.migrated,
  }),
};

/** Events of these types carry their own type; all others come from a call and carry it as `userType`. */
const eventTypesWithoutCall: readonly LifecycleEventType[] = [
  LifecycleEventType.PHASE,
  LifecycleEventType.EXPIRED,
  LifecycleEventType.BCD_CHANGE,
  LifecycleEventType.QUANTITY_CHANGE,
];

export const lifecycleEventAudit: AuditedRecord<New<LifecycleEvent>> = {
  tableName: 'SUBSCRIPTION_EVENTS',
  snapshot: (event) => {
    const fromCall = !eventTypesWithoutCall.includes(event.type);
    return {
      totalOrdering: event.sequence,
      eventType: fromCall ? 'API_USER' : event.type,
      userType: fromCall ? event.type : null,
      effectiveDate: at(event.effective.at),
      subscriptionId: event.subscriptionId,
      planName: event.planName,
      phaseName: event.phaseName,
      priceListName: event.priceListName,
      billingCycleDayLocal: event.billCycleDay,
      quantity: event.quantity,
      isActive: event.isActive,
    };
  },
};

export const blockingStateAudit: AuditedRecord<New<BlockingState>> = {
  tableName: 'BLOCKING_STATES',
  snapshot: (state) => ({
    blockableId: state.blockedId,
    type: state.type,
    state: state.stateName,
    service: state.service,
    blockChange: state.isBlockChange,
    blockEntitlement: state.isBlockEntitlement,
    blockBilling: state.isBlockBilling,
    effectiveDate: at(state.effective.at),
    isActive: state.isActive,
  }),
};

export const invoiceAudit: AuditedRecord<New<Invoice>> = {
  tableName: 'INVOICES',
  snapshot: (invoice) => ({
    accountId: invoice.accountId,
    invoiceNumber: invoice.invoiceNumber,
    invoiceDate: day(invoice.invoiceDate),
    targetDate: day(invoice.targetDate),
    currency: invoice.currency,
    status: invoice.status,
    migrated: invoice.isMigration,
    isParentInvoice: invoice.isParentInvoice,
    grpId: invoice.groupId,
  }),
};

export const invoiceItemAudit: AuditedRecord<New<InvoiceItem>> = {
  tableName: 'INVOICE_ITEMS',
  snapshot: (item) => ({
    type: item.itemType,
    invoiceId: item.invoiceId,
    accountId: item.accountId,
    childAccountId: item.childAccountId,
    bundleId: item.bundleId,
    subscriptionId: item.subscriptionId,
    description: item.description,
    productName: item.productName,
    planName: item.planName,
    phaseName: item.phaseName,
    usageName: item.usageName,
    startDate: day(item.startDate),
    endDate: day(item.endDate),
    amount: item.amount,
    rate: item.rate,
    currency: item.currency,
    linkedItemId: item.linkedItemId,
    quantity: item.quantity,
    itemDetails: item.itemDetails,
    catalogEffectiveDate: at(item.catalogEffectiveDate),
  }),
};

export const invoicePaymentAudit: AuditedRecord<New<InvoicePayment>> = {
  tableName: 'INVOICE_PAYMENTS',
  snapshot: (row) => ({
    type: row.type,
    invoiceId: row.invoiceId,
    paymentId: row.paymentId,
    paymentDate: at(row.paymentDate),
    amount: row.amount,
    currency: row.currency,
    processedCurrency: row.processedCurrency,
    paymentCookieId: row.transactionExternalKey,
    linkedInvoicePaymentId: row.linkedInvoicePaymentId,
    status: row.status,
  }),
};

export const paymentAudit: AuditedRecord<New<Payment>> = {
  tableName: 'PAYMENTS',
  snapshot: (payment) => ({
    accountId: payment.accountId,
    paymentNumber: String(payment.paymentNumber),
    paymentMethodId: payment.paymentMethodId,
    externalKey: payment.externalKey,
    stateName: payment.stateName,
    lastSuccessStateName: payment.lastSuccessStateName,
  }),
};

export const transactionAudit: AuditedRecord<New<PaymentTransaction>> = {
  tableName: 'PAYMENT_TRANSACTIONS',
  snapshot: (transaction) => ({
    attemptId: transaction.attemptId,
    paymentId: transaction.paymentId,
    transactionExternalKey: transaction.externalKey,
    transactionType: transaction.transactionType,
    effectiveDate: at(transaction.effectiveDate),
    transactionStatus: transaction.status,
    amount: transaction.amount,
    currency: transaction.currency,
    processedAmount: transaction.processedAmount,
    processedCurrency: transaction.processedCurrency,
    gatewayErrorCode: transaction.gatewayErrorCode,
    gatewayErrorMsg: transaction.gatewayErrorMsg,
  }),
};

export const attemptAudit: AuditedRecord<New<PaymentAttempt>> = {
  tableName: 'PAYMENT_ATTEMPTS',
  snapshot: (attempt) => ({
    accountId: attempt.accountId,
    paymentMethodId: attempt.paymentMethodId,
    paymentExternalKey: attempt.paymentExternalKey,
    transactionId: attempt.transactionId,
    transactionExternalKey: attempt.transactionExternalKey,
    transactionType: attempt.transactionType,
    stateName: attempt.stateName,
    amount: attempt.amount,
    currency: attempt.currency,
    pluginName: attempt.pluginNames.join(','),
  }),
};

export const paymentMethodAudit: AuditedRecord<New<PaymentMethod>> = {
  tableName: 'PAYMENT_METHODS',
  snapshot: (method) => ({
    externalKey: method.externalKey,
    accountId: method.accountId,
    pluginName: method.pluginName,
    isActive: method.isActive,
  }),
};

export const tagDefinitionAudit: AuditedRecord<New<UserTagDefinition>> = {
  tableName: 'TAG_DEFINITIONS',
  snapshot: (definition) => ({
    name: definition.name,
    applicableObjectTypes: definition.applicableObjectTypes.join(','),
    description: definition.description,
    isActive: definition.isActive,
  }),
};

export const tagAudit: AuditedRecord<New<Tag>> = {
  tableName: 'TAG',
  snapshot: (tag) => ({
    tagDefinitionId: tag.tagDefinitionId,
    objectId: tag.objectId,
    objectType: tag.objectType,
    isActive: tag.isActive,
  }),
};

export const customFieldAudit: AuditedRecord<New<CustomField>> = {
  tableName: 'CUSTOM_FIELD',
  snapshot: (field) => ({
    fieldName: field.name,
    fieldValue: field.value,
    objectId: field.objectId,
    objectType: field.objectType,
    isActive: field.isActive,
  }),
};
