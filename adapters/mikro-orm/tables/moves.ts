import type { FenceState } from '../../../lib/ports/storage/index.ts';
import { bigint, fieldsOf, oneOf, text } from '../sql/columns.ts';
import { RecordTable } from './record-table.ts';

/** SQLSTATE of a write that a fence rejects. */
export const FENCED_STATE = 'BWM01';

/** Constraint that rejects the rows of tenants that have left the cell (`AWAY`, `GONE`). */
export const AWAY_CONSTRAINT = 'bw_moved_away';

/**
 * Fences of tenants that are moving to or from this cell, or have left it (cells §3.2). The revision belongs to the
 * process that moves the tenant.
 */
export const tenantMovesTable = new RecordTable(
  'tenant_moves',
  fieldsOf({ state: oneOf<FenceState>, revision: bigint }),
  {
    uniques: { tenant: 'tenant_record_id' },
    // Fences of ended moves are kept forever, but a claim of queue entries reads only fences of unfinished moves.
    indexes: { closed: `tenant_record_id where state in ('HOLDING', 'STOPPED', 'ARRIVING', 'AWAY')` },
  },
);

/** SQL condition that a move to or from this cell has not ended. */
export const ARE_TENANTS_MOVING = `exists (select 1 from bw_tenant_moves where state not in ('OPEN', 'GONE'))`;

/**
 * Log of rows that were written while their tenant was leaving the cell. An entry contains the name of the table, and
 * the values of the row's key as a JSON list.
 */
export const tenantMoveLogTable = new RecordTable(
  'tenant_move_log',
  fieldsOf({ tableName: text, rowKey: text }),
  { indexes: { listed: 'tenant_record_id, record_id' } },
);
