export interface Observations {
  readonly states: ReadonlyMap<string, string>;
  /** Differences of a run over the whole history, one line each. */
  readonly coverageDifferences: readonly string[];
  /** Dry runs with the invoices that they predicted. */
  readonly foreseen: readonly Foreseen[];
  readonly changedByRepetition: readonly string[];
}

export interface Foreseen {
  readonly accountId: string;
  readonly date: string;
  readonly dryRun: readonly string[];
  readonly run: readonly string[];
}
