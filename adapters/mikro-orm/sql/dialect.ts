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
  /** Serialization failure, deadlock or busy database. The transaction can be repeated. */
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
  /** Returns the condition for accessible rows by the column with the tenant; null without row-level security. */
  readonly reachable: ((column: string) => string) | null;
}

/** The SQL that differs between SQLite and PostgreSQL. */
export interface Dialect extends SchemaDialect {
  readonly kind: 'sqlite' | 'postgresql';
  readonly writer: SqlWriter;
  /** Returns the select list for all columns, with the conversions for reading. */
  selectList(table: { readonly columns: readonly Column[] }, alias?: string): string;
  failureOf(error: unknown): DatabaseFailure;
  /** Makes a new transaction a write transaction; null if the database does not need the statement. */
  readonly takeWriteLock: Sql | null;
  /** Limits waits for row locks in this transaction; null if the database has no row locks. */
  lockTimeout(waitMs: number): Sql | null;
  /** Suffix that locks the selected rows against other writers. */
  readonly forUpdate: string;
  readonly forUpdateSkipLocked: string;
  /** Suffix that prevents changes to the selected rows. Several transactions can hold this lock at the same time. */
  readonly forShare: string;
  /**
   * Suffix that prevents the deletion of the selected rows. `forDeletion` waits for this lock, `forUpdate` does not.
   */
  readonly forKeyShare: string;
  /** Suffix that locks the selected rows against all other transactions, including holders of `forKeyShare`. */
  readonly forDeletion: string;
  /**
   * Serializes claims of queue entries across nodes and prepares the transaction. Null if the database has serial
   * writers.
   */
  readonly claimLock: Sql | null;
  /** Wakes other nodes after the commit. Null for a database with a single node. */
  notify(payload: string): Sql | null;
  /**
   * Returns a condition, starting with `and`, on the tenants for which this cell does due work: all except tenants that
   * another cell works for or takes over (cells §3.2). Empty for a database without cells.
   */
  ofWorkingTenants(column: string): Sql;
  /** Returns the condition that a number column has one of the numbers in a JSON array. */
  isInJson(column: string, text: string): string;
  /** Limits `bw_account_texts` to matching accounts until the transaction ends. Null without that table. */
  readonly seekAccountText: ((pattern: string) => Sql) | null;
  /**
   * Returns the connected role as `role` if row-level security does not bind the role. Null without row-level
   * security.
   */
  readonly unboundRole: ((tables: readonly string[]) => Sql) | null;
  /**
   * Text that follows `bw_accounts` in scans of all texts of a tenant. It names the narrow index, which is read
   * instead of the rows.
   */
  readonly alongAccountTexts: Sql;
  /**
   * Text that follows a table name and names the index that SQLite must use. Empty if statistics determine the index.
   */
  along(index: string): Sql;
  /** Returns the condition that a column has one of the selected ids. The selection runs once. */
  isSelected(column: string, selection: Sql): Sql;
  isPositive(column: string): string;
  /** Returns the condition that compares a decimal column with a decimal text. */
  comparesWith(column: string, comparison: '<' | '<=' | '>' | '>=', value: string): Sql;
  /**
   * Selects the identity of the engine's database as `identity`, for comparison with the host's. Null for a database
   * in memory.
   */
  readonly identity: Sql;
  /** The database's own time, in milliseconds since the epoch. */
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
  /** The last record id of a queue entry; 0 for an empty queue. */
  readonly lastEntry: Sql;
  /** Returns the record id up to which later reads see all published entries of a tenant, or of all tenants (null). */
  feedHorizon(statements: Statements, tenantRecordId: number | null): Promise<number>;
  /** Moves the live queue entries that meet `condition` into the history with this outcome. Returns their number. */
  moveEntries(statements: Statements, condition: Sql, outcome: string): Promise<number>;
  /**
   * Returns the exact sum, maximum or minimum of a decimal column in a group. Read the result with
   * `decimalOf`.
   */
  aggregate(of: 'sum' | 'max' | 'min', column: string): string;
  /** Returns the value of `aggregate`, or null if there are no rows. */
  decimalOf(aggregated: unknown): Decimal | null;
  /** Returns the values of these columns in a group as a JSON list, sorted by the first column. */
  listOf(columns: readonly [string, ...string[]]): string;
  /** Returns SQL for a cross join with a list from `listOf`. The column `value` of the alias contains the elements. */
  elementsOf(column: string, alias: string): string;
  /** Stores the submissions whose tracking ids are free and returns the others. */
  storeUsage(statements: Statements, chunk: UsageChunk): Promise<readonly RefusedUsage[]>;
  /** True if `storeUsage` is a single statement, which needs no transaction. */
  readonly storesUsageAtOnce: boolean;
}

/** Submissions that are stored together or not at all. There is at least one. */
export interface UsageChunk {
  readonly tenantRecordId: number;
  /** The submissions, at least one, sorted by subscription and tracking id without duplicates. */
  readonly submissions: readonly UsageSubmission[];
}

export interface RefusedUsage {
  readonly index: number;
  readonly fingerprint: string;
}
