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

/** Rows of the tenant in a table: a range of keys (null means without limit), or rows by key. Keys are JSON text. */
export type MovedRows =
  | { readonly table: string; readonly after: string | null; readonly upTo: string | null }
  | { readonly table: string; readonly keys: readonly string[] };

/** Number and checksum of rows. Rows with the same values have the same checksum in every cell. */
export interface RowDigest {
  readonly count: number;
  readonly checksum: string;
}

export interface RowChunk extends RowDigest {
  readonly after: string | null;
  readonly upTo: string | null;
}

/** Complete rows in the text form of the database, one list per column. Null means no rows. */
export type RowBatch = readonly string[] | null;

export interface LoggedRow {
  readonly recordId: number;
  readonly table: string;
  readonly key: string;
}

/** Record ids by sequence. */
export type LastRecordIds = Readonly<Record<string, number>>;

/**
 * A tenant in one of the two cells of its move (cells §3). Calls may be repeated. Calls that change something throw
 * BillingError BUSY (60018) once another process has taken over the move.
 */
export interface MovingTenant {
  /** Takes over the fence from an earlier process and returns its state. The first process gives it a state. */
  takeFence(first: 'OPEN' | 'GONE'): Promise<FenceState>;
  /**
   * OPEN → LEAVING for the source, AWAY or GONE → ARRIVING for the target. Keeps another state. Creates the triggers on
   * every table after the transactions that are writing to it. Requires `takeFence`.
   */
  raiseFence(state: 'LEAVING' | 'ARRIVING'): Promise<void>;
  /** Changes the state of the fence after all transactions that are writing rows of the tenant. */
  changeFence(from: readonly FenceState[], to: FenceState): Promise<void>;
  /**
   * HOLDING → STOPPED. Ends the claims and leases of due work, and gives every event sink of the cell an explicit
   * position for the tenant.
   */
  stop(): Promise<void>;
  /** Returns the number of queue entries in processing and of leases for pushes. */
  countUnderWay(): Promise<number>;
  /**
   * Opens the fence: from now on the cell takes writes and does due work. Does nothing if another process has the fence.
   */
  open(): Promise<void>;
  /** Removes the triggers and the log of an OPEN or AWAY fence. AWAY → GONE. */
  removeFence(): Promise<void>;

  /**
   * Returns the next chunks of a table, sorted by key, at least one. The last chunk of the table has no upper limit, so
   * that it includes all rows that the other cell has after it.
   */
  chunks(table: string, after: string | null): Rows<RowChunk>;
  digest(rows: MovedRows): Promise<RowDigest>;
  read(rows: MovedRows): Promise<RowBatch>;
  /**
   * Replaces rows of an ARRIVING tenant with the batch, in one transaction. CONFLICT means that another row has a
   * unique value of the batch; then nothing is changed.
   */
  replace(rows: MovedRows, batch: RowBatch): Promise<'REPLACED' | 'CONFLICT'>;

  /** Returns the first logged writes. A row can be listed several times. */
  logged(limit: number): Rows<LoggedRow>;
  /** Returns the keys of all logged rows of a table. */
  loggedKeys(table: string): Rows<string>;
  forgetLogged(recordIds: readonly number[]): Promise<void>;

  /** Returns the last record id of every sequence. */
  lastRecordIds(): Promise<LastRecordIds>;
  /** Continues sequences that have not reached these record ids above them, with the remainder of the cell. */
  raiseRecordIds(floors: LastRecordIds, cellNumber: number): Promise<void>;

  /** STOPPED or ARRIVING → AWAY. Adds the constraint that rejects rows of the tenant on every table. */
  leave(): Promise<void>;
  /** Deletes up to `limit` rows of an AWAY tenant. Its row in the table of tenants stays. Returns their number. */
  deleteSome(table: string, limit: number): Promise<number>;
}

/** Moves of tenants between cells. Requires PostgreSQL. */
export interface TenantMoveStore {
  /** The tables with rows that a move copies. */
  readonly tables: readonly string[];
  /** @throws BillingError MISSING_OR_INVALID_FIELD (60003) on a database without moves. */
  of(move: TakenMove): MovingTenant;
}
