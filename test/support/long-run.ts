/** Whether this is the long run: every case, on every database, with a new random seed. */
export const isLongRun = process.env.BILLWRIGHT_TEST_LONG === '1';

/**
 * Seed of the random tests: the same on each commit, a new one in each long run, which prints it at the start. Set
 * `BILLWRIGHT_TEST_SEED` to repeat a run.
 */
export const seed = Number(process.env.BILLWRIGHT_TEST_SEED ?? (isLongRun ? Date.now() % 2 ** 31 : 1));

/** Passed to child processes. */
process.env.BILLWRIGHT_TEST_SEED = String(seed);

/**
 * Returns every `every`-th item on commits, starting at `turn`, and all of them in the long run. With a different turn
 * per row, a table with several rows per item covers all items.
 */
export function sampled<T>(all: readonly T[], every: number, turn = 0): readonly T[] {
  return isLongRun ? all : all.filter((_, index) => index % every === turn % every);
}

/** Returns whether the row at this place of a table runs on commits, which run every `every`-th row. */
export function isSampled(place: number, every: number): boolean {
  return isLongRun || place % every === 0;
}

/**
 * Cases per property: `BILLWRIGHT_PROPERTY_RUNS` if set, else 100,000 in the long run and 120 otherwise.
 */
export const propertyRuns = runs(100_000);

/** Catalog documents of every shape. They are large: each takes as long as many cases of other properties. */
export const documentRuns = runs(100_000, 50);

/**
 * Random histories of a subscription. Commits run more of them, because they are fast and find most errors (invoicing
 * §7.3).
 */
export const historyRuns = runs(100_000, 150);

/** Length of the histories: the long run has time for the longest ones. */
export const historySize = isLongRun ? 'max' : 'small';

/** Histories played on a database, each with its own engine and database. */
export const storedRuns = isLongRun ? 500 : 4;

/** Histories with a tax plugin and its documents, each played on a database. */
export const taxedRuns = runs(300, 12);

/** Cases per zone and host zone. There are 384 such pairs, and each case makes several comparisons. */
export const zoneRuns = runs(2_500, 12);

function runs(longRun: number, shortRun = 120): number {
  const configured = process.env.BILLWRIGHT_PROPERTY_RUNS;
  if (configured !== undefined) return Number(configured);
  return isLongRun ? longRun : shortRun;
}
