import type { RecurringStep } from '../../catalog/index.ts';
import { LifecycleEventType } from '../../records/index.ts';
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
import type { BlockedInterval } from '../blocking/blocked-intervals.ts';
import { type BillCycleDaySources, billCycleDayOf } from '../timeline/bill-cycle-day.ts';
import { type Transition, transitionAt } from '../timeline/transitions.ts';

export interface PeriodStartsInput {
  /** Transitions of one subscription, in time order. */
  readonly transitions: readonly Transition[];
  /** When its billing is blocked, in time order. */
  readonly blocked: readonly BlockedInterval[];
  readonly sources: BillCycleDaySources;
}

/**
 * The first cycle date on or after `date` of a subscription whose plan step recurs in `period` (catalog §6.4 rule 5). The
 * cycle starts with the step, and again with each later bill cycle day change and end of a block (invoicing §5.2 rule 5).
 */
export function periodStartFrom(
  date: LocalDate,
  { step, period }: RecurringStep,
  input: PeriodStartsInput,
): LocalDate {
  const starts = cycleStarts(step.effective, input);
  // A day-based cycle starts on the day of the step itself, which has its price.
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

function cycleStarts(
  step: DatedInstant,
  { transitions, blocked }: PeriodStartsInput,
): readonly DatedInstant[] {
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
  assertInvariant(transition && inForce, 'A price change belongs to a subscription that has begun');
  return billCycleDayOf(inForce, transition.billCycleDay, sources).day;
}
