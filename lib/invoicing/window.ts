import type { LocalDate } from '../time/index.ts';
import { addDays, minDate } from '../time/index.ts';
import type { BillingEvent } from './billing-event.ts';
import { cycleDate, cycleDatesOf, lastCycleUpTo } from './cycle-dates.ts';
import type { InArrearMode } from './invoicing-config.ts';
import type { InvoicingCursor } from './model.ts';
import { recurs } from './recurring-proposals.ts';

/** What one evaluation of a subscription looks at: the days from `start` on (invoicing.md §7.2). */
export interface BillingWindow {
  /** null = all days (full evaluation). */
  readonly start: LocalDate | null;
  /** Index of the first billing event that matters; events before it need not be loaded. */
  readonly anchorIndex: number;
}

export interface WindowInput {
  /** Events of one subscription in order. */
  readonly events: readonly BillingEvent[];
  /** null = never evaluated. */
  readonly cursor: InvoicingCursor | null;
}

export interface DueInput extends WindowInput {
  readonly targetDate: LocalDate;
  readonly inArrearMode: InArrearMode;
}

const wholeHistory: BillingWindow = Object.freeze({ start: null, anchorIndex: 0 });

/**
 * The window of the next evaluation, whatever its target date (invoicing.md §7.2 steps 1–3). Load the RECURRING rows that
 * end after its start and the FIXED and FREE rows that start on or after it.
 *
 * A cursor that has settled nothing means the whole history, whatever is dirty: `dirtyFrom` alone may lie after periods
 * that no run has billed yet.
 */
export function windowOf({ events, cursor }: WindowInput): BillingWindow {
  if (cursor === null || cursor.settledThrough === null) return wholeHistory;
  const { settledThrough, dirtyFrom } = cursor;
  const changedFrom = dirtyFrom === null ? settledThrough : minDate(settledThrough, dirtyFrom);

  const anchorIndex = lastEventBefore(events, changedFrom);
  const anchor = events[anchorIndex];
  if (anchor === undefined) return wholeHistory;
  return { start: windowStart(anchor, changedFrom), anchorIndex };
}

/** True if the subscription can have something to bill or to repair at the target date (invoicing.md §7.1). */
export function isDue(input: DueInput): boolean {
  const { events, cursor, targetDate, inArrearMode } = input;
  if (cursor === null || cursor.dirtyFrom !== null) return true;
  if (cursor.nextDueDate !== null && cursor.nextDueDate <= targetDate) return true;
  return (
    inArrearMode === 'GREEDY' && events.some((event) => recurs(event) && event.billingMode === 'IN_ARREAR')
  );
}

function lastEventBefore(events: readonly BillingEvent[], date: LocalDate): number {
  let index = events.length - 1;
  while (index >= 0 && (events[index]?.localDate ?? date) >= date) index -= 1;
  return index;
}

/** The latest date before `changedFrom` on which a period of the anchor begins. */
function windowStart(anchor: BillingEvent, changedFrom: LocalDate): LocalDate {
  if (!recurs(anchor)) return anchor.localDate;
  const cycle = cycleDatesOf(anchor);
  const k = lastCycleUpTo(cycle, addDays(changedFrom, -1));
  return k < 0 ? anchor.localDate : cycleDate(cycle, k);
}
