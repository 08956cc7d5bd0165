import { auditedTable } from '../../../lib/audit/index.ts';
import { type AuditEntry, type AuditRow, ChangeType, ObjectType } from '../../../lib/records/index.ts';
import { formatInstant } from '../../../lib/values/time/index.ts';
import { field, model } from '../wire/model.ts';
import { enumeration, text, timestamp, uuid } from '../wire/scalars.ts';
import { anyValue, listOf } from '../wire/wire-type.ts';

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

/** Audit rows without their history, which only the endpoints for it show (accounts §14 rule 2). */
export function auditLogsJson(rows: readonly AuditEntry[] | undefined) {
  return (rows ?? []).flatMap((row) => auditLogJson(row, null));
}

/** Audit rows with the record as it was after each (accounts §14.1). */
export function auditHistoryJson(rows: readonly AuditRow[], tenantRecordId: number) {
  return rows.flatMap((row) => auditLogJson(row, historyOf(row, tenantRecordId)));
}

/** None where the record is no object of the interface: clients know no type for it. */
function auditLogJson(row: AuditEntry, history: Readonly<Record<string, unknown>> | null) {
  const { objectType } = auditedTable(row.tableName);
  if (objectType === null) return [];
  const entry = {
    changeType: row.changeType,
    changeDate: formatInstant(row.changeDate),
    objectType,
    objectId: row.targetId,
    changedBy: row.changedBy,
    reasonCode: row.reasonCode,
    comments: row.comments,
    userToken: row.userToken,
    history,
  };
  return [entry];
}

/** Null for records of which no history is kept. */
function historyOf(row: AuditRow, tenantRecordId: number): Readonly<Record<string, unknown>> | null {
  const { tableName, historyTableName } = auditedTable(row.tableName);
  if (row.snapshot === null || historyTableName === null) return null;
  const changeDate = formatInstant(row.changeDate);
  return {
    id: null,
    createdDate: changeDate,
    updatedDate: changeDate,
    recordId: row.targetRecordId,
    accountRecordId: row.accountRecordId,
    tenantRecordId,
    ...row.snapshot,
    tableName,
    historyTableName,
  };
}
