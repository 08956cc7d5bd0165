import { enumeration } from '../../values/fields/index.ts';

/**
 * The steps of a move (cells §3.1). COPYING: the rows are copied while the tenant works. COMPARING: all rows are
 * compared. HOLDING: due work of the tenant waits. STOPPED: writes are rejected until the target takes over. SWITCHED:
 * the target works. CLEANING: the rows of the other cell are deleted.
 */
export const MoveStep = enumeration('COPYING', 'COMPARING', 'HOLDING', 'STOPPED', 'SWITCHED', 'CLEANING');
export type MoveStep = keyof typeof MoveStep;

export interface MoveProgress {
  readonly step: MoveStep;
  /** Number of tables that the step has finished. */
  readonly tablesDone: number;
  readonly tables: number;
  /** Number of rows that the step has processed. */
  readonly rows: number;
}

/** Counts the rows and tables of the current step and reports them. Stops the move when its caller aborts it. */
export class ProgressReport {
  readonly #tables: number;
  readonly #onProgress: (progress: MoveProgress) => void;
  readonly #signal: AbortSignal | undefined;
  #step: MoveStep = 'COPYING';
  #tablesDone = 0;
  #rows = 0;

  constructor(
    tables: number,
    options: {
      readonly onProgress?: ((progress: MoveProgress) => void) | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ) {
    this.#tables = tables;
    this.#onProgress = options.onProgress ?? (() => undefined);
    this.#signal = options.signal;
  }

  begin(step: MoveStep): void {
    this.#step = step;
    this.#tablesDone = 0;
    this.#rows = 0;
    this.#report();
  }

  addRows(count: number): void {
    this.#rows += count;
    this.#report();
  }

  endTable(): void {
    this.#tablesDone += 1;
    this.#report();
  }

  #report() {
    // If a move stopped after the switch, no cell would serve the tenant.
    if (this.#step !== 'SWITCHED') this.#signal?.throwIfAborted();
    this.#onProgress({
      step: this.#step,
      tablesDone: this.#tablesDone,
      tables: this.#tables,
      rows: this.#rows,
    });
  }
}
