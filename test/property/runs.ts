/**
 * Cases per property: `BILLWRIGHT_PROPERTY_RUNS` if set, else 100,000 in the long run and 200 otherwise.
 */
export const propertyRuns = runs(100_000);

/** Cases per zone and host zone; there are 384 such pairs, each case makes several comparisons. */
export const zoneRuns = runs(2_500);

function runs(longRun: number): number {
  const asked = process.env.BILLWRIGHT_PROPERTY_RUNS;
  if (asked !== undefined) return Number(asked);
  return process.env.BILLWRIGHT_TEST_LONG === '1' ? longRun : 200;
}
