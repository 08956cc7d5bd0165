import type { TenantPlace, TenantRef } from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import { MOVE_CLEANUP_MS } from '../../values/limits.ts';
import { finishMove } from './finish-move.ts';
import { showingLife } from './interrupted-moves.ts';
import { cellOf, type MoveOptions, type MoveParts, moveIsLost, placeOf, waitFor } from './move-parts.ts';
import { TenantMove } from './tenant-move.ts';

export interface MoveResult {
  /** Milliseconds for which writes of the tenant were rejected, or null if the tenant was already in the cell. */
  readonly pausedMs: number | null;
}

/**
 * Moves a tenant to another cell, or continues its move (cells §3). The tenant works during the move, except for a
 * short pause. Resolves after the rows in the source have been deleted.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an unknown cell or another move of the tenant; BUSY (60018)
 * if the directory does not know the cell yet, or another process takes over the move.
 */
export async function moveTenant(
  parts: MoveParts,
  tenant: TenantRef,
  { to, ...options }: MoveOptions & { readonly to: string },
): Promise<MoveResult> {
  cellOf(parts, to);
  const targetNumber = await cellNumberOf(parts, to);
  return showingLife(parts, tenant, async () => {
    await finishMove(parts, tenant, options);
    const place = await beginMove(parts, tenant, to);
    if (place === null) return { pausedMs: null };
    const revision = await parts.directory.cells.takeMove(tenant.recordId);
    if (revision === null) throw moveIsLost(tenant);
    const { pausedMs } = await new TenantMove(parts, { place, targetNumber, revision, options }).run();
    await waitFor(parts, options.cleanUpAfterMs ?? MOVE_CLEANUP_MS, options.signal);
    await finishMove(parts, tenant, options);
    return { pausedMs };
  });
}

async function cellNumberOf({ directory }: MoveParts, name: string): Promise<number> {
  const cell = (await directory.cells.list()).find((each) => each.name === name);
  if (cell !== undefined) return cell.number;
  throw billingError(
    ErrorCode.BUSY,
    `The cell "${name}" is not registered in the directory yet. Start a node that can reach the cell, and try again`,
  );
}

/** Returns the tenant's place in the state MOVING, or null if the tenant is already in the cell. */
async function beginMove(parts: MoveParts, tenant: TenantRef, to: string): Promise<TenantPlace | null> {
  const place = await placeOf(parts, tenant);
  if (place.cell === to && place.state !== 'MOVING') return null;
  if (place.state === 'SETTLED') await parts.directory.cells.beginMove(tenant.recordId, to);
  const begun = await placeOf(parts, tenant);
  if (begun.state === 'MOVING' && begun.otherCell === to) return begun;
  throw billingError(
    ErrorCode.MISSING_OR_INVALID_FIELD,
    begun.state === 'MOVING'
      ? `The tenant is already moving to the cell "${begun.otherCell}". Continue or undo that move first`
      : `The tenant is being created in the cell "${begun.cell}"; try again in a moment`,
  );
}

/**
 * Undoes a move that has not switched to the target yet (cells §3.4). If the move has already switched or was already
 * undone, finishes it and returns false. Also returns false for a tenant that is not moving.
 * @throws BillingError BUSY (60018) if another process takes over the move.
 */
export async function undoMove(
  parts: MoveParts,
  tenant: TenantRef,
  options: MoveOptions = {},
): Promise<boolean> {
  const { cells } = parts.directory;
  const revision = await cells.takeMove(tenant.recordId);
  if (revision === null) return false;
  return showingLife(parts, tenant, async () => {
    const { state } = await placeOf(parts, tenant);
    const isUndone = await cells.undoMove({ tenantRecordId: tenant.recordId, revision });
    if (!isUndone && state === 'MOVING') throw moveIsLost(tenant);
    await finishMove(parts, tenant, options);
    return isUndone;
  });
}
