import type { Clock, SystemClock } from '../ports/index.ts';
import type { Storage } from '../ports/storage/index.ts';
import type { Cell } from '../records/index.ts';
import { atMost, TIME_OVER } from '../runtime/index.ts';
import { BillingError } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { CELL_ANSWER_MS, MAX_LATE_ENTRIES } from '../values/limits.ts';
import { addMilliseconds } from '../values/time/index.ts';

/** A cell and its load. */
export interface CellView {
  readonly name: string;
  readonly number: number;
  /** Number of tenants in the directory. */
  readonly tenants: number;
  /**
   * Number of accounts. It is an estimate if there are more than 10,000. The value is null if the cell does not
   * respond.
   */
  readonly accounts: number | null;
  /** Number of late queue entries, counted up to 1,001. The value is null if the cell does not respond. */
  readonly lateEntries: number | null;
  /** Tenants whose move to this cell has started but not finished. To continue an interrupted move, repeat it. */
  readonly unfinishedMoves: readonly { readonly tenantId: Uuid; readonly isInterrupted: boolean }[];
  /** The reason why this node cannot reach the cell, or null if it can. */
  readonly problem: string | null;
}

interface ViewedCells {
  readonly directory: Pick<Storage, 'cells'>;
  /** Storages of the cells that this process knows, by name. */
  readonly cells: Readonly<Record<string, Pick<Storage, 'cells' | 'queue'>>>;
  readonly clock: Clock;
  readonly systemClock: SystemClock;
  readonly lateThresholdMs: number;
}

/** Returns the registered cells with their load, sorted by number. Waits at most 5 s for each cell. */
export async function cellViews(given: ViewedCells): Promise<readonly CellView[]> {
  const { directory, cells: storages } = given;
  const [cells, tenants, moving] = await Promise.all([
    directory.cells.list(),
    directory.cells.countTenants(),
    directory.cells.places({ states: ['MOVING', 'CLEANING'] }),
  ]);
  const ends = Map.groupBy(moving, ({ state, cell, otherCell }) => (state === 'MOVING' ? otherCell : cell));
  return Promise.all(
    cells.map(async ({ name, number }) => ({
      name,
      number,
      tenants: tenants.get(name) ?? 0,
      unfinishedMoves:
        ends.get(name)?.map(({ tenant, isInterrupted }) => ({ tenantId: tenant.id, isInterrupted })) ?? [],
      ...(await loadOf(name, storages[name], given)),
    })),
  );
}

type Load = Pick<CellView, 'accounts' | 'lateEntries' | 'problem'>;

async function loadOf(
  name: Cell['name'],
  storage: Pick<Storage, 'cells' | 'queue'> | undefined,
  { clock, systemClock, lateThresholdMs }: ViewedCells,
): Promise<Load> {
  if (storage === undefined) return silent('This process was started without this cell');
  const since = addMilliseconds(clock.now(), -lateThresholdMs);
  const queryLoad = async (): Promise<Load> => {
    const [accounts, { late }] = await Promise.all([
      storage.cells.countAccounts(),
      storage.queue.backlog({ since, limit: MAX_LATE_ENTRIES + 1 }),
    ]);
    return { accounts, lateEntries: late, problem: null };
  };
  try {
    const load = await atMost(systemClock, CELL_ANSWER_MS, queryLoad());
    return load === TIME_OVER ? silent(`Cell "${name}" did not answer within ${CELL_ANSWER_MS} ms`) : load;
  } catch (error) {
    if (error instanceof BillingError) return silent(`Cell "${name}": ${error.message}`);
    throw error;
  }
}

function silent(problem: string): Load {
  return { accounts: null, lateEntries: null, problem };
}
