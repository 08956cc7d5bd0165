import { auditedTable } from '../../../lib/audit/index.ts';
import {
  type AuditEntry,
  type AuditRow,
  accountFields,
  ChangeType,
  CustomFieldObjectType,
  invoiceFields,
  invoiceItemFields,
  ObjectType,
} from '../../../lib/records/index.ts';
import type { Fields } from '../../../lib/values/fields/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { formatInstant } from '../../../lib/values/time/index.ts';
import { Dialect } from '../dialect.ts';
import { derivedField, maybe, model } from '../wire/model.ts';
import { enumeration, text, timestamp, uuid } from '../wire/scalars.ts';
import { anyValue, listOf, type Rendering } from '../wire/wire-type.ts';

export const AuditLog = model('AuditLog', {
  changeType: enumeration(ChangeType),
  changeDate: timestamp,
  objectType: derivedField(enumeration(ObjectType), objectTypeOf),
  objectId: derivedField(uuid, ({ targetId }: AuditEntry) => targetId),
  changedBy: text(),
  reasonCode: maybe(text()),
  comments: maybe(text()),
  userToken: uuid,
  history: maybe(anyValue, (row: Partial<WithHistory>) => row.history ?? null),
});

interface WithHistory {
  readonly history: Readonly<Record<string, unknown>> | null;
}

function objectTypeOf(row: AuditEntry): ObjectType | null {
  return auditedTable(row.tableName).objectType;
}

/**
 * Returns the last field of each audited model. It contains the audit rows of the record with this id, without history.
 */
export function auditLogsOf<K extends string, R extends Readonly<Record<K, Uuid>>>(
  idName: K,
  isStored: (record: R) => boolean = () => true,
) {
  return derivedField(listOf(AuditLog), (record: R, { audit }: Rendering) =>
    isStored(record) ? shownRows(audit.get(record[idName])) : [],
  );
}

export const auditLogs = auditLogsOf('id');

/** Returns the rows that have an object type, because clients cannot read rows without one. */
function shownRows<R extends AuditEntry>(rows: readonly R[] = []): readonly R[] {
  return rows.filter((row) => objectTypeOf(row) !== null);
}

/** Returns an audit log without history. The history has its own endpoints (accounts §14 rule 2). */
export function auditLogsJson(rows: readonly AuditEntry[], rendering: Rendering) {
  return shownRows(rows).map((row) => AuditLog.write(row, rendering));
}

/** Returns an audit log that shows the record after each change (accounts §14.1). */
export function auditHistoryJson(rows: readonly AuditRow[], tenantRecordId: number, rendering: Rendering) {
  return shownRows(rows.filter((row) => rendering.dialect === Dialect.D || !isFieldOfCoupon(row))).map(
    (row) => AuditLog.write({ ...row, history: historyOf(row, tenantRecordId, rendering) }, rendering),
  );
}

/** Returns true for a custom field of a coupon. Dialect K does not have coupons, so it omits such fields. */
function isFieldOfCoupon({ tableName, snapshot }: AuditRow): boolean {
  return tableName === 'CUSTOM_FIELD' && snapshot?.objectType === CustomFieldObjectType.COUPON;
}

/** History columns that Kill Bill does not have, by table. Dialect K omits them. */
const oursByTable: Readonly<Record<string, readonly string[]>> = {
  ACCOUNT: oursOf(accountFields),
  INVOICES: oursOf(invoiceFields),
  INVOICE_ITEMS: oursOf(invoiceItemFields),
};

function oursOf(fields: Fields): readonly string[] {
  const ours = Object.entries(fields).filter(([, { isOurs }]) => isOurs);
  return ours.map(([name, { audit }]) => audit ?? name);
}

function columnsIn(dialect: Dialect, { tableName, snapshot }: AuditRow) {
  const ours = dialect === Dialect.K ? oursByTable[tableName] : undefined;
  if (snapshot === null || ours === undefined) return snapshot;
  const shownColumns = Object.fromEntries(
    Object.entries(snapshot).filter(([column]) => !ours.includes(column)),
  );
  return hasBilledQuantity(tableName, snapshot) ? { ...shownColumns, quantity: null } : shownColumns;
}

/**
 * Returns true if the item has a quantity that Kill Bill shows. Kill Bill shows no quantity for items created by runs
 * (invoicing §1.3).
 */
function hasBilledQuantity(tableName: string, { type }: Readonly<Record<string, unknown>>): boolean {
  return tableName === 'INVOICE_ITEMS' && (type === 'RECURRING' || type === 'FIXED');
}

/** Returns the history of an audit row, or null if its record has no history. */
function historyOf(
  row: AuditRow,
  tenantRecordId: number,
  { dialect }: Rendering,
): Readonly<Record<string, unknown>> | null {
  const { tableName, historyTableName } = auditedTable(row.tableName);
  const columns = columnsIn(dialect, row);
  if (columns === null || historyTableName === null) return null;
  const changeDate = formatInstant(row.changeDate);
  return {
    id: null,
    createdDate: changeDate,
    updatedDate: changeDate,
    recordId: row.targetRecordId,
    accountRecordId: row.accountRecordId,
    tenantRecordId,
    ...columns,
    tableName,
    historyTableName,
  };
}
