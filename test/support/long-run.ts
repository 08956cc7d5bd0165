/** Whether this is the run that has hours: every case, on every database, with other random ones each time. */
export const isLongRun = process.env.BILLWRIGHT_TEST_LONG === '1';

/**
 * What random tests begin with: the same at every commit, another one in each long run, which names it at its start.
 * `BILLWRIGHT_TEST_SEED` plays the same again.
 */
export const seed = Number(process.env.BILLWRIGHT_TEST_SEED ?? (isLongRun ? Date.now() % 2 ** 31 : 1));

/** For the processes that this one starts. */
process.env.BILLWRIGHT_TEST_SEED = String(seed);
