import type { AuditEntry, AuditRow } from '../../records/index.ts';

/** A value as it is stored; an instant is in milliseconds since the epoch, as a number or its digits. */
export type ExportedValue = string | number | boolean | null;

export interface ExportedColumn {
  readonly name: string;
  readonly isInstant: boolean;
}

/** A table with what it holds of one account, its history aside. */
export interface ExportedTable {
  /** Without prefix. */
  readonly name: string;
  readonly columns: readonly ExportedColumn[];
  /** The rows of the account in record-id order, in batches. */
  rows(): AsyncIterable<readonly (readonly ExportedValue[])[]>;
}

/** Everything that is kept of one account, however much it is. */
export interface ExportReads {
  /** Every table that can hold rows of the account; what it holds is read when its rows are asked for. */
  tablesOfAccount(accountRecordId: number): readonly ExportedTable[];
  /** The account's audit rows in write order, in batches; those of one audited table where it is named. */
  auditOfAccount(accountRecordId: number, tableName?: string): AsyncIterable<readonly AuditRow[]>;
  /** The same as lists of changes show them. */
  auditEntriesOfAccount(accountRecordId: number): AsyncIterable<readonly AuditEntry[]>;
}
