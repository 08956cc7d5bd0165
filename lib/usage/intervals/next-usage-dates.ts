import type { BillingEvent } from '../../records/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import { nextUsageDate } from './cadence.ts';
import { usageRuns } from './usage-runs.ts';

/** The next dates, after a date, on which usage that is open then comes to be billed: one for each open run. */
export function nextUsageDates(events: readonly BillingEvent[], date: LocalDate): readonly LocalDate[] {
  return usageRuns(events, date)
    .map((run) => nextUsageDate(run, date))
    .filter((next) => next !== null);
}
