import type { BillingEvent, InvoicingCursor } from '../../records/index.ts';
import {
  addDays,
  cycleDate,
  cycleDatesOf,
  earlierDate,
  firstCycleAfter,
  LAST_DATE,
  type LocalDate,
  lastCycleUpTo,
  maxDate,
  minDate,
} from '../../values/time/index.ts';
import {
  type BilledEvent,
  billedEvent,
  type ProposalConfig,
  type RecurringProposal,
  type RecurringProposalsInput,
  rateOf,
  recurs,
} from './recurring-proposals.ts';

/** The days that one evaluation of a subscription covers: all days from `start` on (§7.2). */
export interface BillingWindow {
  /** First day of the window. Null means all days (full evaluation). */
  readonly start: LocalDate | null;
  /** Index of the first billing event that the evaluation needs. Earlier events need not be loaded. */
  readonly anchorIndex: number;
}

interface WindowInput {
  /** Events of one subscription in order. */
  readonly events: readonly BillingEvent[];
  /** The subscription's cursor, or null if the subscription was never evaluated. */
  readonly cursor: InvoicingCursor | null;
  /** Target date of the evaluation, or the earliest of several target dates. Null means any date. */
  readonly targetDate: LocalDate | null;
}

interface DueInput extends WindowInput {
  readonly targetDate: LocalDate;
  readonly config: ProposalConfig;
}

const wholeHistory: BillingWindow = Object.freeze({ start: null, anchorIndex: 0 });

/**
 * Returns the window of the next evaluation (§7.2 steps 1–3). Load the RECURRING rows that end after the start of the
 * window, and the FIXED and FREE rows that start on or after it. A cursor that has settled nothing requires the whole
 * history, because `dirtyFrom` may be after periods that no run has billed yet.
 */
export function windowOf({ events, cursor, targetDate }: WindowInput): BillingWindow {
  if (cursor === null || cursor.settledThrough === null) return wholeHistory;
  const changedFrom = findEvaluationStart(cursor, cursor.settledThrough, targetDate);
  if (changedFrom === null) return wholeHistory;

  const anchorIndex = lastEventBefore(events, changedFrom);
  const anchor = events[anchorIndex];
  if (anchor === undefined) return wholeHistory;
  return { start: windowStart(anchor, changedFrom), anchorIndex };
}

/**
 * Returns the date from which the subscription is evaluated (W of §7.2). A changed subscription may be evaluated at an
 * earlier target date than before, because runs without recurring charges do not prevent this (§1.5). The days after
 * that target date must then also be evaluated again. Otherwise they would violate invariant I1 of §7.3.
 */
function findEvaluationStart(
  { dirtyFrom }: InvoicingCursor,
  settledThrough: LocalDate,
  targetDate: LocalDate | null,
): LocalDate | null {
  if (dirtyFrom === null) return settledThrough;
  if (targetDate === null) return null;
  return minDate(settledThrough, dirtyFrom, addDays(targetDate, 1));
}

/** Returns true if the subscription may have something to bill or repair at the target date (§7.1). */
export function isDue({ events, cursor, targetDate, config }: DueInput): boolean {
  if (cursor === null || cursor.dirtyFrom !== null) return true;
  if (cursor.nextDueDate !== null && cursor.nextDueDate <= targetDate) return true;
  if (config.inArrearMode !== 'GREEDY') return false;
  if (!events.some((event) => recurs(event) && event.billingMode === 'IN_ARREAR')) return false;
  // Greedy arrears grow on days after the last evaluation, never on evaluated days (§7.3 I3).
  const settled = computeStanding({ events, targetDate, config }).settledThrough;
  return settled !== null && (cursor.settledThrough === null || settled > cursor.settledThrough);
}

/**
 * Returns a date at which an evaluation leaves the cursor of a subscription unchanged, given that the subscription is
 * not due. This is the target date or the later date of an earlier evaluation. Returns null if there is no such date.
 */
export function findEvaluatedDate({ events, cursor, targetDate, config }: DueInput): LocalDate | null {
  if (cursor === null) return null;
  const { settledThrough, nextDueDate } = cursor;
  const dates = [
    targetDate,
    ...(nextDueDate === null ? [] : [addDays(nextDueDate, -1)]),
    ...(settledThrough === null ? [] : [addDays(settledThrough, -1), settledThrough]),
  ];
  const found = dates.find((date) => {
    const standing = computeStanding({ events, targetDate: date, config });
    return standing.settledThrough === settledThrough && isDueBy(standing.nextDueDate, cursor);
  });
  return found ?? null;
}

/** Returns true if the subscription is due by the date. Usage may be due earlier than recurring charges. */
function isDueBy(date: LocalDate | null, { nextDueDate, usage }: InvoicingCursor): boolean {
  if (date === nextDueDate) return true;
  return usage != null && nextDueDate !== null && (date === null || nextDueDate < date);
}

function lastEventBefore(events: readonly BillingEvent[], date: LocalDate): number {
  let index = events.length - 1;
  while (index >= 0 && (events[index]?.localDate ?? date) >= date) index -= 1;
  return index;
}

/** Returns the start of the anchor event's last period that starts before `changedFrom`. */
function windowStart(anchor: BillingEvent, changedFrom: LocalDate): LocalDate {
  if (!recurs(anchor)) return anchor.localDate;
  const cycle = cycleDatesOf(anchor);
  const k = lastCycleUpTo(cycle, addDays(changedFrom, -1));
  return k < 0 ? anchor.localDate : cycleDate(cycle, k);
}

/** The state of a subscription that is billed up to the target date. */
interface Standing {
  /**
   * Date up to which the billing is final unless events change (§7.2 rule 7), or null if the subscription has not
   * begun.
   */
  readonly settledThrough: LocalDate | null;
  /** The next date after the target date on which something may be billed (§5.5 rule 3). */
  readonly nextDueDate: LocalDate | null;
}

/** Returns the state of a subscription after a run. Dates of usage are not included. */
export function computeStanding({ events, targetDate, config }: Omit<DueInput, 'cursor'>): Standing {
  const index = lastEventUpTo(events, targetDate);
  const last = events[index];
  const nextEventDate = events[index + 1]?.localDate ?? null;
  if (last === undefined) return { settledThrough: null, nextDueDate: nextEventDate };

  const billed = billedEvent({ events, targetDate, config }, index);
  const billedTo = billed === null ? null : endOfLastProposal(billed);
  const nextDate = billed === null ? null : nextBillingDate(billed);
  return {
    settledThrough: billedTo === null ? last.localDate : maxDate(last.localDate, billedTo),
    nextDueDate: earlierDate(nextDate, nextEventDate),
  };
}

/** Returns the index of the last event whose local date is at most `date`, or −1. */
function lastEventUpTo(events: readonly BillingEvent[], date: LocalDate): number {
  let index = events.length - 1;
  while (index >= 0 && (events[index]?.localDate ?? date) > date) index -= 1;
  return index;
}

function endOfLastProposal({ cycle, endDate, billThrough }: BilledEvent): LocalDate | null {
  if (billThrough === null) return null;
  const end = endDate === null ? billThrough : minDate(billThrough, endDate);
  return end > cycle.start ? end : null;
}

/**
 * Returns the next billing date of the event (g of §5.5 rule 2). Does not consider the next event, because rule 3
 * already uses the date of that event if it is earlier.
 */
function nextBillingDate(billed: BilledEvent): LocalDate | null {
  const { event, cycle, billThrough } = billed;
  if (event.billingMode === 'IN_ADVANCE') return endOfLastProposal(billed);
  return billThrough === null ? cycle.first : cycleDate(cycle, firstCycleAfter(cycle, billThrough));
}

/** Days with charges of one kind. */
export type DaysOfKind = Pick<RecurringProposal, 'startDate' | 'endDate' | 'planName' | 'phaseName' | 'rate'>;

/**
 * Returns the days from the next event on, with the kind of charge in force at the target date. The charges of these
 * days stay until that event takes effect, because the event may still be withdrawn (§6 rule 3). If discounts begin or
 * end after the event, the days are of several kinds.
 */
export function billedAhead({
  events,
  targetDate,
}: Pick<RecurringProposalsInput, 'events' | 'targetDate'>): readonly DaysOfKind[] {
  const index = lastEventUpTo(events, targetDate);
  const [inForce, next] = [events[index], events[index + 1]];
  if (inForce === undefined || next === undefined || !recurs(inForce)) return [];
  const { planName, phaseName, discounts = [] } = inForce;
  if (planName === null || phaseName === null) return [];
  const from = next.localDate;
  const bounds = discounts.flatMap((each) => [each.from, each.until ?? from]).filter((date) => date > from);
  const starts = [...new Set([from, ...bounds])].sort((a, b) => a - b);
  return starts.map((startDate, at) => {
    const endDate = starts[at + 1] ?? LAST_DATE;
    return { startDate, endDate, planName, phaseName, rate: rateOf(inForce, startDate) };
  });
}
