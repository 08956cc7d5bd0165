import {
  bigint,
  enumeration,
  id,
  instant,
  json,
  oneOf,
  orNull,
  type RecordOf,
  recordId,
  text,
} from '../values/fields/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

export const ChangeType = enumeration('INSERT', 'UPDATE', 'DELETE');
export type ChangeType = keyof typeof ChangeType;

/** A change of an audited record (accounts §14). */
export const auditEntryFields = {
  recordId,
  id: id(),
  /** Table of the changed record without prefix, upper case, for example ACCOUNT. */
  tableName: text(),
  targetId: id(),
  targetRecordId: bigint(),
  accountRecordId: orNull(bigint()),
  changeType: oneOf(ChangeType),
  changeDate: instant(),
  changedBy: text(),
  reasonCode: orNull(text()),
  comments: orNull(text()),
  userToken: id(),
};
export interface AuditEntry extends RecordOf<typeof auditEntryFields> {}

/** A change with the record after it. */
export const auditRowFields = {
  ...auditEntryFields,
  /** The columns of accounts §14.1; null for records without history. */
  snapshot: orNull(json<Readonly<Record<string, unknown>>>()),
};
export interface AuditRow extends RecordOf<typeof auditRowFields> {}

/** Author and time of the audit rows of a write. In a batch of due work each account has the token of its own call. */
export interface Authorship {
  readonly userName: string;
  readonly reasonCode: string | null;
  readonly comments: string | null;
  readonly createdDate: Instant;
  userTokenOf(accountRecordId: number | null): Uuid;
}
