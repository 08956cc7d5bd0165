import { cycleDate, firstCycleAfter } from '../../values/time/index.ts';
import { cadencesOf } from './cadence.ts';
import type { UsageInterval } from './usage-intervals.ts';
import type { UsageRun } from './usage-runs.ts';

/** The days of an interval, and those of the whole period of its section that it begins in. */
export interface PeriodShare {
  readonly days: number;
  readonly totalDays: number;
}

/**
 * The share of a period that an interval covers; null = a whole period. It is above 1 for an interval that another bill
 * cycle day has made longer (§6.2 rule 5), and 0 for one within a day.
 */
export function periodShare(run: UsageRun, { start, end }: UsageInterval): PeriodShare | null {
  const cadences = cadencesOf(run);
  const cadence = cadences.findLast(({ from }) => from.effectiveDate <= start.at) ?? cadences[0];
  if (cadence === undefined) return null;
  const place = firstCycleAfter(cadence.cycle, start.date);
  const totalDays = cycleDate(cadence.cycle, place) - cycleDate(cadence.cycle, place - 1);
  const days = end.date - start.date;
  return days === totalDays ? null : { days, totalDays };
}
