import type { BillingEvent } from '../../records/index.ts';
import {
  type CycleDates,
  cycleDate,
  cycleDatesOf,
  firstCycleAfter,
  type Instant,
  isMonthBased,
  type LocalDate,
} from '../../values/time/index.ts';
import type { UsageRun } from './usage-runs.ts';

/** The cycle dates of a run while its bill cycle day stays (§6.2). */
export interface Cadence {
  /** The event whose date they count from. */
  readonly from: BillingEvent;
  readonly cycle: CycleDates;
  /** They hold up to this instant, exclusive; null = as long as the run is open. */
  readonly until: Instant | null;
}

/**
 * The cadences of a run in order: one from its start, another from each event that brings another bill cycle day. Periods
 * of days and weeks have the one of the start (§6.2 rule 3).
 */
export function cadencesOf({ section, events, closedBy }: UsageRun): readonly Cadence[] {
  const { billingPeriod } = section;
  const anchors = isMonthBased(billingPeriod) ? events.filter(bringsAnotherDay) : [events[0]];
  return anchors.map((from, index) => ({
    from,
    cycle: cycleDatesOf({
      localDate: from.localDate,
      billingPeriod,
      billCycleDayLocal: from.billCycleDayLocal,
    }),
    until: (anchors[index + 1] ?? closedBy)?.effectiveDate ?? null,
  }));
}

/** The next date on which an open run has something to bill; null for a closed one, which has none (§7.9 rule 3). */
export function nextUsageDate(run: UsageRun, targetDate: LocalDate): LocalDate | null {
  const last = cadencesOf(run).at(-1);
  if (last === undefined || last.until !== null) return null;
  return cycleDate(last.cycle, firstCycleAfter(last.cycle, targetDate));
}

function bringsAnotherDay(event: BillingEvent, index: number, events: readonly BillingEvent[]): boolean {
  return index === 0 || event.billCycleDayLocal !== events[index - 1]?.billCycleDayLocal;
}
