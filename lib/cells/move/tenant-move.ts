import type { MovedRows, MovingTenant, TakenMove } from '../../ports/storage/index.ts';
import type { TenantPlace } from '../../records/index.ts';
import { pause } from '../../runtime/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import {
  CELL_NUMBERS,
  MOVE_ATTEMPTS,
  MOVE_HOLD_MS,
  MOVE_LOOK_MS,
  MOVE_RESERVED_IDS,
  PLACE_LEASE_MS,
} from '../../values/limits.ts';
import { RowCopy } from './copy-rows.ts';
import { cellOf, type MoveOptions, type MoveParts, moveIsLost, placeOf, waitFor } from './move-parts.ts';
import { ProgressReport } from './move-progress.ts';

interface MoveRun {
  /** The MOVING place. */
  readonly place: TenantPlace;
  /** Number of the target cell. The record ids that the cell assigns have this remainder when divided by 256. */
  readonly targetNumber: number;
  /** The revision that this process got when it took over the move. */
  readonly revision: number;
  readonly options: MoveOptions;
}

/** The steps of a move until the tenant works in the target (cells §3.1). Each step can be repeated. */
export class TenantMove {
  readonly #parts: MoveParts;
  readonly #place: TenantPlace;
  readonly #move: TakenMove;
  readonly #signal: AbortSignal | undefined;
  readonly #source: MovingTenant;
  readonly #target: MovingTenant;
  readonly #targetNumber: number;
  readonly #tables: readonly string[];
  readonly #report: ProgressReport;
  readonly #copy: RowCopy;

  constructor(parts: MoveParts, { place, targetNumber, revision, options }: MoveRun) {
    this.#parts = parts;
    this.#place = place;
    this.#move = { tenantRecordId: place.tenant.recordId, revision };
    this.#signal = options.signal;
    this.#targetNumber = targetNumber;
    const target = cellOf(parts, place.otherCell ?? '');
    this.#source = cellOf(parts, place.cell).moves.of(this.#move);
    this.#target = target.moves.of(this.#move);
    this.#tables = target.moves.tables;
    this.#report = new ProgressReport(this.#tables.length, options);
    this.#copy = new RowCopy({ source: this.#source, target: this.#target, report: this.#report });
  }

  async run(): Promise<{ readonly pausedMs: number }> {
    const takenMs = this.#parts.systemClock.nowMs();
    this.#report.begin('COPYING');
    await this.#raiseFences();
    await this.#copyTables();
    this.#report.begin('COMPARING');
    const changing = await this.#compareAll();
    await this.#raiseRecordIds(MOVE_RESERVED_IDS);
    // Until the lease of the place ends, a node may route writes without checking the place.
    const leaseMs = PLACE_LEASE_MS - (this.#parts.systemClock.nowMs() - takenMs);
    await waitFor(this.#parts, leaseMs, this.#signal);
    return this.#handOver(changing);
  }

  async #raiseFences() {
    await letWritesPass(this.#source);
    await this.#target.takeFence('GONE');
    await this.#source.raiseFence('LEAVING');
    await this.#target.raiseFence('ARRIVING');
  }

  /**
   * Copies the tables. First checks in the directory that the cell to which this process copies is still the target.
   */
  async #copyTables() {
    const { cell, state, revision } = await placeOf(this.#parts, this.#place.tenant);
    const isOwn = cell === this.#place.cell && state === 'MOVING' && revision === this.#move.revision;
    if (!isOwn) throw moveIsLost(this.#place.tenant);
    return this.#copy.copyTables(this.#tables);
  }

  /**
   * Compares all rows. Returns the rows that changed during the comparison. These rows are compared again while writes
   * are stopped.
   */
  async #compareAll(): Promise<readonly MovedRows[]> {
    await this.#copy.copyLogged();
    let changing = await this.#copyTables();
    for (let attempt = 1; attempt <= MOVE_ATTEMPTS && changing.length > 0; attempt += 1) {
      await this.#copy.copyLogged();
      const still = await this.#copy.differing(changing);
      if (still.length === changing.length) break;
      changing = still;
    }
    return changing;
  }

  async #raiseRecordIds(reserved: number) {
    const last = await this.#source.lastRecordIds();
    const floors = Object.entries(last).map(([sequence, id]) => [sequence, id + reserved * CELL_NUMBERS]);
    await this.#target.raiseRecordIds(Object.fromEntries(floors), this.#targetNumber);
  }

  /**
   * Hands the tenant over. The directory determines the tenant's cell: the source until the directory switches, and the
   * target afterward.
   */
  async #handOver(changing: readonly MovedRows[]) {
    const { directory, systemClock } = this.#parts;
    this.#report.begin('HOLDING');
    await this.#source.changeFence(['LEAVING'], 'HOLDING');
    let stoppedMs: number;
    try {
      await this.#waitForWork();
      await this.#copy.copyLogged();
      this.#report.begin('STOPPED');
      stoppedMs = systemClock.nowMs();
      await this.#source.stop();
      await this.#copyRest(changing);
    } catch (error) {
      // Report the first error.
      // If the source cannot be reached, the process that takes over the move reopens the source.
      await this.#source.changeFence(['HOLDING', 'STOPPED'], 'LEAVING').catch(() => undefined);
      throw error;
    }
    if (!(await directory.cells.switchMove(this.#move))) {
      const { cell } = await placeOf(this.#parts, this.#place.tenant);
      if (cell === this.#place.cell) await this.#source.changeFence(['STOPPED'], 'LEAVING');
      throw moveIsLost(this.#place.tenant);
    }
    await this.#target.open();
    const pausedMs = systemClock.nowMs() - stoppedMs;
    this.#report.begin('SWITCHED');
    await this.#target.removeFence();
    return { pausedMs };
  }

  /**
   * Waits for running work for a limited time. Work that is still running then loses its claim, as if its node had
   * failed.
   */
  async #waitForWork() {
    const { systemClock } = this.#parts;
    const untilMs = systemClock.nowMs() + MOVE_HOLD_MS;
    while (systemClock.nowMs() < untilMs && (await this.#source.countUnderWay()) > 0) {
      this.#signal?.throwIfAborted();
      await pause(systemClock, MOVE_LOOK_MS);
    }
  }

  /** Copies and compares the rows that were written since the comparison. */
  async #copyRest(changing: readonly MovedRows[]) {
    const written = await this.#copy.copyLogged();
    const [different] = await this.#copy.differing([...written, ...changing]);
    if (different !== undefined)
      throw new InvariantError('Rows of the source and the target still differ', { ...different });
    await this.#raiseRecordIds(0);
    this.#signal?.throwIfAborted();
  }
}

/** Takes over the fence of the source. If an earlier process has stopped writes or due work, allows both again. */
export async function letWritesPass(source: MovingTenant): Promise<void> {
  const fence = await source.takeFence('OPEN');
  if (fence === 'HOLDING' || fence === 'STOPPED') await source.changeFence([fence], 'LEAVING');
}
