import type { AuditEntry, AuditRow, Rows } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export interface AuditReads {
  /** Returns the changes to the given records in write order. Executes one statement. */
  findByTargets(targetIds: readonly Uuid[]): Rows<AuditEntry>;
  /**
   * Returns the changes to the given records. Each change includes the record after the change. Executes a constant
   * number of statements.
   */
  findHistories(targetIds: readonly Uuid[]): Rows<AuditRow>;
}

/** A stored value. An instant is stored as milliseconds since the epoch, either as a number or as text. */
export type ExportedValue = string | number | boolean | null;

export interface ExportedColumn {
  readonly name: string;
  readonly isInstant: boolean;
}

/** A table with the rows of one account, without their history. */
export interface ExportedTable {
  readonly name: string;
  readonly columns: readonly ExportedColumn[];
  /** Returns the rows of the account in record-id order, in batches. */
  rows(): AsyncIterable<readonly (readonly ExportedValue[])[]>;
}

export interface ExportReads {
  /** Returns all tables that can contain rows of the account. Their rows are read on demand. */
  tablesOfAccount(accountRecordId: number): readonly ExportedTable[];
  /** Returns the account's audit rows in batches, in write order. The result can be limited to one audited table. */
  auditOfAccount(accountRecordId: number, tableName?: string): AsyncIterable<readonly AuditRow[]>;
  auditEntriesOfAccount(accountRecordId: number): AsyncIterable<readonly AuditEntry[]>;
}
