import { type CellView, cellViews } from '../../lib/cells/index.ts';
import { systemClock } from '../node/index.ts';
import { cellsOf, openCellStorages } from './cell-databases.ts';
import type { ServerDatabase } from './server-database.ts';
import { UsageError } from './usage-error.ts';

/** Milliseconds after its due date at which an entry counts as late. */
const LATE_MS = 60_000;

/** Lists the cells of the directory with their load. */
export async function listCells({ database, definition = {} }: ServerDatabase): Promise<readonly CellView[]> {
  const cells = cellsOf(definition, database);
  if (cells === null)
    throw new UsageError('the configuration file has no cells: add cells: { west: … } to it');
  const storages = await openCellStorages(database, cells, { migrate: false });
  const clock = systemClock();
  try {
    return await cellViews({ ...storages, clock, systemClock: clock, lateThresholdMs: LATE_MS });
  } finally {
    const opened = [storages.directory, ...Object.values(storages.cells)];
    await Promise.all(opened.map((each) => each.close()));
  }
}

/** Returns a line about the cell, and one for each tenant whose move to the cell has not ended. */
export function cellText({
  name,
  tenants,
  accounts,
  lateEntries,
  unfinishedMoves,
  problem,
}: CellView): string {
  const load = problem ?? `${accounts} accounts, ${lateEntries} late entries`;
  const moves = unfinishedMoves.map(
    (id) =>
      `  unfinished move; unless it is running, continue it: billwright tenants move ${id} --to ${name}`,
  );
  return [`${name}: ${tenants} tenants, ${load}`, ...moves].join('\n');
}
