/** Lets so much work run at once; of what waits, the owners come in turn, however much one of them has. */
export class FairTurns {
  #free: number;
  /** By owner, in the order in which they come. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    await this.#turn(owner);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  async #turn(owner: string): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(owner) ?? [];
    waiting.push(resolve);
    this.#waiting.set(owner, waiting);
    await promise;
  }

  /** Hands the turn on. */
  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#free += 1;
      return;
    }
    const [owner, waiting] = first;
    const begin = waiting.shift();
    this.#waiting.delete(owner);
    if (waiting.length > 0) this.#waiting.set(owner, waiting);
    begin?.();
  }
}
