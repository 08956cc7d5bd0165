import { type BillingEvent, BillingTransitionType } from '../../records/index.ts';
import { BillingPeriod, type DatedInstant, maxDate } from '../../values/time/index.ts';
import type { BlockedInterval } from '../blocking/blocked-time.ts';

export interface StreamEvent {
  readonly event: BillingEvent;
  /** True if the event starts a phase. Fixed prices are billed only for such events. */
  readonly bringsPhase: boolean;
  /** True if the plan, phase and bill cycle day are unchanged, so that the billing period may continue. */
  readonly splitsPeriod: boolean;
}

/**
 * Replaces the events within each blocked interval with an end of billing. If the interval has an end, adds an event at
 * that end with the plan in force at that time (§19.3 rule 4).
 * @param intervals Must be in time order and must not overlap.
 */
export function withoutBlockedIntervals(
  stream: readonly StreamEvent[],
  intervals: readonly BlockedInterval[],
): readonly StreamEvent[] {
  if (intervals.length === 0) return stream;
  const kept: StreamEvent[] = [];
  let next = 0;
  for (const { start, end } of intervals) {
    const first = indexFrom(stream, start);
    const after = end === null ? stream.length : indexFrom(stream, end);
    kept.push(...stream.slice(next, first));
    const [before, inForce] = [stream[first - 1]?.event, stream[after - 1]?.event];
    if (before !== undefined && !isEnd(before)) kept.push(disableBillingAt(before, start));
    if (end !== null && inForce !== undefined && !isEnd(inForce)) {
      const brought = stream.slice(first, after).findLast(({ bringsPhase }) => bringsPhase);
      kept.push(enableBillingAt({ ...inForce, fixedPrice: brought?.event.fixedPrice ?? null }, end));
    }
    next = after;
  }
  kept.push(...stream.slice(next));
  return withRisingDates(kept);
}

function indexFrom(stream: readonly StreamEvent[], from: DatedInstant): number {
  const index = stream.findIndex(({ event }) => event.effectiveDate >= from.at);
  return index < 0 ? stream.length : index;
}

function disableBillingAt(event: BillingEvent, { at, date }: DatedInstant): StreamEvent {
  return edge({
    ...event,
    effectiveDate: at,
    localDate: date,
    transitionType: BillingTransitionType.START_BILLING_DISABLED,
    fixedPrice: null,
    recurringPrice: null,
    billingPeriod: BillingPeriod.NO_BILLING_PERIOD,
    usages: [],
  });
}

function enableBillingAt(event: BillingEvent, { at, date }: DatedInstant): StreamEvent {
  return edge({
    ...event,
    effectiveDate: at,
    localDate: date,
    transitionType: BillingTransitionType.END_BILLING_DISABLED,
  });
}

function edge(event: BillingEvent): StreamEvent {
  return { event, bringsPhase: false, splitsPeriod: false };
}

function isEnd({ transitionType }: BillingEvent): boolean {
  return transitionType === BillingTransitionType.CANCEL || transitionType === BillingTransitionType.EXPIRED;
}

/**
 * Keeps local dates in ascending order (§2 rule 8). Otherwise, different time zone rules for states and events could
 * produce decreasing dates.
 */
function withRisingDates(stream: readonly StreamEvent[]): readonly StreamEvent[] {
  let latest: BillingEvent['localDate'] | undefined;
  return stream.map((one) => {
    const { event } = one;
    latest = latest === undefined ? event.localDate : maxDate(latest, event.localDate);
    return latest === event.localDate ? one : { ...one, event: { ...event, localDate: latest } };
  });
}

/**
 * Sets the cycle start dates. An event that only splits the period continues the cycle. Any other event starts a new
 * cycle (invoicing §5.2 rule 5).
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

/**
 * Returns true if the recurring terms are unchanged. A price change may also change the period or, through its billing
 * alignment, the bill cycle day.
 */
function recursAlike(before: BillingEvent, event: BillingEvent): boolean {
  return (
    before.billingPeriod === event.billingPeriod &&
    before.billingMode === event.billingMode &&
    before.billCycleDayLocal === event.billCycleDayLocal &&
    (before.recurringPrice === null) === (event.recurringPrice === null)
  );
}
