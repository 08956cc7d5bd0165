/** What the engine answers about the data that the books hold. */
export interface Observations {
  /** State by subscription id, as it is read. */
  readonly states: ReadonlyMap<string, string>;
  /** What a run of today would make otherwise if it looked at the whole history, one line each. */
  readonly coverageDifferences: readonly string[];
  /** Dry runs beside the invoices of the runs that they foresaw. */
  readonly foreseen: readonly Foreseen[];
  /** What runs have changed that were asked for once more. */
  readonly changedByRepetition: readonly string[];
}

export interface Foreseen {
  readonly accountId: string;
  readonly date: string;
  readonly dryRun: readonly string[];
  readonly run: readonly string[];
}
