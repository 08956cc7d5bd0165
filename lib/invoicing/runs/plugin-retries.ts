import type { ClaimedEntry } from '../../ports/storage/index.ts';
import { MAX_BUSY_ENTRIES_COUNTED } from '../../values/limits.ts';

/** How often in a row a plugin may put a queued run off with `RetryLater` before its account is parked. */
export const MAX_INVOICE_RETRIES = 50;

/** Counts how often in a row plugins have put an entry off on this node. */
export class PluginRetries {
  readonly #times = new Map<number, number>();

  /** Whether the entry has been put off as often as it may be. */
  isExhausted(entry: ClaimedEntry | undefined): boolean {
    return entry !== undefined && (this.#times.get(entry.recordId) ?? 0) >= MAX_INVOICE_RETRIES;
  }

  add({ recordId }: ClaimedEntry): void {
    const times = (this.#times.get(recordId) ?? 0) + 1;
    // Moves the entry behind the others: entries that another node has taken are forgotten first.
    this.#times.delete(recordId);
    this.#times.set(recordId, times);
    const [oldest] = this.#times.keys();
    if (this.#times.size > MAX_BUSY_ENTRIES_COUNTED && oldest !== undefined) this.#times.delete(oldest);
  }

  forget({ recordId }: ClaimedEntry): void {
    this.#times.delete(recordId);
  }
}
