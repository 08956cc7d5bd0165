import type { LastCharge } from '../../ports/storage/index.ts';
import { type InvoiceItem, itemTypes } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type LocalDate, maxDate } from '../../values/time/index.ts';

type ChargingItem = Pick<InvoiceItem, 'itemType' | 'subscriptionId' | 'startDate' | 'endDate'>;

/**
 * Returns the charged-through date by subscription from the items of a COMMITTED invoice (§8.5). The date is the latest
 * end of FIXED, RECURRING and USAGE items, or the start of an item without an end. The new date can be before the old
 * one. If the invoice contains only repairs of a subscription, the subscription keeps its date.
 */
export function findChargedThroughDates(items: Iterable<ChargingItem>): ReadonlyMap<Uuid, LocalDate> {
  const dates = new Map<Uuid, LocalDate>();
  for (const { itemType, subscriptionId, startDate, endDate } of items) {
    if (subscriptionId === null || !itemTypes[itemType].chargesPlan) continue;
    const date = endDate ?? startDate;
    const latest = dates.get(subscriptionId);
    if (date !== null && (latest === undefined || date > latest)) dates.set(subscriptionId, date);
  }
  return dates;
}

/**
 * Returns the charged-through date of a subscription (§8.5). It is the end of the last COMMITTED charge, or the start
 * of a charge without an end. It is never before the end of the days that this charge still bills.
 */
export function computeChargedThroughDate(charge: Omit<LastCharge, 'subscriptionId'>): LocalDate {
  const { start, end, inForceThrough } = charge;
  return maxDate(start, end ?? start, inForceThrough ?? start);
}
