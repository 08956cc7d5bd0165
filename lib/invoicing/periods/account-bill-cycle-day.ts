import type { BillingEvent } from '../../records/index.ts';
import { type BillingEventsInput, billingEvents } from '../../subscriptions/index.ts';
import { recurs } from './recurring-proposals.ts';

/**
 * Returns the bill cycle day that the next run gives an account without one, or null if the account has a day or gets none
 * (§4 rule 4). The day is taken before blocked intervals are removed (subscriptions §15.2): a pause moves no cycle.
 */
export function billCycleDayToSet(input: BillingEventsInput): number | null {
  if (input.account.billCycleDayLocal !== 0) return null;
  const histories = input.histories.map((history) => ({ ...history, blockingStates: [] }));
  return accountBillCycleDay(billingEvents({ ...input, histories }).events);
}

/**
 * Returns the bill cycle day, 1 to 31, of the earliest account-aligned event with a recurring price, 0 included, or with
 * usage, future events too; null if there is none. `events` are those of all subscriptions, built while the account has no
 * day and without blocked intervals removed.
 */
export function accountBillCycleDay(events: readonly BillingEvent[]): number | null {
  let earliest: BillingEvent | undefined;
  for (const event of events) {
    if (!event.isAccountAligned || !(recurs(event) || event.usages.length > 0)) continue;
    if (earliest === undefined || compareByInstant(event, earliest) < 0) earliest = event;
  }
  return earliest?.billCycleDayLocal ?? null;
}

function compareByInstant(a: BillingEvent, b: BillingEvent): number {
  return a.effectiveDate - b.effectiveDate || a.totalOrdering - b.totalOrdering;
}
