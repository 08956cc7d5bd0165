/** Whether this is the run that has hours: every case, on every database. */
export const isLongRun = process.env.BILLWRIGHT_TEST_LONG === '1';
