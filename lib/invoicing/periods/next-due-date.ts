import type { BillingEvent } from '../../records/index.ts';
import { cycleDate, firstCycleAfter, type LocalDate, maxDate, minDate } from '../../values/time/index.ts';
import { type BilledEvent, billedEvent, type ProposalConfig } from './recurring-proposals.ts';

export interface StandingInput {
  /** Events of one subscription in order. */
  readonly events: readonly BillingEvent[];
  readonly targetDate: LocalDate;
  readonly config: ProposalConfig;
}

/** Where a subscription stands once it has been billed up to the target date. */
export interface Standing {
  /** Up to this date nothing changes while the events stay as they are (§7.2 rule 7); null = nothing began. */
  readonly settledThrough: LocalDate | null;
  /** The next date, after the target date, on which there can be something to bill (§5.5 rule 3). */
  readonly nextDueDate: LocalDate | null;
}

/** The standing of a subscription after a run; usage dates are not part of it. */
export function standingAfter({ events, targetDate, config }: StandingInput): Standing {
  const index = lastEventUpTo(events, targetDate);
  const last = events[index];
  const nextEventDate = events[index + 1]?.localDate ?? null;
  if (last === undefined) return { settledThrough: null, nextDueDate: nextEventDate };

  const billed = billedEvent({ events, targetDate, config }, index);
  const billedTo = billed === null ? null : endOfLastProposal(billed);
  const nextDate = billed === null ? null : nextBillingDate(billed);
  return {
    settledThrough: billedTo === null ? last.localDate : maxDate(last.localDate, billedTo),
    nextDueDate: earlier(nextDate, nextEventDate),
  };
}

/** Index of the last event with local date ≤ `date`, −1 if there is none. */
export function lastEventUpTo(events: readonly BillingEvent[], date: LocalDate): number {
  let index = events.length - 1;
  while (index >= 0 && (events[index]?.localDate ?? date) > date) index -= 1;
  return index;
}

function endOfLastProposal({ cycle, endDate, billThrough }: BilledEvent): LocalDate | null {
  if (billThrough === null) return null;
  const end = endDate === null ? billThrough : minDate(billThrough, endDate);
  return end > cycle.start ? end : null;
}

/** g of §5.5 rule 2 without its condition on E: where the next event comes earlier, the minimum of rule 3 takes that. */
function nextBillingDate(billed: BilledEvent): LocalDate | null {
  const { event, cycle, billThrough } = billed;
  if (event.billingMode === 'IN_ADVANCE') return endOfLastProposal(billed);
  return billThrough === null ? cycle.first : cycleDate(cycle, firstCycleAfter(cycle, billThrough));
}

function earlier(a: LocalDate | null, b: LocalDate | null): LocalDate | null {
  if (a === null || b === null) return a ?? b;
  return minDate(a, b);
}
