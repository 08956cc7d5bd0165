import type { UsageSubmission } from '../../../lib/records/index.ts';
import type { Decimal } from '../../../lib/values/money/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import type { Cell, Column, ColumnType } from './columns.ts';
import type { Statements } from './connection.ts';
import type { Sql, SqlWriter } from './sql.ts';

/** Which unique index or which columns a statement has violated; drivers name one of the two. */
export type UniqueViolation =
  | { readonly index: string }
  | { readonly table: string; readonly columns: readonly string[] };

/** What an error of the database means here. */
export type DatabaseFailure =
  | { readonly kind: 'unique'; readonly violation: UniqueViolation }
  /** Serialisation failure, deadlock or busy database: the transaction can be run again. */
  | { readonly kind: 'retry' }
  | { readonly kind: 'lock-timeout' }
  /** The transaction has already failed; the database does nothing more in it. */
  | { readonly kind: 'aborted' }
  /** A full disk or another exhausted resource: nothing can be written; reads go on. */
  | { readonly kind: 'no-room' }
  /** The database cannot be reached, or does not answer. */
  | { readonly kind: 'away' }
  | { readonly kind: 'other' };

/** The cells of a queue entry in the order of the table's written columns. */
export interface EncodedEntry {
  readonly cells: readonly Cell[];
  readonly live: boolean;
  /** The tenant, if the outside is told of it; null = it is not. */
  readonly toldOf: number | null;
}

/** The database type of each kind of column. */
export type DatabaseTypes = Readonly<Record<ColumnType, string>>;

/** What differs between the schemas of the two databases. */
export interface SchemaDialect {
  readonly types: DatabaseTypes;
  /** Indexes that only this database has. */
  readonly ownIndexes: readonly {
    readonly table: string;
    readonly name: string;
    /** The statement that makes it. */
    readonly expression: string;
  }[];
  /**
   * Condition on the rows of a table that a transaction reaches, by the tenant's column; null if the database keeps none
   * back.
   */
  readonly reachable: ((column: string) => string) | null;
}

/** Everything in which the two databases differ, with the same members for both. */
export interface Dialect extends SchemaDialect {
  readonly kind: 'sqlite' | 'postgresql';
  readonly writer: SqlWriter;
  /** The select list of all columns of a table, with what makes a column readable. */
  selectList(table: { readonly columns: readonly Column[] }, alias?: string): string;
  failureOf(error: unknown): DatabaseFailure;
  /** Makes the transaction that has just begun a writing one, or null if that is not needed. */
  readonly takeWriteLock: Sql | null;
  /** Puts a limit on waits for row locks in this transaction, or null where rows have no locks. */
  lockTimeout(waitMs: number): Sql | null;
  /** Suffix that locks the selected rows against other writers. */
  readonly forUpdate: string;
  readonly forUpdateSkipLocked: string;
  /** Suffix that keeps the selected rows from being changed; several transactions may hold it. */
  readonly forShare: string;
  /** Suffix that keeps the selected rows from being deleted: locks of `forUpdate` do not wait for it, only `forDeletion`. */
  readonly forKeyShare: string;
  /** Suffix that locks the selected rows against all others, holders of `forKeyShare` included. */
  readonly forDeletion: string;
  /**
   * Serialises claims of queue entries over all nodes and prepares the transaction for one; null if writers are serial
   * anyway.
   */
  readonly claimLock: Sql | null;
  /** Wakes other nodes after the commit, or null where there are none. */
  notify(payload: string): Sql | null;
  /** Condition that a column of numbers is one of those that a text holds as a JSON array. */
  isInJson(column: string, text: string): string;
  /**
   * Makes `bw_account_texts` hold, to the end of the transaction, the accounts whose folded text is like the pattern; null
   * where no index finds them and there is no such table.
   */
  readonly seekAccountText: ((pattern: string) => Sql) | null;
  /**
   * Gives the role that is connected as `role` where row-level security does not bind it in every one of these tables; null
   * where the database has none.
   */
  readonly unboundRole: ((tables: readonly string[]) => Sql) | null;
  /** Follows `bw_accounts` where all texts of a tenant are read: names the narrow index to read instead of the rows. */
  readonly alongAccountTexts: Sql;
  /** Follows the name of a table: the index that SQLite is to read; nothing where statistics tell. */
  along(index: string): Sql;
  /** Condition that a decimal column is above zero. */
  isPositive(column: string): string;
  /** Condition that a decimal column compares so with a decimal, written out. */
  comparesWith(column: string, comparison: '<' | '<=' | '>' | '>=', value: string): Sql;
  /** Gives as `identity` what tells our database from any other that a host could mean; null if it is in memory. */
  readonly identity: Sql;
  /** The database's own time in milliseconds since the epoch. */
  readonly nowMs: Sql;
  hasTable(statements: Statements, table: string): Promise<boolean>;
  /** A JSON array column with one more text in it. */
  appended(column: string, text: string): Sql;
  /**
   * Inserts queue entries, numbered in this order: those that are AVAILABLE among the live ones (a live entry with the
   * same unique key wins), those that are PROCESSED straight into the history. If the outside is told of one of them, its
   * transaction holds back `toldUpTo` of the tenant, whose all such entries are, until it ends.
   */
  insertEntries(statements: Statements, entries: readonly EncodedEntry[]): Promise<void>;
  /** The record id that was given last to a queue entry; 0 = none was. */
  readonly lastEntry: Sql;
  /**
   * The record id up to which all entries that the outside is told of, of a tenant or of all (null), are visible to whoever
   * begins to read afterwards: what is stored later has a greater one.
   */
  toldUpTo(statements: Statements, tenantRecordId: number | null): Promise<number>;
  /** Moves the live queue entries of `condition` into the history with this outcome; returns how many. */
  moveEntries(statements: Statements, condition: Sql, outcome: string): Promise<number>;
  /** The exact sum, greatest or least of a decimal column over the rows of a group, to be read by `decimalOf`. */
  aggregate(of: 'sum' | 'max' | 'min', column: string): string;
  /** What `aggregate` has found; null of no rows. */
  decimalOf(aggregated: unknown): Decimal | null;
  /** The list of these columns over the rows of a group, as JSON, in the order of the first one. */
  listOf(columns: readonly [string, ...string[]]): string;
  /** What a cross join takes: the elements of such a list, each as `value` of the alias. */
  elementsOf(column: string, alias: string): string;
  /** Stores those submissions whose tracking ids are free, and says which are not. */
  storeUsage(statements: Statements, chunk: UsageChunk): Promise<readonly RefusedUsage[]>;
  /** Whether `storeUsage` needs no transaction, since all that it stores is stored by one statement. */
  readonly storesUsageAtOnce: boolean;
}

/** Submissions to be stored together, or not at all where the database fails. */
export interface UsageChunk {
  readonly tenantRecordId: number;
  readonly createdBy: string;
  readonly createdDate: Instant;
  /** At least one; by subscription and tracking id, of which no two are the same. */
  readonly submissions: readonly UsageSubmission[];
}

/** A submission that was not stored, since its tracking id is taken. */
export interface RefusedUsage {
  /** Of the submission in its chunk. */
  readonly index: number;
  /** Of the submission that has the tracking id. */
  readonly fingerprint: string;
}
