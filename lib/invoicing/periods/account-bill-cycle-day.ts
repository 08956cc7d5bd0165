import type { BillingEvent } from '../../records/index.ts';
import { recurs } from './recurring-proposals.ts';

/**
 * The bill cycle day, 1–31, that the first run gives an account without one (§4 rule 4, subscriptions §15.2): that of the
 * earliest account-aligned event with a recurring price, 0 included, or with usage, future events too. Null = there is no such event,
 * and the account stays without a day. `events` are those of all subscriptions, built while the account had no day; they
 * have to be built anew with the result.
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
