import type { ModelEvent } from './billing-events.ts';
import { planOf } from './billing-events.ts';
import { addMonths, type Day, dayInMonth } from './calendar.ts';

/** A part of a billing period: the whole period, or the part that an event leaves of it. */
export interface PeriodPart {
  readonly event: ModelEvent;
  readonly start: Day;
  readonly end: Day;
  /** End of the period if no event cuts it. */
  readonly uncutEnd: Day;
  /** Days of the whole period. 0 for a whole period. */
  readonly periodDays: number;
  /** Start of the billing period that the part belongs to. */
  readonly periodStart: Day;
}

/** Returns the parts of all recurring periods up to the horizon (invoicing §5.2 and §5.4). */
export function partsOf(
  events: readonly ModelEvent[],
  billCycleDay: number,
  horizon: Day,
): readonly PeriodPart[] {
  const parts: PeriodPart[] = [];
  for (const [index, event] of events.entries()) {
    const end = events[index + 1]?.day ?? horizon;
    if (event.recurring === null || end <= event.day) continue;
    for (const part of cutPeriods(event, billCycleDay, end)) {
      const before = parts.at(-1);
      const isRest = !part.startsCycle && before !== undefined && before.uncutEnd > part.start;
      parts.push({ ...part, event, periodStart: isRest ? before.periodStart : part.start });
    }
  }
  return parts;
}

interface CutPeriod extends Omit<PeriodPart, 'event' | 'periodStart'> {
  /** True if the part starts on a cycle date. */
  readonly startsCycle: boolean;
}

function* cutPeriods(event: ModelEvent, billCycleDay: number, end: Day): Iterable<CutPeriod> {
  const { months } = planOf(event.planName);
  const start = event.day;
  let cycle = addMonths(event.cycleStart, 0, billCycleDay);
  for (let k = 1; cycle < event.cycleStart; k++)
    cycle = addMonths(addMonths(event.cycleStart, 0, 1), k * months, billCycleDay);
  let before = addMonths(cycle, -months, dayInMonth(cycle));
  const dates = (k: number): Day => addMonths(addMonths(cycle, 0, 1), k * months, billCycleDay);
  let k = 0;
  while (dates(k) < start) {
    before = dates(k);
    k++;
  }
  const first = dates(k);
  if (first > start)
    yield {
      start,
      end: Math.min(first, end),
      uncutEnd: first,
      periodDays: first - before,
      startsCycle: false,
    };
  for (; dates(k) < end; k++) {
    const [from, until] = [dates(k), dates(k + 1)];
    if (until <= end) yield { start: from, end: until, uncutEnd: until, periodDays: 0, startsCycle: true };
    else yield { start: from, end, uncutEnd: until, periodDays: until - from, startsCycle: true };
  }
}

/** Returns the day up to which an event bills (invoicing §5.3). Null: it bills nothing. */
export function billedThrough(
  parts: readonly PeriodPart[],
  next: Day | null,
  { target, isInArrear }: { readonly target: Day; readonly isInArrear: boolean },
): Day | null {
  if (next !== null && target >= next) return next;
  if (isInArrear) return parts.findLast(({ uncutEnd }) => uncutEnd <= target)?.uncutEnd ?? null;
  const current = parts.find(({ uncutEnd }) => uncutEnd > target);
  return current?.end ?? null;
}
