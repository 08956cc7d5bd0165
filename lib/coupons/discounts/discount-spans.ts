import type { BillingEvent, CouponDuration, DiscountSpan } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import {
  addMonths,
  BillingPeriod,
  type CycleDates,
  cycleDate,
  cycleDatesOf,
  earlierDate,
  firstCycleFrom,
  type LocalDate,
  lastCycleUpTo,
  maxDate,
} from '../../values/time/index.ts';

/** Returns the maximum number of discounted periods, or null if the discount is not limited by periods. */
export function periodsOf(duration: CouponDuration): number | null {
  if (duration === 'ONCE') return 1;
  return typeof duration === 'object' && 'periods' in duration ? duration.periods : null;
}

/** Returns the maximum number of discounted months, or null if the discount is not limited by months. */
export function monthsOf(duration: CouponDuration): number | null {
  return typeof duration === 'object' && 'months' in duration ? duration.months : null;
}

/** A run of billed periods of one billing event. Its first period may have started during an earlier event. */
interface BilledRun {
  readonly cycle: CycleDates;
  /** End of the event, or null for the last event. */
  readonly endDate: LocalDate | null;
  /** True if the days before the first cycle date belong to a period that started during an earlier event. */
  readonly continues: boolean;
}

interface SpanTerms {
  readonly redeemed: LocalDate;
  readonly duration: CouponDuration;
  /** Periods that start on or after this day are not discounted. The value is null if there is no such day. */
  readonly ended: LocalDate | null;
}

/**
 * Returns the dates on which the discounted periods of a subscription start (§3). The first date is the start of the
 * first period that starts on or after the redemption; a period that a change or a pause splits counts once. The end
 * is the start of a period, so that all parts of a split period have the same rate. Returns null if no period starts
 * in the span.
 * @param events billing events of one subscription, in order.
 */
export function discountSpan(
  events: readonly BillingEvent[],
  { redeemed, duration, ended }: SpanTerms,
): DiscountSpan | null {
  const runs = billedRuns(events);
  // If there is no later period, the parts of the last period keep its discount.
  const lastEnd = runs.at(-1)?.endDate ?? null;
  const startFrom = (date: LocalDate) =>
    startOfPeriod(runs, { after: date, skipped: 0 }) ?? (lastEnd === null ? date : maxDate(date, lastEnd));
  const from = startOfPeriod(runs, { after: redeemed, skipped: 0 });
  if (from === null) return null;
  const [periods, months] = [periodsOf(duration), monthsOf(duration)];
  const bounds = [
    periods === null ? null : startOfPeriod(runs, { after: from, skipped: periods }),
    months === null ? null : startFrom(addMonths(from, months)),
    ended === null ? null : startFrom(ended),
  ];
  const until = bounds.reduce(earlierDate, null);
  return until !== null && until <= from ? null : { from, until };
}

/** Returns the number of periods that start in the range. A period that is split counts once. */
export function countPeriods(
  events: readonly BillingEvent[],
  { from, until }: { readonly from: LocalDate; readonly until: LocalDate },
): number {
  return billedRuns(events).reduce((count, { cycle, endDate, continues }) => {
    const { start, first } = cycle;
    const end = earlierDate(endDate, until) ?? until;
    const isLeading = start < first && !continues && start >= from && start < end;
    const whole = firstCycleFrom(cycle, maxDate(first, end)) - firstCycleFrom(cycle, maxDate(first, from));
    return count + (isLeading ? 1 : 0) + Math.max(0, whole);
  }, 0);
}

/** Returns the runs of billed periods in order. Days without a recurring price are in no run. */
function billedRuns(events: readonly BillingEvent[]): readonly BilledRun[] {
  const runs: BilledRun[] = [];
  let periodEnd: LocalDate | null = null;
  for (const [index, event] of events.entries()) {
    const endDate = events[index + 1]?.localDate ?? null;
    const isFree = event.recurringPrice?.isZero() ?? true;
    if (isFree || event.billingPeriod === BillingPeriod.NO_BILLING_PERIOD) continue;
    if (endDate === event.localDate) continue;
    const cycle = cycleDatesOf(event);
    const continues = cycle.start < cycle.first && periodEnd !== null && cycle.start < periodEnd;
    runs.push({ cycle, endDate, continues });
    if (endDate !== null) periodEnd = endOfPeriodAt(cycle, endDate);
  }
  return runs;
}

/** Returns the end of the period that contains the day before `date`. */
function endOfPeriodAt(cycle: CycleDates, date: LocalDate): LocalDate {
  if (date <= cycle.first) return cycle.first;
  const last = lastCycleUpTo(cycle, date);
  return cycleDate(cycle, last) === date ? date : cycleDate(cycle, last + 1);
}

/**
 * Returns the start of the period that is `skipped` periods later than the first period that starts on or after
 * `after`. Returns null if there are not enough periods.
 */
function startOfPeriod(
  runs: readonly BilledRun[],
  { after, skipped }: { readonly after: LocalDate; readonly skipped: number },
): LocalDate | null {
  let left = skipped;
  for (const run of runs) {
    const { cycle, endDate, continues } = run;
    const isLeading = cycle.start < cycle.first && !continues && cycle.start >= after;
    if (isLeading) {
      if (left === 0) return cycle.start;
      left -= 1;
    }
    const firstIndex = firstCycleFrom(cycle, after);
    const startsWithin = (date: LocalDate) => endDate === null || date < endDate;
    const wanted = cycleDate(cycle, firstIndex + left);
    if (startsWithin(wanted)) return wanted;
    assertInvariant(endDate !== null, 'The last billing event has no end');
    const found = firstCycleFrom(cycle, endDate) - firstIndex;
    left -= Math.max(0, found);
  }
  return null;
}
