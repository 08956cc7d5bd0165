interface Waiting {
  readonly size: number;
  readonly begin: () => void;
}

/** Lets work of so much size run at once. The owners of what waits come in turn, however much one of them has. */
export class FairTurns {
  readonly #capacity: number;
  #free: number;
  /** By owner, in the order in which they come. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#free = capacity;
  }

  /** Work that is larger than the capacity runs alone. */
  async run<T>(owner: string, size: number, work: () => Promise<T>): Promise<T> {
    const taken = Math.min(size, this.#capacity);
    await this.#turn(owner, taken);
    try {
      return await work();
    } finally {
      this.#free += taken;
      this.#admit();
    }
  }

  #turn(owner: string, size: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const own = this.#waiting.get(owner) ?? [];
    own.push({ size, begin: resolve });
    this.#waiting.set(owner, own);
    this.#admit();
    return promise;
  }

  #admit(): void {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      const [owner, own] = first;
      const [next] = own;
      if (next === undefined || next.size > this.#free) return;
      this.#free -= next.size;
      own.shift();
      this.#waiting.delete(owner);
      if (own.length > 0) this.#waiting.set(owner, own);
      next.begin();
    }
  }
}
