import type { Uuid } from '../../ids/index.ts';
import type { Instant } from '../../time/index.ts';

export const ChangeType = { INSERT: 'INSERT', UPDATE: 'UPDATE', DELETE: 'DELETE' } as const;
export type ChangeType = (typeof ChangeType)[keyof typeof ChangeType];

/** One change of one audited record (accounts.md §14), with the record as it was after the change. */
export interface AuditRow {
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
  /** The columns of accounts.md §14.1; null for records without history. */
  readonly snapshot: Readonly<Record<string, unknown>> | null;
}

export interface AuditReads {
  /** Rows of these records in write order. */
  findByTargets(targetIds: readonly Uuid[]): Promise<readonly AuditRow[]>;
  /** Rows of the account and of all that belongs to it, in write order. */
  findByAccount(accountRecordId: number): Promise<readonly AuditRow[]>;
}
