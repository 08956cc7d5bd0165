interface Releasable {
  release(): void;
}

/** The parts whose values are held: a ring, in which a newly decoded part replaces the oldest. */
export class DecodedParts {
  readonly #ring: Releasable[] = [];
  readonly #size: number;
  #next = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(part: Releasable): void {
    this.#ring[this.#next]?.release();
    this.#ring[this.#next] = part;
    this.#next = (this.#next + 1) % this.#size;
  }
}
