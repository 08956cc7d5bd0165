/** How a handler ended with an entry; a busy or failed entry comes again, or ends as FAILED. */
export type EntryOutcome = 'done' | 'busy' | 'failed';

/** Counts what the handlers of this node have done since it was opened. */
export class EntryCounts {
  readonly #counts = new Map<string, { handler: string; outcome: EntryOutcome; count: number }>();

  add(handler: string, outcome: EntryOutcome, count: number): void {
    const key = `${handler} ${outcome}`;
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { handler, outcome, count });
    else known.count += count;
  }

  list(): readonly { readonly handler: string; readonly outcome: EntryOutcome; readonly count: number }[] {
    return [...this.#counts.values()];
  }
}
