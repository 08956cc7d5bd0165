/** How an attempt ended; after `failed` and `put_off` it comes again, after `given_up` it does not. */
export type PushOutcome = 'delivered' | 'failed' | 'put_off' | 'given_up' | 'withdrawn';

/** What attempts of a push may come to, and what those of a sink. */
export const PUSH_OUTCOMES: readonly PushOutcome[] = ['delivered', 'failed', 'given_up', 'withdrawn'];
export const SINK_OUTCOMES: readonly PushOutcome[] = ['delivered', 'failed', 'put_off', 'given_up'];

/** Counts the attempts of this node since it was opened. */
export class PushCounts {
  readonly #counts: Map<PushOutcome, number>;

  constructor(outcomes: readonly PushOutcome[]) {
    this.#counts = new Map(outcomes.map((outcome) => [outcome, 0]));
  }

  add(outcome: PushOutcome): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  list(): readonly { readonly outcome: PushOutcome; readonly count: number }[] {
    return [...this.#counts].map(([outcome, count]) => ({ outcome, count }));
  }
}
