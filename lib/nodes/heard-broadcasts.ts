import type { Broadcast } from '../records/index.ts';

/** After what time no broadcast with a lower number can become visible any more: each is a short transaction. */
const BROADCAST_SETTLED_MS = 60_000;

/**
 * Which broadcasts this node has heard. Their numbers are given before they are committed, so that a lower one may become
 * visible after a higher one: until a number is old, all above the last old one are looked at again.
 */
export class HeardBroadcasts {
  /** When each was heard (system time), by number. */
  readonly #heardAt = new Map<number, number>();
  #after = 0;

  /** All that has to be looked at has a higher number. */
  get after(): number {
    return this.#after;
  }

  /** Those up to this number are not for this node. */
  passOver(recordId: number): void {
    this.#after = Math.max(this.#after, recordId);
  }

  /** Those that were not heard before; from now on they were. */
  hear(broadcasts: readonly Broadcast[], nowMs: number): readonly Broadcast[] {
    const fresh = broadcasts.filter(({ recordId }) => !this.#heardAt.has(recordId));
    for (const { recordId } of fresh) this.#heardAt.set(recordId, nowMs);
    for (const [recordId, heardAt] of [...this.#heardAt].sort(([one], [other]) => one - other)) {
      if (nowMs - heardAt < BROADCAST_SETTLED_MS) break;
      this.#after = recordId;
      this.#heardAt.delete(recordId);
    }
    return fresh;
  }
}
