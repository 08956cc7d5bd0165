import { LAST_DATE } from '../../values/time/index.ts';
import { lastEventUpTo } from './next-due-date.ts';
import {
  type RecurringProposal,
  type RecurringProposalsInput,
  rateOf,
  recurs,
} from './recurring-proposals.ts';

/** Days that are charged in one kind. */
export type DaysOfKind = Pick<RecurringProposal, 'startDate' | 'endDate' | 'planName' | 'phaseName' | 'rate'>;

/**
 * Returns the days from the next event on, in the kind that is in force at the target date, or null if there are none.
 * What is billed of these days stays until that event comes: it may still be withdrawn, and until then it changes nothing
 * (§6 rule 3).
 */
export function billedAhead({
  events,
  targetDate,
}: Pick<RecurringProposalsInput, 'events' | 'targetDate'>): DaysOfKind | null {
  const index = lastEventUpTo(events, targetDate);
  const [inForce, next] = [events[index], events[index + 1]];
  if (inForce === undefined || next === undefined || !recurs(inForce)) return null;
  const { planName, phaseName } = inForce;
  if (planName === null || phaseName === null) return null;
  return { startDate: next.localDate, endDate: LAST_DATE, planName, phaseName, rate: rateOf(inForce) };
}
