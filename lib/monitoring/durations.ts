/** Neighbouring buckets differ by one part in fifty, and so does a percentile from what was measured. */
const STEP = Math.log(1.02);

const percentiles = { median: 0.5, tp75: 0.75, tp95: 0.95, tp98: 0.98, tp99: 0.99, tp999: 0.999 } as const;

/**
 * Durations of some time, in milliseconds: least, greatest, mean and deviation exactly, percentiles by buckets whose number
 * does not grow with that of the durations.
 */
export class Durations {
  readonly #buckets = new Map<number, number>();
  #count = 0;
  #sum = 0;
  #squares = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = 0;

  add(milliseconds: number): void {
    const taken = Math.max(0, milliseconds);
    // A microsecond is the least that is told apart.
    const bucket = Math.round(Math.log(Math.max(taken, 0.001)) / STEP);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
    this.#count += 1;
    this.#sum += taken;
    this.#squares += taken * taken;
    this.#least = Math.min(this.#least, taken);
    this.#greatest = Math.max(this.#greatest, taken);
  }

  /** By kind of sample (platform §12.2); nothing without a duration. */
  read(): Readonly<Record<string, number>> {
    if (this.#count === 0) return {};
    const mean = this.#sum / this.#count;
    const variance = Math.max(0, this.#squares / this.#count - mean * mean);
    const sorted = [...this.#buckets].sort(([one], [other]) => one - other);
    const points = Object.entries(percentiles).map(([kind, share]) => [
      kind,
      this.#percentile(sorted, share),
    ]);
    return {
      min: this.#least,
      max: this.#greatest,
      mean,
      std_dev: Math.sqrt(variance),
      ...Object.fromEntries(points),
    };
  }

  #percentile(sorted: readonly (readonly [bucket: number, count: number])[], share: number): number {
    let rank = Math.ceil(share * this.#count);
    for (const [bucket, count] of sorted) {
      rank -= count;
      if (rank <= 0) return Math.min(this.#greatest, Math.max(this.#least, Math.exp(bucket * STEP)));
    }
    return this.#greatest;
  }
}
