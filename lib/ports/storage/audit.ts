import type { AuditEntry, AuditRow } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export interface AuditReads {
  /** Changes of these records in write order, in one statement. */
  findByTargets(targetIds: readonly Uuid[]): Promise<readonly AuditEntry[]>;
  /** The same, with the records as they were after each change, in a constant number of statements. */
  findHistories(targetIds: readonly Uuid[]): Promise<readonly AuditRow[]>;
}

/** A value as it is stored; an instant is in milliseconds since the epoch, as a number or its digits. */
export type ExportedValue = string | number | boolean | null;

export interface ExportedColumn {
  readonly name: string;
  readonly isInstant: boolean;
}

/** A table with the rows of one account, without their history. */
export interface ExportedTable {
  /** Without prefix. */
  readonly name: string;
  readonly columns: readonly ExportedColumn[];
  /** The rows of the account in record-id order, in batches. */
  rows(): AsyncIterable<readonly (readonly ExportedValue[])[]>;
}

/** Everything that is stored about one account, however much it is. */
export interface ExportReads {
  /** Every table that can hold rows of the account; they are read when its `rows` are asked for. */
  tablesOfAccount(accountRecordId: number): readonly ExportedTable[];
  /** The account's audit rows in write order, in batches; if a table is named, only those of that audited table. */
  auditOfAccount(accountRecordId: number, tableName?: string): AsyncIterable<readonly AuditRow[]>;
  /** The same in the form of lists of changes. */
  auditEntriesOfAccount(accountRecordId: number): AsyncIterable<readonly AuditEntry[]>;
}
