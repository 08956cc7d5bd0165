interface Stamped<V> {
  readonly stamp: string | number;
  readonly value: Promise<V>;
  weight: number;
  loaded?: V;
}

interface CacheLimits {
  readonly maxEntries: number;
  /** Maximum total weight, measured by `weigh`. Unlimited by default. */
  readonly maxWeight?: number;
}

/**
 * Caches values while their stamp does not change. Removes the least recently used values first. Concurrent calls share
 * one load. Failed loads are not cached.
 */
export class StampedCache<K, V> {
  readonly #kept = new Map<K, Stamped<V>>();
  readonly #maxEntries: number;
  readonly #maxWeight: number;

  constructor({ maxEntries, maxWeight = Number.POSITIVE_INFINITY }: CacheLimits) {
    this.#maxEntries = maxEntries;
    this.#maxWeight = maxWeight;
  }

  get(key: K, stamp: string | number, load: () => Promise<V>): Promise<V> {
    const known = this.peek(key, stamp);
    if (known !== undefined) return known;
    const kept: Stamped<V> = { stamp, value: load(), weight: 0 };
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

  peek(key: K, stamp: string | number): Promise<V> | undefined {
    const kept = this.#kept.get(key);
    if (kept?.stamp !== stamp) return undefined;
    this.#put(key, kept);
    return kept.value;
  }

  loaded(key: K, stamp: string | number): V | undefined {
    const kept = this.#kept.get(key);
    return kept?.stamp === stamp ? kept.loaded : undefined;
  }

  weigh(key: K, stamp: string | number, weight: number): void {
    const kept = this.#kept.get(key);
    if (kept?.stamp !== stamp) return;
    kept.weight = weight;
    this.#put(key, kept);
  }

  drop(isDropped: (key: K) => boolean): void {
    for (const key of [...this.#kept.keys()]) if (isDropped(key)) this.#kept.delete(key);
  }

  #put(key: K, kept: Stamped<V>): void {
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
