import { enumeration, f, type RecordOf } from '../values/fields/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

export const ChangeType = enumeration('INSERT', 'UPDATE', 'DELETE');
export type ChangeType = keyof typeof ChangeType;

/** A change to an audited record (accounts §14). */
export const auditEntryFields = {
  recordId: f.recordId,
  id: f.id(),
  /** Table of the changed record, in upper case and without its prefix, such as ACCOUNT. */
  tableName: f.text(),
  targetId: f.id(),
  targetRecordId: f.bigint(),
  accountRecordId: f.orNull(f.bigint()),
  changeType: f.oneOf(ChangeType),
  changeDate: f.instant(),
  changedBy: f.text(),
  reasonCode: f.orNull(f.text()),
  comments: f.orNull(f.text()),
  userToken: f.id(),
};
export interface AuditEntry extends RecordOf<typeof auditEntryFields> {}

/** A change with the record after it. */
export const auditRowFields = {
  ...auditEntryFields,
  /**
   * The record after the change, with the columns of accounts §14.1. The value is null for records without history.
   */
  snapshot: f.orNull(f.json<Readonly<Record<string, unknown>>>()),
};
export interface AuditRow extends RecordOf<typeof auditRowFields> {}

/**
 * The author and the time in the audit rows of a write. In a batch of due work, each account uses the user token of the
 * call that caused its work.
 */
export interface Authorship {
  readonly userName: string;
  readonly reasonCode: string | null;
  readonly comments: string | null;
  readonly createdDate: Instant;
  userTokenOf(accountRecordId: number | null): Uuid;
}
