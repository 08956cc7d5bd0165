import { type InvoiceItem, itemTypes } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type LocalDate, maxDate } from '../../values/time/index.ts';

export type ChargingItem = Pick<InvoiceItem, 'itemType' | 'subscriptionId' | 'startDate' | 'endDate'>;

/**
 * The charged-through date that the items of a COMMITTED invoice give each subscription: the latest end of its FIXED,
 * RECURRING and USAGE items, or start where an item has no end (§8.5). It can lie before the old date. A subscription
 * with repairs only is not in the result and keeps its date.
 */
export function chargedThroughDates(items: Iterable<ChargingItem>): ReadonlyMap<Uuid, LocalDate> {
  const dates = new Map<Uuid, LocalDate>();
  for (const { itemType, subscriptionId, startDate, endDate } of items) {
    if (subscriptionId === null || !itemTypes[itemType].chargesPlan) continue;
    const date = endDate ?? startDate;
    const latest = dates.get(subscriptionId);
    if (date !== null && (latest === undefined || date > latest)) dates.set(subscriptionId, date);
  }
  return dates;
}

interface LastDates {
  /** The latest start. */
  readonly start: LocalDate;
  /** The latest end, or null without one. */
  readonly end: LocalDate | null;
}

/** The charged-through date that follows from the last COMMITTED charge: its latest end, or start without one (§8.5). */
export function chargedThroughOf({ start, end }: LastDates): LocalDate {
  return end === null ? start : maxDate(start, end);
}
