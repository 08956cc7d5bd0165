import type { SystemClock } from '../../ports/index.ts';

/** A counter that can be waited on: raising it wakes everyone who saw an older count. */
export class Signal {
  readonly #systemClock: SystemClock;
  #waiters: (() => void)[] = [];
  #count = 0;

  constructor(systemClock: SystemClock) {
    this.#systemClock = systemClock;
  }

  get count(): number {
    return this.#count;
  }

  raise(): void {
    this.#count += 1;
    for (const wake of this.#waiters.splice(0)) wake();
  }

  /** Resolves when the count has passed `seen`, at the latest after `timeoutMs` of system time. */
  async wait(seen: number, timeoutMs: number): Promise<void> {
    if (this.#count > seen) return;
    await new Promise<void>((resolve) => {
      const giveUp = (): void => {
        this.#waiters = this.#waiters.filter((waiter) => waiter !== wake);
        resolve();
      };
      const cancel = this.#systemClock.after(timeoutMs, giveUp, { keepAlive: true });
      const wake = (): void => {
        cancel();
        resolve();
      };
      this.#waiters.push(wake);
    });
  }
}
