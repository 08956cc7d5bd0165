import type { MovingTenant } from '../../ports/storage/index.ts';
import type { TenantRef } from '../../records/index.ts';
import { MOVE_DELETED_ROWS } from '../../values/limits.ts';
import { cellOf, type MoveOptions, type MoveParts, moveIsLost, placeOf } from './move-parts.ts';
import { ProgressReport } from './move-progress.ts';

/**
 * Finishes a move after the directory has switched to the other cell (CLEANING). Opens the tenant's cell and deletes
 * the rows in the other cell (cells §3.3). Does nothing in any other state.
 */
export async function finishMove(parts: MoveParts, tenant: TenantRef, options: MoveOptions): Promise<void> {
  const { state, cell, otherCell } = await placeOf(parts, tenant);
  if (state !== 'CLEANING' || otherCell === null) return;
  const revision = await parts.directory.cells.takeMove(tenant.recordId);
  if (revision === null) throw moveIsLost(tenant);
  const move = { tenantRecordId: tenant.recordId, revision };
  const here = cellOf(parts, cell).moves.of(move);
  const { tables, of } = cellOf(parts, otherCell).moves;
  const report = new ProgressReport(tables.length, options);
  await openCell(here);
  await here.removeFence();
  report.begin('CLEANING');
  await clearCell(of(move), tables, report);
  if (!(await parts.directory.cells.endMove(move))) throw moveIsLost(tenant);
}

/** Opens the cell that the directory has assigned to the tenant. */
export async function openCell(cell: MovingTenant): Promise<void> {
  await cell.takeFence('OPEN');
  await cell.open();
}

async function clearCell(cell: MovingTenant, tables: readonly string[], report: ProgressReport) {
  if ((await cell.takeFence('GONE')) === 'GONE') return;
  await cell.leave();
  for (const table of tables) {
    let deleted = 0;
    do {
      deleted = await cell.deleteSome(table, MOVE_DELETED_ROWS);
      report.addRows(deleted);
    } while (deleted === MOVE_DELETED_ROWS);
    report.endTable();
  }
  await cell.removeFence();
}
