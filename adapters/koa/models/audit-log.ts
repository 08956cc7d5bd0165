import { type AuditRow, ChangeType } from '../../../lib/ports/storage/index.ts';
import { formatInstant } from '../../../lib/time/index.ts';
import { field, model } from '../wire/model.ts';
import { enumeration, text, timestamp, uuid } from '../wire/scalars.ts';
import { anyValue, listOf } from '../wire/wire-type.ts';

/** Kinds of objects that audit, tags and fields speak of (json-models.md §1). */
export const ObjectType = {
  ACCOUNT: 'ACCOUNT',
  ACCOUNT_EMAIL: 'ACCOUNT_EMAIL',
  BLOCKING_STATES: 'BLOCKING_STATES',
  BUNDLE: 'BUNDLE',
  CUSTOM_FIELD: 'CUSTOM_FIELD',
  INVOICE: 'INVOICE',
  PAYMENT: 'PAYMENT',
  TRANSACTION: 'TRANSACTION',
  INVOICE_ITEM: 'INVOICE_ITEM',
  INVOICE_PAYMENT: 'INVOICE_PAYMENT',
  SUBSCRIPTION: 'SUBSCRIPTION',
  SUBSCRIPTION_EVENT: 'SUBSCRIPTION_EVENT',
  SERVICE_BROADCAST: 'SERVICE_BROADCAST',
  PAYMENT_ATTEMPT: 'PAYMENT_ATTEMPT',
  PAYMENT_METHOD: 'PAYMENT_METHOD',
  TAG: 'TAG',
  TAG_DEFINITION: 'TAG_DEFINITION',
  TENANT: 'TENANT',
  TENANT_KVS: 'TENANT_KVS',
} as const;
export type ObjectType = (typeof ObjectType)[keyof typeof ObjectType];

/** Tables whose name is not that of their object type (accounts.md §14.1). */
const objectTypeOfTable: Readonly<Record<string, ObjectType>> = {
  BUNDLES: ObjectType.BUNDLE,
  SUBSCRIPTIONS: ObjectType.SUBSCRIPTION,
  SUBSCRIPTION_EVENTS: ObjectType.SUBSCRIPTION_EVENT,
  INVOICES: ObjectType.INVOICE,
  INVOICE_ITEMS: ObjectType.INVOICE_ITEM,
  INVOICE_PAYMENTS: ObjectType.INVOICE_PAYMENT,
  PAYMENTS: ObjectType.PAYMENT,
  PAYMENT_TRANSACTIONS: ObjectType.TRANSACTION,
  PAYMENT_ATTEMPTS: ObjectType.PAYMENT_ATTEMPT,
  PAYMENT_METHODS: ObjectType.PAYMENT_METHOD,
  TAG_DEFINITIONS: ObjectType.TAG_DEFINITION,
};

export const AuditLog = model('AuditLog', {
  changeType: field(enumeration(ChangeType), 'R'),
  changeDate: field(timestamp, 'R'),
  objectType: field(enumeration(ObjectType), 'R'),
  objectId: field(uuid, 'R'),
  changedBy: field(text(), 'R'),
  reasonCode: field(text(), 'R', { nullable: true }),
  comments: field(text(), 'R', { nullable: true }),
  userToken: field(uuid, 'R'),
  history: field(anyValue, 'R', { nullable: true }),
});

/** The last field of every audited model. */
export const auditLogs = field(listOf(AuditLog), 'R');

/** Audit rows without their history, which only the endpoints for it show (accounts.md §14 rule 2). */
export function auditLogsJson(rows: readonly AuditRow[] | undefined) {
  return (rows ?? []).map((row) => ({
    changeType: row.changeType,
    changeDate: formatInstant(row.changeDate),
    objectType: objectTypeOfTable[row.tableName] ?? row.tableName,
    objectId: row.targetId,
    changedBy: row.changedBy,
    reasonCode: row.reasonCode,
    comments: row.comments,
    userToken: row.userToken,
    history: null,
  }));
}
