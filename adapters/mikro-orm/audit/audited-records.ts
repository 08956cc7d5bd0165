import {
  accountEmailFields,
  accountFields,
  blockingStateFields,
  bundleFields,
  catalogEntryFields,
  customFieldFields,
  invoiceFields,
  invoiceItemFields,
  invoicePaymentFields,
  type LifecycleEvent,
  LifecycleEventType,
  lifecycleEventFields,
  type New,
  type Payment,
  type PaymentAttempt,
  paymentAttemptFields,
  paymentFields,
  paymentMethodFields,
  paymentTransactionFields,
  planRowFields,
  subscriptionFields,
  tagDefinitionFields,
  tagFields,
  type UserTagDefinition,
} from '../../../lib/records/index.ts';
import type { FieldKind, Fields, RecordOf } from '../../../lib/values/fields/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { DatedInstant, Instant, LocalDate } from '../../../lib/values/time/index.ts';
import { writeDay, writeInstant } from '../sql/columns.ts';
import type { StoredBundle } from '../tables/subscriptions.ts';

/** How a kind of record appears in the audit: its table's name and its history columns (accounts §14.1). */
export interface AuditedRecord<R> {
  readonly tableName: string;
  snapshot(record: R): Readonly<Record<string, unknown>>;
}

export type Identified = { readonly id: Uuid };

/** Every audit row has these in columns of its own. */
const identity = ['recordId', 'id', 'accountRecordId', 'createdDate', 'updatedDate'];

type Write = (value: unknown) => unknown;

/** Dates and instants in their wire form, all else as it is, decimals as exact numbers: what the API shows. */
const writers: Partial<Readonly<Record<FieldKind, Write>>> = {
  instant: (value) => writeInstant(value as Instant),
  date: (value) => writeDay(value as LocalDate),
  dated: (value) => writeInstant((value as DatedInstant).at),
};
const asIs: Write = (value) => value;

/**
 * The history columns of a described record, by the names of the description.
 * @param more columns that are not a field of the record.
 */
function audited<F extends Fields, R extends New<RecordOf<F>> = New<RecordOf<F>>>(
  tableName: string,
  fields: F,
  more?: (record: R) => Readonly<Record<string, unknown>>,
): AuditedRecord<R> {
  const columns = Object.entries(fields)
    .filter(([name, { audit }]) => audit !== null && !identity.includes(name))
    .map(([name, { audit, kind }]) => ({ column: audit ?? name, name, write: writers[kind] ?? asIs }));
  // A copy of it has all members, as `RecordTable` explains.
  const shape = Object.fromEntries(columns.map(({ column }) => [column, null]));
  return {
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

export const accountAudit = audited('ACCOUNT', accountFields);
export const accountEmailAudit = audited('ACCOUNT_EMAIL', accountEmailFields);
export const catalogEntryAudit = audited('CATALOG_ENTRIES', catalogEntryFields);
export const planRowAudit = audited('CATALOG_PLAN_ROWS', planRowFields);
export const bundleAudit = audited('BUNDLES', bundleFields, (bundle: StoredBundle) => ({
  externalKey: bundle.retiredKey ?? bundle.externalKey,
  lastSysUpdateDate: bundle.updatedDate === null ? null : writeInstant(bundle.updatedDate),
}));
export const subscriptionAudit = audited('SUBSCRIPTIONS', subscriptionFields);

/** Events of these types carry their own type; all others come from a call and carry it as `userType`. */
const eventTypesWithoutCall: readonly LifecycleEventType[] = [
  LifecycleEventType.PHASE,
  LifecycleEventType.EXPIRED,
  LifecycleEventType.BCD_CHANGE,
  LifecycleEventType.QUANTITY_CHANGE,
];

export const lifecycleEventAudit = audited(
  'SUBSCRIPTION_EVENTS',
  lifecycleEventFields,
  ({ type }: New<LifecycleEvent>) => {
    const fromCall = !eventTypesWithoutCall.includes(type);
    return { eventType: fromCall ? 'API_USER' : type, userType: fromCall ? type : null };
  },
);
export const blockingStateAudit = audited('BLOCKING_STATES', blockingStateFields);
export const invoiceAudit = audited('INVOICES', invoiceFields);
export const invoiceItemAudit = audited('INVOICE_ITEMS', invoiceItemFields);
export const invoicePaymentAudit = audited('INVOICE_PAYMENTS', invoicePaymentFields);
export const paymentAudit = audited('PAYMENTS', paymentFields, ({ paymentNumber }: New<Payment>) => ({
  paymentNumber: String(paymentNumber),
}));
export const transactionAudit = audited('PAYMENT_TRANSACTIONS', paymentTransactionFields);
export const attemptAudit = audited(
  'PAYMENT_ATTEMPTS',
  paymentAttemptFields,
  ({ pluginNames }: New<PaymentAttempt>) => ({ pluginName: pluginNames.join(',') }),
);
export const paymentMethodAudit = audited('PAYMENT_METHODS', paymentMethodFields);
export const tagDefinitionAudit = audited(
  'TAG_DEFINITIONS',
  tagDefinitionFields,
  ({ applicableObjectTypes }: New<UserTagDefinition>) => ({
    applicableObjectTypes: applicableObjectTypes.join(','),
  }),
);
export const tagAudit = audited('TAG', tagFields);
export const customFieldAudit = audited('CUSTOM_FIELD', customFieldFields);
