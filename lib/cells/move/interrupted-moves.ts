import type { Logger } from '../../ports/index.ts';
import type { FenceState } from '../../ports/storage/index.ts';
import type { TenantPlace, TenantRef } from '../../records/index.ts';
import { allEnded, createRepeatedWork, type Repeated } from '../../runtime/index.ts';
import { MOVE_RENEW_MS } from '../../values/limits.ts';
import { openCell } from './finish-move.ts';
import { cellOf, type MoveParts, placeOf } from './move-parts.ts';
import { letWritesPass } from './tenant-move.ts';

/** Stores heartbeats of this process until `work` ends, so that nodes do not take over its move. */
export async function showingLife<T>(
  { directory, systemClock }: Pick<MoveParts, 'directory' | 'systemClock'>,
  { recordId }: TenantRef,
  work: () => Promise<T>,
): Promise<T> {
  const renew = () => directory.cells.renewMove(recordId);
  await renew();
  // If the directory does not respond, the steps of the move report the failure.
  const life = createRepeatedWork(systemClock, MOVE_RENEW_MS, () => renew().catch(() => undefined));
  life.start();
  try {
    return await work();
  } finally {
    await life.stop();
  }
}

interface WatchedCells extends MoveParts {
  readonly logger: Logger;
}

/**
 * Looks for moves whose process has died, and reopens the cells of their tenants (cells §3.4 rule 4). The moves then
 * wait until they are continued or undone.
 */
export class MoveWatch {
  readonly #parts: WatchedCells;
  readonly #looks: Repeated;
  #interrupted: readonly TenantPlace[] = [];

  constructor(parts: WatchedCells) {
    this.#parts = parts;
    this.#looks = createRepeatedWork(parts.systemClock, MOVE_RENEW_MS, () => this.look());
  }

  /** The places of tenants whose move was interrupted, as of the last check. */
  get interrupted(): readonly TenantPlace[] {
    return this.#interrupted;
  }

  start(): void {
    this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async look(): Promise<void> {
    const { directory, logger } = this.#parts;
    try {
      const unfinished = await directory.cells.places({ states: ['MOVING', 'CLEANING'] });
      this.#interrupted = unfinished.filter(({ isInterrupted }) => isInterrupted);
      const byCell = Map.groupBy(this.#interrupted, ({ cell }) => cell);
      await allEnded([...byCell].map(([cell, places]) => this.#reopen(cell, places)));
    } catch (error) {
      logger.warn({ err: error }, 'looking after interrupted moves of tenants failed; it will be repeated');
    }
  }

  /** Reopens the cell for each given tenant for which the cell is closed. */
  async #reopen(name: string, places: readonly TenantPlace[]) {
    const { cells, logger } = this.#parts;
    const recordIds = places.map(({ tenant }) => tenant.recordId);
    const fences = await cells.get(name)?.moves.fences(recordIds);
    for (const { tenant } of places.filter((place) => isClosed(fences?.get(place.tenant.recordId)))) {
      if (!(await reopenCell(this.#parts, tenant))) continue;
      logger.warn(
        { tenantId: tenant.id, cell: name },
        'the move of a tenant was interrupted while its cell was closed; the cell works again',
      );
    }
  }
}

/** Returns true if a fence blocks writes or due work in the tenant's cell. */
function isClosed(fence: FenceState | undefined) {
  return fence === 'HOLDING' || fence === 'STOPPED' || fence === 'ARRIVING';
}

/** Takes over the move and opens the tenant's cell in the directory. Returns false if the move has ended. */
async function reopenCell(parts: MoveParts, tenant: TenantRef): Promise<boolean> {
  const revision = await parts.directory.cells.takeMove(tenant.recordId);
  if (revision === null) return false;
  const { state, cell } = await placeOf(parts, tenant);
  const own = cellOf(parts, cell).moves.of({ tenantRecordId: tenant.recordId, revision });
  await (state === 'MOVING' ? letWritesPass(own) : openCell(own));
  return true;
}
