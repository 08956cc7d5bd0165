interface Kept<V> {
  readonly stamp: string | number;
  readonly value: Promise<V>;
  weight: number;
  loaded?: V;
}

interface CacheLimits {
  readonly maxEntries: number;
  /** Bound for the sum of the weights told by `weigh`; default: no limit. */
  readonly maxWeight?: number;
}

/**
 * Caches values while their stamp is the same, bounded, least recently used first out. Concurrent calls share one
 * load; a failed load is not cached.
 */
export class StampedCache<K, V> {
  readonly #kept = new Map<K, Kept<V>>();
  readonly #maxEntries: number;
  readonly #maxWeight: number;

  constructor({ maxEntries, maxWeight = Number.POSITIVE_INFINITY }: CacheLimits) {
    this.#maxEntries = maxEntries;
    this.#maxWeight = maxWeight;
  }

  /** The value of `key` at `stamp`, from `load` if it is not there. */
  get(key: K, stamp: string | number, load: () => Promise<V>): Promise<V> {
    const known = this.peek(key, stamp);
    if (known !== undefined) return known;
    const kept: Kept<V> = { stamp, value: load(), weight: 0 };
    this.#put(key, kept);
    kept.value.then(
      (value) => {
        kept.loaded = value;
      },
      () => {
        if (this.#kept.get(key) === kept) this.#kept.delete(key);
      },
    );
    return kept.value;
  }

  /** The same, without loading. */
  peek(key: K, stamp: string | number): Promise<V> | undefined {
    const kept = this.#kept.get(key);
    if (kept?.stamp !== stamp) return undefined;
    this.#put(key, kept);
    return kept.value;
  }

  /** The same, without waiting for a load that is under way. */
  loaded(key: K, stamp: string | number): V | undefined {
    const kept = this.#kept.get(key);
    return kept?.stamp === stamp ? kept.loaded : undefined;
  }

  /** Tells what a value weighs now; has no effect if the value is no longer cached. */
  weigh(key: K, stamp: string | number, weight: number): void {
    const kept = this.#kept.get(key);
    if (kept?.stamp !== stamp) return;
    kept.weight = weight;
    this.#put(key, kept);
  }

  /** Forgets all values whose key is one of these. */
  drop(isDropped: (key: K) => boolean): void {
    for (const key of [...this.#kept.keys()]) if (isDropped(key)) this.#kept.delete(key);
  }

  #put(key: K, kept: Kept<V>): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    this.#dropOldest();
  }

  #dropOldest(): void {
    let total = 0;
    for (const { weight } of this.#kept.values()) total += weight;
    for (const [key, { weight }] of this.#kept) {
      if (this.#kept.size <= 1) return;
      if (this.#kept.size <= this.#maxEntries && total <= this.#maxWeight) return;
      this.#kept.delete(key);
      total -= weight;
    }
  }
}
