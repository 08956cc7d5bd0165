import { systemClock } from '../../../adapters/node/this-process.ts';
import type { SystemClock } from '../../../lib/index.ts';

interface Timer {
  readonly delayMs: number;
  readonly action: () => void;
}

/** Timers that go off when a test says so: time limits and delays of gateways without waiting. */
export class ManualTimers implements SystemClock {
  /** Real time, for what only has to go on. */
  readonly real: SystemClock = systemClock();
  readonly #pending = new Set<Timer>();
  readonly #arrivals: (() => void)[] = [];
  #impatientUpToMs = -1;

  nowMs(): number {
    return this.real.nowMs();
  }

  nextTurn(): Promise<void> {
    return this.real.nextTurn();
  }

  after(delayMs: number, action: () => void): () => void {
    const timer = { delayMs, action };
    this.#pending.add(timer);
    for (const arrived of this.#arrivals.splice(0)) arrived();
    if (delayMs <= this.#impatientUpToMs) setImmediate(() => this.#pending.delete(timer) && action());
    return () => this.#pending.delete(timer);
  }

  /** A wait that ends with `fire`. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** Sets off, shortest first, every timer of at most `delayMs`, waiting for `count` of them to be there. */
  async fire(delayMs: number, count = 1): Promise<void> {
    while (this.#due(delayMs).length < count)
      await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    for (const timer of this.#due(delayMs)) {
      this.#pending.delete(timer);
      timer.action();
    }
  }

  /** From now on whatever has not happened within a turn of the event loop has taken too long; waits of more go on. */
  losePatience(upToMs = Number.POSITIVE_INFINITY): void {
    this.#impatientUpToMs = upToMs;
  }

  #due(delayMs: number): readonly Timer[] {
    return [...this.#pending]
      .filter((timer) => timer.delayMs <= delayMs)
      .sort((one, other) => one.delayMs - other.delayMs);
  }
}
