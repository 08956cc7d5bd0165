import { type MoveProgress, moveTenant, undoMove } from '../../lib/cells/index.ts';
import { systemClock } from '../node/index.ts';
import { cellsOf, openCellStorages } from './cell-databases.ts';
import { namedTenant, type ServerDatabase } from './server-database.ts';
import { UsageError } from './usage-error.ts';

export interface TenantMoveRequest {
  /** Id or API key. */
  readonly tenant: string;
  /** Name of the target; undefined to undo the move. */
  readonly to: string | undefined;
  readonly isUndone: boolean;
  /** Seconds from the switch until the rows in the former cell are deleted; undefined means a minute. */
  readonly cleanUpAfter: string | undefined;
}

/** Moves a tenant to another cell, or undoes its move. Returns the outcome as text. */
export async function moveTenantOn(
  { database, definition = {} }: ServerDatabase,
  { tenant: name, to, isUndone, cleanUpAfter }: TenantMoveRequest,
  options: { readonly onProgress: (progress: MoveProgress) => void; readonly signal: AbortSignal },
): Promise<string> {
  if ((to === undefined) !== isUndone)
    throw new UsageError('specify the new cell with --to, or undo an interrupted move with --undo');
  if (cleanUpAfter !== undefined && !/^\d{1,6}$/.test(cleanUpAfter))
    throw new UsageError(`--clean-up-after must be a number of seconds, not "${cleanUpAfter}"`);
  const cleaning = cleanUpAfter === undefined ? {} : { cleanUpAfterMs: Number(cleanUpAfter) * 1_000 };
  const urls = cellsOf(definition, database);
  if (urls === null)
    throw new UsageError('the configuration file has no cells: add cells: { west: … } to it');
  const { directory, cells } = await openCellStorages(database, urls, { migrate: false });
  try {
    for (const storage of new Set([directory, ...Object.values(cells)])) await storage.prepare();
    const tenant = await namedTenant(directory, name);
    const parts = { directory, cells: new Map(Object.entries(cells)), systemClock: systemClock() };
    if (to === undefined) {
      const isMoving = await undoMove(parts, tenant, options);
      return isMoving
        ? `The move of the tenant ${name} has been undone.`
        : `The tenant ${name} is not moving.`;
    }
    const { pausedMs } = await moveTenant(parts, tenant, { to, ...options, ...cleaning });
    return pausedMs === null
      ? `The tenant ${name} is in the cell ${to}.`
      : `The tenant ${name} is now in the cell ${to}. Its writes were rejected for ${(pausedMs / 1_000).toFixed(1)} s.`;
  } catch (error) {
    if (!options.signal.aborted) throw error;
    throw new Error(
      'The move has been interrupted. Run the command again to continue, or with --undo to undo the move',
      { cause: error },
    );
  } finally {
    const opened = new Set([directory, ...Object.values(cells)]);
    await Promise.all([...opened].map((storage) => storage.close()));
  }
}

const BAR_WIDTH = 20;

/** Returns a line such as `copying [#####---------------] 21,000 rows`. */
export function progressText({ step, tablesDone, tables, rows }: MoveProgress): string {
  const filled = Math.round((BAR_WIDTH * tablesDone) / tables);
  const bar = '#'.repeat(filled).padEnd(BAR_WIDTH, '-');
  return `${step.toLowerCase()} [${bar}] ${rows.toLocaleString('en-US')} rows`;
}
