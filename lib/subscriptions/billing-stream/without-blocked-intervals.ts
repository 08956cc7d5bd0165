import { type BillingEvent, BillingTransitionType } from '../../records/index.ts';
import { BillingPeriod, type DatedInstant, maxDate } from '../../values/time/index.ts';
import type { BlockedInterval } from '../blocking/blocked-time.ts';

export interface StreamEvent {
  readonly event: BillingEvent;
  /** True if the event starts a phase. Only such an event bills a fixed price. */
  readonly bringsPhase: boolean;
  /** True if plan, phase and bill cycle day stay the same, so that the period may continue. */
  readonly splitsPeriod: boolean;
}

/**
 * Replaces the events within each blocked interval by an end of billing. If the interval ends, adds an event at its
 * end with the plan that is then in force (§19.3 rule 4).
 * @param intervals in time order and without overlap.
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
    if (before !== undefined && !isEnd(before)) kept.push(disabled(before, start));
    if (end !== null && inForce !== undefined && !isEnd(inForce)) {
      const brought = stream.slice(first, after).findLast(({ bringsPhase }) => bringsPhase);
      kept.push(enabled({ ...inForce, fixedPrice: brought?.event.fixedPrice ?? null }, end));
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

function disabled(event: BillingEvent, { at, date }: DatedInstant): StreamEvent {
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

function enabled(event: BillingEvent, { at, date }: DatedInstant): StreamEvent {
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

/** Prevents local dates from decreasing (§2 rule 8) if states and events are dated by different zone rules. */
function withRisingDates(stream: readonly StreamEvent[]): readonly StreamEvent[] {
  let latest: BillingEvent['localDate'] | undefined;
  return stream.map((one) => {
    const { event } = one;
    latest = latest === undefined ? event.localDate : maxDate(latest, event.localDate);
    return latest === event.localDate ? one : { ...one, event: { ...event, localDate: latest } };
  });
}

/**
 * Sets the cycle start dates. An event that only splits the period keeps the cycle; any other event starts a new one
 * (invoicing §5.2 rule 5).
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
 * Returns true if recurring terms stay the same. A price change may also change the period or, by its billing
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
