import {
  type CellView,
  cellViews,
  type MoveProgress,
  moveTenant,
  placeOf,
  undoMove,
} from '../../lib/cells/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { systemClock } from '../node/index.ts';
import { cellsOf, openCellStorages } from './database.ts';
import { namedTenant, type ServerDatabase } from './server-database.ts';
import { UsageError } from './usage-error.ts';

/** Number of milliseconds that a queue entry may be past due before it counts as late. */
const LATE_MS = 60_000;

interface CellStorages {
  readonly directory: Storage<never>;
  readonly cells: Readonly<Record<string, Storage<never>>>;
}

/** Runs `work` with the directory and the cells of the configuration file, and closes them afterward. */
async function onCells<T>(
  { database, definition = {} }: ServerDatabase,
  work: (storages: CellStorages) => Promise<T>,
): Promise<T> {
  const urls = cellsOf(definition, database);
  if (urls === null)
    throw new UsageError('the configuration file has no cells: add cells: { west: … } to it');
  const storages = await openCellStorages(database, urls, { migrate: false });
  try {
    return await work(storages);
  } finally {
    const opened = new Set([storages.directory, ...Object.values(storages.cells)]);
    await Promise.all([...opened].map((storage) => storage.close()));
  }
}

/** Lists the cells of the directory with their load. */
export function listCells(server: ServerDatabase): Promise<readonly CellView[]> {
  const clock = systemClock();
  return onCells(server, (storages) =>
    cellViews({ ...storages, clock, systemClock: clock, lateThresholdMs: LATE_MS }),
  );
}

/** Returns a line about the cell, and a line for each unfinished move of a tenant to the cell. */
export function cellText({
  name,
  tenants,
  accounts,
  lateEntries,
  unfinishedMoves,
  problem,
}: CellView): string {
  const load = problem ?? `${accounts} accounts, ${lateEntries} late entries`;
  const moves = unfinishedMoves.map(({ tenantId, isInterrupted }) =>
    isInterrupted
      ? `  interrupted move; continue it: billwright tenants move ${tenantId} --to ${name}`
      : `  tenant ${tenantId} is moving here`,
  );
  return [`${name}: ${tenants} tenants, ${load}`, ...moves].join('\n');
}

export interface TenantMoveRequest {
  /** Id or API key. */
  readonly tenant: string;
  /** Name of the target cell. Undefined means that the move is undone. */
  readonly to: string | undefined;
  readonly isUndone: boolean;
  /** Seconds between the switch and the deletion of the rows in the former cell. Undefined means one minute. */
  readonly cleanUpAfter: string | undefined;
}

/** Moves a tenant to another cell or undoes its move. Returns a description of the outcome. */
export async function moveTenantOn(
  server: ServerDatabase,
  { tenant: name, to, isUndone, cleanUpAfter }: TenantMoveRequest,
  options: { readonly onProgress: (progress: MoveProgress) => void; readonly signal: AbortSignal },
): Promise<string> {
  if ((to === undefined) !== isUndone)
    throw new UsageError('specify the new cell with --to, or undo an interrupted move with --undo');
  if (cleanUpAfter !== undefined && !/^\d{1,6}$/.test(cleanUpAfter))
    throw new UsageError(`--clean-up-after must be a number of seconds, not "${cleanUpAfter}"`);
  const cleaning = cleanUpAfter === undefined ? {} : { cleanUpAfterMs: Number(cleanUpAfter) * 1_000 };
  return onCells(server, async ({ directory, cells }) => {
    for (const storage of new Set([directory, ...Object.values(cells)])) await storage.prepare();
    const tenant = await namedTenant(directory, name);
    const parts = { directory, cells: new Map(Object.entries(cells)), systemClock: systemClock() };
    if (to === undefined) {
      if (await undoMove(parts, tenant, options)) return `The move of the tenant ${name} has been undone.`;
      const { cell } = await placeOf(parts, tenant);
      return `The tenant ${name} is not moving. It is in the cell ${cell}.`;
    }
    const { pausedMs } = await moveTenant(parts, tenant, { to, ...options, ...cleaning });
    return pausedMs === null
      ? `The tenant ${name} is in the cell ${to}.`
      : `The tenant ${name} is now in the cell ${to}. Its writes were rejected for ${(pausedMs / 1_000).toFixed(1)} s.`;
  }).catch((error: unknown) => {
    if (!options.signal.aborted) throw error;
    throw new Error(
      'The move has been interrupted. Run the command again to continue, or with --undo to undo the move',
      { cause: error },
    );
  });
}

const BAR_WIDTH = 20;

/** Returns a progress line such as `copying [#####---------------] 21,000 rows`. */
export function progressText({ step, tablesDone, tables, rows }: MoveProgress): string {
  const filled = Math.round((BAR_WIDTH * tablesDone) / tables);
  const bar = '#'.repeat(filled).padEnd(BAR_WIDTH, '-');
  return `${step.toLowerCase()} [${bar}] ${rows.toLocaleString('en-US')} rows`;
}
