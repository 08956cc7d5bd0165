import type { BillingEvent } from '../../records/index.ts';
import type { StreamEvent } from './without-blocked-intervals.ts';

/**
 * The events of one subscription with the dates from which their bill cycles count: an event that only splits the running
 * period keeps the cycle of the event before it, every other event starts a cycle (invoicing §5.2 rule 5).
 */
export function withRunningPeriods(stream: readonly StreamEvent[]): readonly BillingEvent[] {
  const events: BillingEvent[] = [];
  for (const { event, splitsPeriod } of stream) {
    const before = events.at(-1);
    const goesOn = splitsPeriod && before !== undefined && recursAlike(before, event);
    const cycleStart = goesOn ? before.cycleStart : event.localDate;
    events.push(cycleStart === event.cycleStart ? event : { ...event, cycleStart });
  }
  return events;
}

/** A price change may also bring another period or, by another billing alignment, another bill cycle day. */
function recursAlike(before: BillingEvent, event: BillingEvent): boolean {
  return (
    before.billingPeriod === event.billingPeriod &&
    before.billingMode === event.billingMode &&
    before.billCycleDayLocal === event.billCycleDayLocal &&
    (before.recurringPrice === null) === (event.recurringPrice === null)
  );
}
