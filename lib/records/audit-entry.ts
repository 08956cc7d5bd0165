import {
  bigint,
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

export const ChangeType = { INSERT: 'INSERT', UPDATE: 'UPDATE', DELETE: 'DELETE' } as const;
export type ChangeType = (typeof ChangeType)[keyof typeof ChangeType];

/** One change of one audited record (accounts §14). */
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

/** A change, and the record as it was afterwards. */
export const auditRowFields = {
  ...auditEntryFields,
  /** The columns of accounts §14.1; null for records without history. */
  snapshot: orNull(json<Readonly<Record<string, unknown>>>()),
};
export interface AuditRow extends RecordOf<typeof auditRowFields> {}

/**
 * Who is named in the audit rows of a write. One write may serve many accounts at once (a batch of due work), each with
 * the token of the call that caused its work; hence a function.
 */
export interface Authorship {
  readonly userName: string;
  readonly reasonCode: string | null;
  readonly comments: string | null;
  readonly createdDate: Instant;
  userTokenOf(accountRecordId: number | null): Uuid;
}
