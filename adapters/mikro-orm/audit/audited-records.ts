import {
  accountEmailFields,
  accountFields,
  blockingStateFields,
  bundleFields,
  catalogEntryFields,
  couponFields,
  customFieldFields,
  featureOverrideFields,
  invoiceFields,
  invoiceItemFields,
  invoicePaymentFields,
  LifecycleEventType,
  lifecycleEventFields,
  type New,
  paymentAttemptFields,
  paymentFields,
  paymentMethodFields,
  paymentTransactionFields,
  planRowFields,
  redemptionFields,
  subscriptionFields,
  tagDefinitionFields,
  tagFields,
} from '../../../lib/records/index.ts';
import type { FieldKind, Fields, RecordOf } from '../../../lib/values/fields/index.ts';
import type { DatedInstant, Instant, LocalDate } from '../../../lib/values/time/index.ts';
import { writeDay, writeInstant } from '../sql/columns.ts';
import { accountEmailsTable, accountsTable } from '../tables/accounts.ts';
import { catalogEntriesTable, planRowsTable } from '../tables/catalogs.ts';
import { couponsTable, redemptionsTable } from '../tables/coupons.ts';
import { featureOverridesTable } from '../tables/features.ts';
import { invoiceItemsTable, invoicesTable } from '../tables/invoices.ts';
import {
  invoicePaymentsTable,
  paymentAttemptsTable,
  paymentMethodsTable,
  paymentsTable,
  paymentTransactionsTable,
} from '../tables/payments.ts';
import type { RecordTable } from '../tables/record-table.ts';
import {
  blockingStatesTable,
  bundlesTable,
  lifecycleEventsTable,
  subscriptionsTable,
} from '../tables/subscriptions.ts';
import { customFieldsTable, tagDefinitionsTable, tagsTable } from '../tables/tags.ts';

/** An audited table: its name in audit rows, and the history columns of its records (accounts §14.1). */
export interface AuditedTable<R extends object> {
  readonly table: RecordTable<R>;
  readonly tableName: string;
  snapshot(record: R): Readonly<Record<string, unknown>>;
}

/** Columns that audit rows store separately. */
const identity = ['recordId', 'id', 'accountRecordId', 'createdDate', 'updatedDate'];

type Write = (value: unknown) => unknown;

/**
 * Functions that write history values. Dates and instants are in the format of the API. Decimals are exact numbers, as
 * in the API.
 */
const writers: Partial<Readonly<Record<FieldKind, Write>>> = {
  instant: (value) => writeInstant(value as Instant),
  date: (value) => writeDay(value as LocalDate),
  dated: (value) => writeInstant((value as DatedInstant).at),
};
const asIs: Write = (value) => value;

/**
 * Derives the history columns of a record from its description.
 * @param more Columns that are not fields of the record.
 */
function defineAuditedTable<F extends Fields, R extends New<RecordOf<F>> = New<RecordOf<F>>>(
  [tableName, table]: readonly [tableName: string, table: RecordTable<R>],
  fields: F,
  more?: (record: R) => Readonly<Record<string, unknown>>,
): AuditedTable<R> {
  const columns = Object.entries(fields)
    .filter(([name, { audit }]) => audit !== null && !identity.includes(name))
    .map(([name, { audit, kind }]) => ({ column: audit ?? name, name, write: writers[kind] ?? asIs }));
  // This template is copied as a whole, as in `RecordTable`.
  const shape = Object.fromEntries(columns.map(({ column }) => [column, null]));
  return {
    table,
    tableName,
    snapshot(record) {
      const snapshot: Record<string, unknown> = { ...shape };
      for (const { column, name, write } of columns) {
        const value = record[name as keyof R];
        if (value !== null) snapshot[column] = write(value);
      }
      return more === undefined ? snapshot : Object.assign(snapshot, more(record));
    },
  };
}

export const accountAudit = defineAuditedTable(['ACCOUNT', accountsTable], accountFields);
export const accountEmailAudit = defineAuditedTable(
  ['ACCOUNT_EMAIL', accountEmailsTable],
  accountEmailFields,
);
export const catalogEntryAudit = defineAuditedTable(
  ['CATALOG_ENTRIES', catalogEntriesTable],
  catalogEntryFields,
);
export const planRowAudit = defineAuditedTable(['CATALOG_PLAN_ROWS', planRowsTable], planRowFields);
export const bundleAudit = defineAuditedTable(['BUNDLES', bundlesTable], bundleFields, (bundle) => ({
  externalKey: bundle.retiredKey ?? bundle.externalKey,
  lastSysUpdateDate: bundle.updatedDate === null ? null : writeInstant(bundle.updatedDate),
}));
export const subscriptionAudit = defineAuditedTable(
  ['SUBSCRIPTIONS', subscriptionsTable],
  subscriptionFields,
);

/**
 * Event types that appear in the audit log under their own type. All other events come from a call, and their
 * `userType` is the user token of that call.
 */
const eventTypesWithoutCall: readonly LifecycleEventType[] = [
  LifecycleEventType.PHASE,
  LifecycleEventType.EXPIRED,
  LifecycleEventType.BCD_CHANGE,
  LifecycleEventType.QUANTITY_CHANGE,
];

export const lifecycleEventAudit = defineAuditedTable(
  ['SUBSCRIPTION_EVENTS', lifecycleEventsTable],
  lifecycleEventFields,
  ({ type }) => {
    const fromCall = !eventTypesWithoutCall.includes(type);
    return { eventType: fromCall ? 'API_USER' : type, userType: fromCall ? type : null };
  },
);
export const blockingStateAudit = defineAuditedTable(
  ['BLOCKING_STATES', blockingStatesTable],
  blockingStateFields,
);
export const invoiceAudit = defineAuditedTable(['INVOICES', invoicesTable], invoiceFields);
export const invoiceItemAudit = defineAuditedTable(['INVOICE_ITEMS', invoiceItemsTable], invoiceItemFields);
export const invoicePaymentAudit = defineAuditedTable(
  ['INVOICE_PAYMENTS', invoicePaymentsTable],
  invoicePaymentFields,
);
export const paymentAudit = defineAuditedTable(
  ['PAYMENTS', paymentsTable],
  paymentFields,
  ({ paymentNumber }) => ({
    paymentNumber: String(paymentNumber),
  }),
);
export const transactionAudit = defineAuditedTable(
  ['PAYMENT_TRANSACTIONS', paymentTransactionsTable],
  paymentTransactionFields,
);
export const attemptAudit = defineAuditedTable(
  ['PAYMENT_ATTEMPTS', paymentAttemptsTable],
  paymentAttemptFields,
  ({ pluginNames }) => ({ pluginName: pluginNames.join(',') }),
);
export const paymentMethodAudit = defineAuditedTable(
  ['PAYMENT_METHODS', paymentMethodsTable],
  paymentMethodFields,
);
export const tagDefinitionAudit = defineAuditedTable(
  ['TAG_DEFINITIONS', tagDefinitionsTable],
  tagDefinitionFields,
  ({ applicableObjectTypes }) => ({ applicableObjectTypes: applicableObjectTypes.join(',') }),
);
export const tagAudit = defineAuditedTable(['TAG', tagsTable], tagFields);
export const customFieldAudit = defineAuditedTable(['CUSTOM_FIELD', customFieldsTable], customFieldFields);
export const couponAudit = defineAuditedTable(['COUPONS', couponsTable], couponFields);
export const redemptionAudit = defineAuditedTable(['COUPON_REDEMPTIONS', redemptionsTable], redemptionFields);
export const featureOverrideAudit = defineAuditedTable(
  ['FEATURE_OVERRIDES', featureOverridesTable],
  featureOverrideFields,
);
