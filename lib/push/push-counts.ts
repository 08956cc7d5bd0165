/** How an attempt of a push ended; after `failed` it comes again, after `given_up` it does not. */
export type PushOutcome = 'delivered' | 'failed' | 'given_up' | 'withdrawn';

/** Counts the attempts of this node since it was opened. */
export class PushCounts {
  readonly #counts = new Map<PushOutcome, number>([
    ['delivered', 0],
    ['failed', 0],
    ['given_up', 0],
    ['withdrawn', 0],
  ]);

  add(outcome: PushOutcome): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  list(): readonly { readonly outcome: PushOutcome; readonly count: number }[] {
    return [...this.#counts].map(([outcome, count]) => ({ outcome, count }));
  }
}
