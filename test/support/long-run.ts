/** Whether this is the run that has hours: every case, on every database, with other random ones each time. */
export const isLongRun = process.env.BILLWRIGHT_TEST_LONG === '1';

/**
 * What random tests begin with: the same at every commit, another one in each long run, which names it at its start.
 * `BILLWRIGHT_TEST_SEED` plays the same again.
 */
export const seed = Number(process.env.BILLWRIGHT_TEST_SEED ?? (isLongRun ? Date.now() % 2 ** 31 : 1));

/** For the processes that this one starts. */
process.env.BILLWRIGHT_TEST_SEED = String(seed);

/**
 * One of `every` of them at every commit, those of the turn: rows of a table that take turns leave out nothing that the
 * table has several rows for. In the long run all of them.
 */
export function sampled<T>(all: readonly T[], every: number, turn = 0): readonly T[] {
  return isLongRun ? all : all.filter((_, index) => index % every === turn % every);
}

/** Whether what has this place in a table is among those of the commit, of which there is one in `every`. */
export function isSampled(place: number, every: number): boolean {
  return isLongRun || place % every === 0;
}

/**
 * Cases per property: `BILLWRIGHT_PROPERTY_RUNS` if set, else 100,000 in the long run and 120 otherwise.
 */
export const propertyRuns = runs(100_000);

/** Catalog documents of every shape, which are large: each takes as long as many cases of other properties. */
export const documentRuns = runs(100_000, 50);

/** Random histories of a subscription, of which every commit sees more: they are cheap and tell most (invoicing §7.3). */
export const historyRuns = runs(100_000, 150);

/** How long they become: the long run has time for those that are as long as they may be. */
export const historySize = isLongRun ? 'max' : 'small';

/** The same played by the engine on a database, with an engine and a database of its own for each. */
export const storedRuns = isLongRun ? 500 : 4;

/** Histories with a tax plugin, each played by an engine on a database, with its documents. */
export const taxedRuns = runs(300, 12);

/** Cases per zone and host zone; there are 384 such pairs, each case makes several comparisons. */
export const zoneRuns = runs(2_500, 12);

function runs(longRun: number, shortRun = 120): number {
  const asked = process.env.BILLWRIGHT_PROPERTY_RUNS;
  if (asked !== undefined) return Number(asked);
  return isLongRun ? longRun : shortRun;
}
