import type { Rows } from '../../records/index.ts';
import { enumeration } from '../../values/fields/index.ts';
import type { TakenMove } from './cells.ts';

/**
 * State of a tenant's fence in a cell (cells §3.2). A tenant that has never moved has no fence and works normally. Only
 * in the states OPEN, LEAVING and HOLDING are writes accepted.
 *
 * - OPEN: the tenant works normally. Its last move has ended.
 * - LEAVING: writes pass, and their rows are logged.
 * - HOLDING: like LEAVING, but due work and pushes wait.
 * - STOPPED: all writes are rejected, because the target is about to take over.
 * - ARRIVING: all writes are rejected, because the source still works.
 * - AWAY: the tenant has left the cell, and a constraint on every table rejects its rows. Its old rows are deleted.
 * - GONE: like AWAY, after the deletion.
 */
export const FenceState = enumeration('OPEN', 'LEAVING', 'HOLDING', 'STOPPED', 'ARRIVING', 'AWAY', 'GONE');
export type FenceState = keyof typeof FenceState;

/**
 * Rows of the tenant in a table. They are either the rows in a range of keys (null means no bound), or the rows with
 * the given keys. Keys are JSON text.
 */
export type MovedRows =
  | { readonly table: string; readonly after: string | null; readonly upTo: string | null }
  | { readonly table: string; readonly keys: readonly string[] };

/** The number and the checksum of rows. Rows with equal values have the same checksum in all cells. */
export interface RowDigest {
  readonly count: number;
  readonly checksum: string;
}

export interface RowChunk extends RowDigest {
  readonly after: string | null;
  readonly upTo: string | null;
}

/** Complete rows in the text format of the database, as one list per column. Null means that there are no rows. */
export type RowBatch = readonly string[] | null;

export interface LoggedRow {
  readonly recordId: number;
  readonly table: string;
  readonly key: string;
}

/** Record ids by sequence. */
export type LastRecordIds = Readonly<Record<string, number>>;

/**
 * A tenant in one of the two cells of its move (cells §3). Calls can be repeated. Calls that change something throw
 * BillingError BUSY (60018) after another process has taken over the move.
 */
export interface MovingTenant {
  /**
   * Takes over the fence from an earlier process and returns its state. If there is no fence yet, creates it in the
   * state `first`.
   */
  takeFence(first: 'OPEN' | 'GONE'): Promise<FenceState>;
  /**
   * Changes the state from OPEN to LEAVING for the source, or from AWAY or GONE to ARRIVING for the target. Keeps any
   * other state. Creates the triggers on every table after the transactions that are writing to that table have ended.
   * Requires `takeFence`.
   */
  raiseFence(state: 'LEAVING' | 'ARRIVING'): Promise<void>;
  /** Changes the state of the fence. Waits for all transactions that are writing rows of the tenant. */
  changeFence(from: readonly FenceState[], to: FenceState): Promise<void>;
  /**
   * Changes the fence from HOLDING to STOPPED. Ends the claims and leases of due work, and stores a position for the
   * tenant in every event sink of the cell.
   */
  stop(): Promise<void>;
  /** Returns the number of queue entries that are being processed and of leases for pushes. */
  countUnderWay(): Promise<number>;
  /**
   * Opens the fence. From now on, the cell accepts writes and performs due work. Does nothing if another process holds
   * the fence.
   */
  open(): Promise<void>;
  /** Removes the triggers and the log of a fence in the state OPEN or AWAY. The state AWAY becomes GONE. */
  removeFence(): Promise<void>;

  /**
   * Returns the next chunks of a table, sorted by key. There is always at least one chunk. The last chunk has no upper
   * bound, so that it includes all later rows of the other cell.
   */
  chunks(table: string, after: string | null): Rows<RowChunk>;
  /** Returns the digests of several selections of rows, in their order. */
  digests(selections: readonly MovedRows[]): Rows<RowDigest>;
  read(rows: MovedRows): Promise<RowBatch>;
  /**
   * Replaces rows of an ARRIVING tenant with the batch, in one transaction. Returns CONFLICT and changes nothing if
   * another row has a unique value of the batch.
   */
  replace(rows: MovedRows, batch: RowBatch): Promise<'REPLACED' | 'CONFLICT'>;

  /** Returns the first writes in the log. A row can occur several times. */
  logged(limit: number): Rows<LoggedRow>;
  /** Returns the keys of all logged rows of a table. */
  loggedKeys(table: string): Rows<string>;
  forgetLogged(recordIds: readonly number[]): Promise<void>;

  /** Returns the last record id of every sequence. */
  lastRecordIds(): Promise<LastRecordIds>;
  /** Raises all sequences that are below these record ids. New ids are above them and have the cell's remainder. */
  raiseRecordIds(floors: LastRecordIds, cellNumber: number): Promise<void>;

  /**
   * Changes the fence from STOPPED or ARRIVING to AWAY. Adds a constraint to every table that rejects rows of the
   * tenant.
   */
  leave(): Promise<void>;
  /**
   * Deletes up to `limit` rows of an AWAY tenant and returns their number. The tenant's row in the table of tenants is
   * kept.
   */
  deleteSome(table: string, limit: number): Promise<number>;
}

/** Moves of tenants between cells. Requires PostgreSQL. */
export interface TenantMoveStore {
  /** The tables with rows that a move copies. */
  readonly tables: readonly string[];
  /** Returns the states of the tenants' fences in this cell. Tenants without a fence are omitted. */
  fences(tenantRecordIds: readonly number[]): Promise<ReadonlyMap<number, FenceState>>;
  /**
   * Returns a tenant that is being moved.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if the database does not support moves.
   */
  of(move: TakenMove): MovingTenant;
}
