import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

export const ChangeType = { INSERT: 'INSERT', UPDATE: 'UPDATE', DELETE: 'DELETE' } as const;
export type ChangeType = (typeof ChangeType)[keyof typeof ChangeType];

/** One change of one audited record (accounts §14). */
export interface AuditEntry {
  readonly recordId: number;
  readonly id: Uuid;
  /** Table of the changed record without prefix, upper case, for example ACCOUNT. */
  readonly tableName: string;
  readonly targetId: Uuid;
  readonly targetRecordId: number;
  readonly accountRecordId: number | null;
  readonly changeType: ChangeType;
  readonly changeDate: Instant;
  readonly changedBy: string;
  readonly reasonCode: string | null;
  readonly comments: string | null;
  readonly userToken: Uuid;
}

/** A change, and the record as it was afterwards. */
export interface AuditRow extends AuditEntry {
  /** The columns of accounts §14.1; null for records without history. */
  readonly snapshot: Readonly<Record<string, unknown>> | null;
}

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
