import { ObjectType } from '../records/index.ts';
import { assertInvariant } from '../values/errors/index.ts';

/** How the objects of a type are named in audit rows and their history (accounts §14.1). */
export interface AuditedTable {
  /** Null: entries of the catalog, which are no objects of the interface. */
  readonly objectType: ObjectType | null;
  readonly tableName: string;
  /** Null: the audit points to the record itself, which has no history (accounts §14 rule 1). */
  readonly historyTableName: string | null;
}

const tables: readonly AuditedTable[] = [
  named(ObjectType.ACCOUNT, 'ACCOUNT', 'ACCOUNT_HISTORY'),
  named(ObjectType.ACCOUNT_EMAIL, 'ACCOUNT_EMAIL', 'ACCOUNT_EMAIL_HISTORY'),
  named(ObjectType.BLOCKING_STATES, 'BLOCKING_STATES', 'BLOCKING_STATE_HISTORY'),
  named(ObjectType.BUNDLE, 'BUNDLES', 'BUNDLE_HISTORY'),
  named(ObjectType.SUBSCRIPTION, 'SUBSCRIPTIONS', 'SUBSCRIPTION_HISTORY'),
  named(ObjectType.SUBSCRIPTION_EVENT, 'SUBSCRIPTION_EVENTS', 'SUBSCRIPTION_EVENT_HISTORY'),
  named(ObjectType.INVOICE, 'INVOICES', 'INVOICE_HISTORY'),
  named(ObjectType.INVOICE_ITEM, 'INVOICE_ITEMS', 'INVOICE_ITEM_HISTORY'),
  named(ObjectType.INVOICE_PAYMENT, 'INVOICE_PAYMENTS', 'INVOICE_PAYMENT_HISTORY'),
  named(ObjectType.PAYMENT, 'PAYMENTS', 'PAYMENT_HISTORY'),
  named(ObjectType.TRANSACTION, 'PAYMENT_TRANSACTIONS', 'PAYMENT_TRANSACTION_HISTORY'),
  named(ObjectType.PAYMENT_ATTEMPT, 'PAYMENT_ATTEMPTS', 'PAYMENT_ATTEMPT_HISTORY'),
  named(ObjectType.PAYMENT_METHOD, 'PAYMENT_METHODS', 'PAYMENT_METHOD_HISTORY'),
  named(ObjectType.CUSTOM_FIELD, 'CUSTOM_FIELD', 'CUSTOM_FIELD_HISTORY'),
  named(ObjectType.TAG, 'TAG', 'TAG_HISTORY'),
  named(ObjectType.TAG_DEFINITION, 'TAG_DEFINITIONS', 'TAG_DEFINITION_HISTORY'),
  named(null, 'CATALOG_ENTRIES', 'CATALOG_ENTRY_HISTORY'),
  named(null, 'CATALOG_PLAN_ROWS', 'CATALOG_PLAN_ROW_HISTORY'),
  named(ObjectType.TENANT, 'TENANT', null),
  named(ObjectType.TENANT_KVS, 'TENANT_KVS', null),
];

function named(
  objectType: ObjectType | null,
  tableName: string,
  historyTableName: string | null,
): AuditedTable {
  return { objectType, tableName, historyTableName };
}

const byTable = new Map(tables.map((table) => [table.tableName, table]));
const byType = new Map(tables.map((table) => [table.objectType, table]));

/** The entry of the table that an audit row names. */
export function auditedTable(tableName: string): AuditedTable {
  const table = byTable.get(tableName);
  assertInvariant(table, `No audited table is called ${tableName}`);
  return table;
}

/** The entry of the objects of a type. */
export function auditedTableOf(objectType: ObjectType): AuditedTable {
  const table = byType.get(objectType);
  assertInvariant(table, `Objects of type ${objectType} are not audited`);
  return table;
}
