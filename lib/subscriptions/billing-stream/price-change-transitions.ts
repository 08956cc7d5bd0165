import type { PlanTimeline, PriceChangeEvent, RecurringStep } from '../../catalog/index.ts';
import { type Account, LifecycleEventType } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import {
  addDays,
  cycleDate,
  cycleDatesOf,
  type DatedInstant,
  firstCycleAfter,
  type Instant,
  isMonthBased,
  type LocalDate,
  maxDate,
} from '../../values/time/index.ts';
import type { BlockedInterval } from '../blocking/blocked-time.ts';
import { type BillCycleDaySources, billCycleDayOf } from '../timeline/bill-cycle-day.ts';
import { isEnd, isPlanChoice } from '../timeline/lifecycle-events.ts';
import { derivedRecordId } from '../timeline/phase-events.ts';
import { atReferenceTime } from '../timeline/phase-timeline.ts';
import {
  type PlanInForce,
  type PriceChangeSource,
  priceSteps,
  type Transition,
  transitionAt,
} from '../timeline/transitions.ts';

/** A transition in the billing stream. A price change is a CHANGE without a stored lifecycle event. */
export interface BillingTransition extends Transition {
  readonly isPriceChange: boolean;
}

interface PriceChangesInput extends PeriodStartsInput {
  readonly plans: PriceChangeSource;
  readonly account: Pick<Account, 'timeZone' | 'referenceTime'>;
  /** Tenant setting `subscription.align.effectiveDateForExistingSubscriptions` (catalog §6.4 rule 5). */
  readonly isAligned: boolean;
}

/**
 * Inserts price changes (§13 rule 3) after all other events of the same instant. Events that change only the bill cycle
 * day or the quantity keep the current prices.
 */
export function withPriceChanges(input: PriceChangesInput): readonly BillingTransition[] {
  const { transitions } = input;
  const changes = priceChanges(input);
  const merged: BillingTransition[] = [];
  let used = 0;
  transitions.forEach((transition, index) => {
    const inForce = merged.at(-1)?.next ?? null;
    const next = bringsPhase(transition) ? transition.next : withPricesOf(transition.next, inForce);
    let last: BillingTransition = { ...transition, previous: inForce, next, isPriceChange: false };
    merged.push(last);
    const until = transitions[index + 1]?.event.effective.at ?? Number.POSITIVE_INFINITY;
    for (; isBefore(changes[used], until); used += 1) {
      last = priceChange(changes[used], last);
      merged.push(last);
    }
  });
  return merged;
}

function priceChanges(input: PriceChangesInput): readonly PriceChangeEvent[] {
  const { transitions, plans, account, isAligned } = input;
  const timeline: PlanTimeline = { steps: priceSteps(transitions), zone: account.timeZone };
  if (!isAligned) return plans.priceChangeEvents(timeline);
  return plans.priceChangeEvents(timeline, {
    periodStartFrom: (date, recurring) => periodStartFrom(date, recurring, input),
    dated: (date) => atReferenceTime(date, account),
  });
}

/** Returns true if this event ends the plan or makes the engine select the plan's version again (catalog §6.4). */
function bringsPhase({ event }: Transition): boolean {
  return isPlanChoice(event) || isEnd(event) || event.type === LifecycleEventType.PHASE;
}

function isBefore(change: PriceChangeEvent | undefined, until: number): boolean {
  return change !== undefined && change.effective.at < until;
}

function withPricesOf(own: PlanInForce | null, inForce: PlanInForce | null): PlanInForce | null {
  if (own === null || inForce === null) return own;
  const { version, plan, phase } = inForce;
  return { ...own, version, plan, phase };
}

function priceChange(change: PriceChangeEvent | undefined, before: BillingTransition): BillingTransition {
  assertInvariant(change && before.next, 'A price change needs a plan in force');
  const { version, plan, phase, effective } = change;
  const { event } = before;
  return {
    ...before,
    event: {
      ...event,
      type: LifecycleEventType.CHANGE,
      effective,
      recordId: derivedRecordId(event.recordId),
    },
    previous: before.next,
    next: { ...before.next, version, plan, phase },
    isPriceChange: true,
  };
}

interface PeriodStartsInput {
  readonly transitions: readonly Transition[];
  readonly blocked: readonly BlockedInterval[];
  readonly sources: BillCycleDaySources;
}

/**
 * Returns the first cycle date on or after `date` (catalog §6.4 rule 5). Bill cycle day changes and ends of blocks
 * restart the cycle (invoicing §5.2 rule 5).
 */
function periodStartFrom(date: LocalDate, { step, period }: RecurringStep, input: PeriodStartsInput) {
  const starts = cycleStarts(step.effective, input);
  // A day-based cycle starts on the day of the event, so the next period starts at least one day later.
  const earliest = isMonthBased(period) ? date : maxDate(date, addDays(step.effective.date, 1));
  let found = earliest;
  for (const [index, start] of starts.entries()) {
    const billCycleDayLocal = dayAt(start.at, input);
    const cycle = cycleDatesOf({ localDate: start.date, billingPeriod: period, billCycleDayLocal });
    found = cycleDate(cycle, firstCycleAfter(cycle, addDays(maxDate(earliest, start.date), -1)));
    const next = starts[index + 1];
    if (next === undefined || found < next.date) break;
  }
  return found;
}

function cycleStarts(step: DatedInstant, { transitions, blocked }: PeriodStartsInput) {
  const later = [
    ...transitions.flatMap(({ event }) =>
      event.type === LifecycleEventType.BCD_CHANGE ? [event.effective] : [],
    ),
    ...blocked.flatMap(({ end }) => end ?? []),
  ].filter(({ at }) => at > step.at);
  return [step, ...later.sort((a, b) => a.at - b.at)];
}

function dayAt(at: Instant, { transitions, sources }: PeriodStartsInput): number {
  const transition = transitionAt(transitions, at) ?? transitions[0];
  const inForce = transition?.next ?? transition?.previous;
  assertInvariant(transition && inForce, 'A price change needs a subscription that has started');
  return billCycleDayOf(inForce, transition.billCycleDay, sources).day;
}
