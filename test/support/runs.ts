import { isLongRun } from './long-run.ts';

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

/** Cases per zone and host zone; there are 384 such pairs, each case makes several comparisons. */
export const zoneRuns = runs(2_500, 12);

function runs(longRun: number, shortRun = 120): number {
  const asked = process.env.BILLWRIGHT_PROPERTY_RUNS;
  if (asked !== undefined) return Number(asked);
  return isLongRun ? longRun : shortRun;
}
