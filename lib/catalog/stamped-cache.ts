interface Kept<V> {
  readonly stamp: string | number;
  readonly value: Promise<V>;
}

/**
 * Values that are kept as long as their stamp stays the same, the least recently used ones go first. Calls that need the
 * same value at once share one load; a load that fails is not kept.
 */
export class StampedCache<K, V> {
  readonly #kept = new Map<K, Kept<V>>();
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** The value of `key` at `stamp`, from `load` if it is not there. */
  get(key: K, stamp: string | number, load: () => Promise<V>): Promise<V> {
    const known = this.peek(key, stamp);
    if (known !== undefined) return known;
    const kept = { stamp, value: load() };
    this.#put(key, kept);
    kept.value.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
    return kept.value;
  }

  /** The same without a load. */
  peek(key: K, stamp: string | number): Promise<V> | undefined {
    const kept = this.#kept.get(key);
    if (kept?.stamp !== stamp) return undefined;
    this.#put(key, kept);
    return kept.value;
  }

  #put(key: K, kept: Kept<V>): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    if (this.#kept.size <= this.#maxEntries) return;
    const oldest = this.#kept.keys().next();
    if (!oldest.done) this.#kept.delete(oldest.value);
  }
}
