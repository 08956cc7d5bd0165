import { addMonths, type Day } from '../coupon-lives/calendar.ts';
import { type LifePhase, type Period, periodMonths } from './catalog.ts';

const DAYS_PER_WEEK = 7;
const MONTHS_PER_YEAR = 12;

/** The period of a quota in local dates. */
export interface QuotaPeriod {
  readonly start: Day;
  /** Null: without an end. */
  readonly end: Day | null;
}

/** A stretch of time with one bill cycle. */
export interface Cycle {
  readonly day: Day;
  readonly phase: LifePhase;
  readonly billCycleDay: number;
  /** True if the bill cycle day changes. Years count from this day. */
  readonly isMoved: boolean;
}

/**
 * Returns the period that contains a day: from the last cycle date that has passed to the next one, whatever cycles they
 * belong to (features §4 rules 1 and 6).
 * @param cycles cycles of the subscription in order, with planned ones.
 */
export function periodOn(per: Period, day: Day, cycles: readonly Cycle[]): QuotaPeriod {
  if (per === 'DAY') return { start: day, end: day + 1 };
  let start = cycles[0]?.day ?? day;
  if (per === 'EVER') return { start, end: null };
  let yearsFrom = start;
  for (const [index, cycle] of cycles.entries()) {
    const isOther = cycle.billCycleDay !== cycles[index - 1]?.billCycleDay;
    if (cycle.isMoved && isOther) yearsFrom = cycle.day;
    const anchor = per === 'YEAR' ? yearsFrom : cycle.day;
    const until = cycles[index + 1]?.day ?? Number.POSITIVE_INFINITY;
    for (let count = 0; ; count += 1) {
      const date = cycleDate(cycle, per, { anchor, index: count });
      if (date >= until) break;
      if (date > day && date >= cycle.day) return { start, end: date };
      if (date >= cycle.day) start = date;
    }
  }
  throw new Error('The last cycle has no end');
}

type CyclePeriod = Exclude<Period, 'DAY' | 'EVER'>;

/** Returns a cycle date from the anchor on (catalog §9.2). */
function cycleDate(
  { phase, billCycleDay }: Cycle,
  per: CyclePeriod,
  { anchor, index }: { readonly anchor: Day; readonly index: number },
): Day {
  const billingPeriod = phase.recurring?.billingPeriod;
  if (per === 'BILLING_PERIOD' && billingPeriod === 'WEEKLY') return anchor + index * DAYS_PER_WEEK;
  const months = monthsOf(per, billingPeriod);
  const inMonth = addMonths(anchor, 0, billCycleDay);
  return addMonths(anchor, (inMonth < anchor ? index + 1 : index) * months, billCycleDay);
}

function monthsOf(per: CyclePeriod, billingPeriod: keyof typeof periodMonths | 'WEEKLY' | undefined): number {
  if (per === 'YEAR') return MONTHS_PER_YEAR;
  if (per === 'MONTH' || billingPeriod === undefined || billingPeriod === 'WEEKLY') return 1;
  return periodMonths[billingPeriod];
}
