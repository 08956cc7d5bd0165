import type { UsageSubmission } from '../../../lib/records/index.ts';
import type { Decimal } from '../../../lib/values/money/index.ts';
import type { Cell, Column, ColumnType } from './columns.ts';
import type { Statements } from './connection.ts';
import type { Sql, SqlWriter } from './sql.ts';

/** The violated unique index or its columns, depending on what the driver reports. */
export type UniqueViolation =
  | { readonly index: string }
  | { readonly table: string; readonly columns: readonly string[] };

/** The meaning of a database error. */
export type DatabaseFailure =
  | { readonly kind: 'unique'; readonly violation: UniqueViolation }
  /** Serialization failure, deadlock or busy database. The transaction can be run again. */
  | { readonly kind: 'retry' }
  | { readonly kind: 'lock-timeout' }
  /** The transaction has failed and accepts no more statements. */
  | { readonly kind: 'aborted' }
  /** The disk is full or another resource is exhausted. Only reads work. */
  | { readonly kind: 'no-room' }
  /** The tenant is being moved to another cell, or has left this one (cells §3.2). */
  | { readonly kind: 'moving' }
  /** The database is unreachable or does not respond. */
  | { readonly kind: 'away' }
  | { readonly kind: 'other' };

/** The cells of a queue entry, in the order of the table's written columns. */
export interface EncodedEntry {
  readonly cells: readonly Cell[];
  readonly live: boolean;
  /** The tenant of a published event, otherwise null. */
  readonly announcedTenant: number | null;
}

export type DatabaseTypes = Readonly<Record<ColumnType, string>>;

/** The schema differences between the two databases. */
export interface SchemaDialect {
  readonly types: DatabaseTypes;
  readonly ownIndexes: readonly {
    readonly table: string;
    readonly name: string;
    readonly expression: string;
  }[];
  /**
   * Returns the condition for the rows that the transaction may access. `column` contains the tenant. The function is
   * null if the database has no row-level security.
   */
  readonly reachable: ((column: string) => string) | null;
}

/** The SQL that differs between SQLite and PostgreSQL. */
export interface Dialect extends SchemaDialect {
  readonly kind: 'sqlite' | 'postgresql';
  readonly writer: SqlWriter;
  /** Returns the select list for all columns, with the conversions for reading. */
  selectList(table: { readonly columns: readonly Column[] }, alias?: string): string;
  failureOf(error: unknown): DatabaseFailure;
  /**
   * Statement that makes a new transaction a write transaction, or null if the database does not need such a statement.
   */
  readonly takeWriteLock: Sql | null;
  /**
   * Returns the statement that limits the wait for row locks in this transaction, or null if the database has no row
   * locks.
   */
  lockTimeout(waitMs: number): Sql | null;
  /** Suffix that locks the selected rows against other writers. */
  readonly forUpdate: string;
  readonly forUpdateSkipLocked: string;
  /**
   * Suffix that protects the selected rows against changes. Several transactions can hold this lock at the same time.
   */
  readonly forShare: string;
  /**
   * Suffix that protects the selected rows against deletion. `forDeletion` waits for this lock; `forUpdate` does not.
   */
  readonly forKeyShare: string;
  /** Suffix that locks the selected rows against all other transactions, including those with `forKeyShare` locks. */
  readonly forDeletion: string;
  /**
   * Statement that serializes claims of queue entries across nodes and prepares the transaction, or null if the
   * database has only one writer at a time.
   */
  readonly claimLock: Sql | null;
  /** Returns the statement that wakes other nodes after the commit, or null if the database has only one node. */
  notify(payload: string): Sql | null;
  /**
   * Returns a condition, starting with `and`, for the tenants whose due work this cell performs. It excludes tenants
   * that belong to another cell or are being moved there (cells §3.2). Returns an empty string for a database without
   * cells.
   */
  ofWorkingTenants(column: string): Sql;
  /** Returns the condition that a number column is equal to a number in a JSON array. */
  isInJson(column: string, text: string): string;
  /**
   * Limits `bw_account_texts` to the matching accounts until the transaction ends. The function is null if the
   * database does not have this table.
   */
  readonly seekAccountText: ((pattern: string) => Sql) | null;
  /**
   * Returns the connected role as `role` if it bypasses row-level security. The function is null if the database does
   * not support row-level security.
   */
  readonly unboundRole: ((tables: readonly string[]) => Sql) | null;
  /**
   * Text to add after `bw_accounts` in scans of all texts of a tenant. It names the narrow index, which is read in
   * place of the rows.
   */
  readonly alongAccountTexts: Sql;
  /**
   * Text to add after a table name, with the index that SQLite must use. The text is empty if the database chooses
   * the index from its statistics.
   */
  along(index: string): Sql;
  /** Returns the condition that a column is equal to one of the selected ids. The selection runs only once. */
  isSelected(column: string, selection: Sql): Sql;
  isPositive(column: string): string;
  /** Returns the condition that compares a decimal column with a decimal text. */
  comparesWith(column: string, comparison: '<' | '<=' | '>' | '>=', value: string): Sql;
  /**
   * Selects the identity of the engine's database as `identity`, to compare it with that of the host's database.
   * `identity` is null for an in-memory database.
   */
  readonly identity: Sql;
  /** SQL for the current time of the database, in milliseconds since the epoch. */
  readonly nowMs: Sql;
  hasTable(statements: Statements, table: string): Promise<boolean>;
  /** Appends a string to a JSON array column. */
  appended(column: string, text: string): Sql;
  /**
   * Inserts queue entries with ascending record ids. AVAILABLE entries go into the live table, unless it has an entry
   * with the same unique key. PROCESSED entries go into the history. If an entry is published, `feedHorizon` of the
   * tenant does not advance until the transaction ends.
   */
  insertEntries(statements: Statements, entries: readonly EncodedEntry[]): Promise<void>;
  /** SQL for the last record id of a queue entry, or 0 if none exist. */
  readonly lastEntry: Sql;
  /**
   * Returns the record id up to which later reads will see all published entries of a tenant. A null tenant means all
   * tenants.
   */
  feedHorizon(statements: Statements, tenantRecordId: number | null): Promise<number>;
  /**
   * Moves the live queue entries that satisfy `condition` into the history, with this outcome. Returns their number.
   */
  moveEntries(statements: Statements, condition: Sql, outcome: string): Promise<number>;
  /**
   * Returns SQL for the exact sum, maximum or minimum of a decimal column in a group. Read its result with `decimalOf`.
   */
  aggregate(of: 'sum' | 'max' | 'min', column: string): string;
  /** Returns the decimal that `aggregate` computed, or null if there were no rows. */
  decimalOf(aggregated: unknown): Decimal | null;
  /** Returns SQL for a JSON list of the values of these columns in a group, sorted by the first column. */
  listOf(columns: readonly [string, ...string[]]): string;
  /**
   * Returns SQL for a cross join with the elements of a list from `listOf`. The column `value` of the join contains the
   * element.
   */
  elementsOf(column: string, alias: string): string;
  /** Stores the submissions whose tracking ids are unused. Returns the other submissions. */
  storeUsage(statements: Statements, chunk: UsageChunk): Promise<readonly RefusedUsage[]>;
  /** True if `storeUsage` is a single statement, which needs no transaction. */
  readonly storesUsageAtOnce: boolean;
}

/** Submissions that are stored in one transaction. There is at least one. */
export interface UsageChunk {
  readonly tenantRecordId: number;
  /** The submissions, sorted by subscription and tracking id. There is at least one, and there are no duplicates. */
  readonly submissions: readonly UsageSubmission[];
}

export interface RefusedUsage {
  readonly index: number;
  readonly fingerprint: string;
}
