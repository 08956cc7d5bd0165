interface Places {
  /** For all owners together. */
  readonly all: number;
  /** For one owner. */
  readonly each: number;
}

/** A bounded number of places, of which one owner cannot take all. */
export class SharedPlaces {
  readonly #places: Places;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(places: Places) {
    this.#places = places;
  }

  /** Takes a place for the owner; false if it has its share, or no place is left. */
  take(owner: string): boolean {
    const own = this.#taken.get(owner) ?? 0;
    if (own >= this.#places.each || this.#all >= this.#places.all) return false;
    this.#taken.set(owner, own + 1);
    this.#all += 1;
    return true;
  }

  leave(owner: string): void {
    const own = this.#taken.get(owner) ?? 0;
    if (own > 1) this.#taken.set(owner, own - 1);
    else this.#taken.delete(owner);
    this.#all -= 1;
  }
}
