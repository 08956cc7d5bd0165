import { enumeration, f, type RecordOf } from '../../values/fields/index.ts';
import type { TenantRef } from '../context.ts';

/**
 * A database with the tables and the queue of several tenants (cells §1). Only the directory contains these records.
 */
export const cellFields = {
  recordId: f.recordId,
  /** Name of the cell in the options of `Billing.cells`. */
  name: f.text(),
  /** The remainder when the cell's record ids are divided by `CELL_NUMBERS`. The first cell has the number 0. */
  number: f.integer(),
  /** Highest record id in the cell when it was registered. Cells that are registered later use greater record ids. */
  recordIdFloor: f.bigint(),
};
export interface Cell extends RecordOf<typeof cellFields> {}

/**
 * The state of a tenant's place. NEW: the cell may not have the tenant's row yet. SETTLED: the cell has all rows.
 * MOVING: `otherCell` is the target of a move, and `cell` still serves the tenant. CLEANING: a move to or from
 * `otherCell` has ended or was undone, and that cell still has rows of the tenant.
 */
export const PlaceState = enumeration('NEW', 'SETTLED', 'MOVING', 'CLEANING');
export type PlaceState = keyof typeof PlaceState;

export const tenantPlaceFields = {
  recordId: f.recordId,
  /** Name of the tenant's cell. */
  cell: f.text(),
  otherCell: f.orNull(f.text()),
  state: f.oneOf(PlaceState),
  /** The directory's revision at the last change to this place. */
  revision: f.bigint(),
  /**
   * The system time of the directory when the process that moves the tenant was last alive, or null if the tenant was
   * never moved.
   */
  moverSeenMs: f.orNull(f.bigint()),
};

/** The cell of a tenant. */
export interface TenantPlace extends Omit<RecordOf<typeof tenantPlaceFields>, 'recordId' | 'moverSeenMs'> {
  readonly tenant: TenantRef;
  /** True during a move whose process has not sent a heartbeat for 15 s. */
  readonly isInterrupted: boolean;
}
