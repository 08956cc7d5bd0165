import type { Clock, SystemClock } from '../ports/index.ts';
import { type Instant, instant, truncateToSecond } from '../values/time/index.ts';

/** System time of the database (platform §15 rule 7). Nodes use it to determine when the leases of other nodes end. */
export class DatabaseTime implements SystemClock {
  /** A business clock that returns the database's time in whole seconds. */
  readonly clock: Clock;
  readonly #local: SystemClock;
  readonly #databaseMs: () => Promise<number>;
  #aheadMs = 0;

  constructor(local: SystemClock, databaseMs: () => Promise<number>) {
    this.#local = local;
    this.#databaseMs = databaseMs;
    const exactly = (): Instant => instant(this.nowMs());
    this.clock = { now: () => truncateToSecond(exactly()), msUntil: (at) => at - exactly() };
  }

  /**
   * Measures the difference between the local time and the database's time. A difference smaller than the duration of
   * the round trip counts as 0.
   */
  async compare(): Promise<void> {
    const startedMs = this.#local.nowMs();
    const databaseMs = await this.#databaseMs();
    const answeredMs = this.#local.nowMs();
    const isSame = startedMs <= databaseMs && databaseMs <= answeredMs;
    this.#aheadMs = isSame ? 0 : Math.round((startedMs + answeredMs) / 2) - databaseMs;
  }

  nowMs(): number {
    return this.#local.nowMs() - this.#aheadMs;
  }

  nextTurn(): Promise<void> {
    return this.#local.nextTurn();
  }

  after(...timer: Parameters<SystemClock['after']>): () => void {
    return this.#local.after(...timer);
  }
}
