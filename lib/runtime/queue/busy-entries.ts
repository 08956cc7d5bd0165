import type { ClaimedEntry } from '../../ports/storage/index.ts';
import { LOCK_WAIT_STEP_MS, MAX_BUSY_ENTRIES_COUNTED } from '../../values/limits.ts';

/** How a tenant lets background work come back to an account that is busy. */
export interface BusyPauses {
  /** How long it tries again in short steps, as a call does. */
  readonly waitMs: number;
  /** Pauses after that, in order (`rescheduleIntervalOnLock`). */
  readonly intervalsMs: readonly number[];
}

/**
 * The pause before an entry comes again that was found busy that many times in a row, this one included (§15 rule 2,
 * payments §5.3): first for as long as a call waits for the account, then by the intervals. Null: these are used up.
 */
export function busyPauseMs(times: number, { waitMs, intervalsMs }: BusyPauses): number | null {
  const steps = Math.ceil(waitMs / LOCK_WAIT_STEP_MS);
  if (times <= steps) return LOCK_WAIT_STEP_MS;
  return intervalsMs[times - steps - 1] ?? null;
}

/** The pause for work that has to be done however long the account stays busy. */
export function lastBusyPauseMs({ intervalsMs }: BusyPauses): number {
  return intervalsMs.at(-1) ?? LOCK_WAIT_STEP_MS;
}

/** Counts how often in a row this node has found the account of an entry busy. */
export class BusyEntries {
  readonly #times = new Map<number, number>();

  /** Counts once more; returns how often it is now. */
  add({ recordId }: ClaimedEntry): number {
    const times = (this.#times.get(recordId) ?? 0) + 1;
    // Moves the entry behind the others: entries that another node has taken are forgotten first.
    this.#times.delete(recordId);
    this.#times.set(recordId, times);
    const [oldest] = this.#times.keys();
    if (this.#times.size > MAX_BUSY_ENTRIES_COUNTED && oldest !== undefined) this.#times.delete(oldest);
    return times;
  }

  forget({ recordId }: ClaimedEntry): void {
    this.#times.delete(recordId);
  }
}
