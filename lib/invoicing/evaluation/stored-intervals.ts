import {
  type ComputedBasis,
  type InvoiceItem,
  InvoiceItemType,
  type ItemBasis,
  type StoredUsageInterval,
} from '../../records/index.ts';
import type { BilledEntry, BilledInterval, FreedPoints } from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { type RatedInterval, storedIntervals, type UsageEvaluation } from './evaluate-usage.ts';

interface StoredItems {
  readonly itemOf: ReadonlyMap<Uuid, InvoiceItem>;
  readonly bases: ReadonlyMap<Uuid, ItemBasis>;
}

/** Billed intervals as they are compared with what was used. An item that a plugin has taken off was billed all the same. */
export function billedIntervals(
  intervals: readonly StoredUsageInterval[],
  { itemOf, bases }: StoredItems,
): readonly BilledInterval[] {
  return intervals.map((stored) => ({
    usageName: stored.usageName,
    versionDate: stored.versionDate,
    priceIdentity: stored.priceIdentity,
    instants: { start: stored.start.at, end: stored.end.at },
    startDate: stored.start.date,
    endDate: stored.end.date,
    consumed: stored.consumed,
    supplied: stored.supplied,
    billedAt: stored.createdDate,
    entries: stored.itemIds.flatMap((id): readonly BilledEntry[] => {
      const item = itemOf.get(id);
      return item === undefined ? [] : [entryOf(item, bases.get(id) ?? null)];
    }),
  }));
}

/** Charges of invoices that are now VOID. */
export function freedPoints(intervals: readonly StoredUsageInterval[]): readonly FreedPoints[] {
  return intervals.map(({ usageName, start, end, consumed }) => ({
    usageName,
    instants: { start: start.at, end: end.at },
    startDate: start.date,
    endDate: end.date,
    consumed,
  }));
}

function entryOf(item: InvoiceItem, basis: ItemBasis | null): BilledEntry {
  const isCredit = item.itemType === InvoiceItemType.REPAIR_ADJ;
  const computed = computedOf(basis);
  return {
    itemId: item.id,
    linkedItemId: isCredit ? item.linkedItemId : null,
    amount: ratedAmount(item, basis),
    remaining: isCredit ? ZERO : item.repairable,
    details: item.itemDetails,
    ...(computed?.kind === 'USAGE' ? { used: computed.used } : {}),
  };
}

function computedOf(basis: ItemBasis | null): ComputedBasis | null {
  return basis?.kind === 'PLUGIN' ? basis.changed : basis;
}

/** An amount changed by a plugin is final and not billed further (usage §7.3 step 4). */
function ratedAmount({ amount }: InvoiceItem, basis: ItemBasis | null): Decimal {
  const computed = computedOf(basis);
  if (computed?.kind === 'REPAIR') return computed.amount.negated();
  return computed?.kind === 'USAGE' ? computed.amount : amount;
}

interface IntervalsOfRun {
  readonly accountRecordId: number;
  readonly subscriptionId: Uuid;
  readonly usage: Pick<UsageEvaluation, 'intervals'>;
  readonly createdDate: Instant;
  /** null = the run makes none. */
  readonly invoiceId: Uuid | null;
  /** The items of the run that go to other invoices of it, by id. */
  readonly otherInvoiceOf: ReadonlyMap<Uuid, Uuid>;
}

/**
 * The intervals that a run stores for a subscription: one for each invoice that has items of it, so that each is free again
 * when that invoice is void. The points are those of the first.
 */
export function intervalsToStore({
  usage,
  invoiceId,
  otherInvoiceOf,
  ...own
}: IntervalsOfRun): readonly StoredUsageInterval[] {
  return storedIntervals(usage.intervals, invoiceId !== null).flatMap((interval) => {
    const ids = interval.entries.map(({ itemId }) => itemId);
    const byInvoice = Map.groupBy(ids, (id) => otherInvoiceOf.get(id) ?? invoiceId);
    const groups = byInvoice.size === 0 ? [[invoiceId, ids] as const] : [...byInvoice];
    return groups.map(([invoice, itemIds], index) => ({
      ...own,
      ...boundsOf(interval),
      usageName: interval.usageName,
      versionDate: interval.versionDate,
      priceIdentity: interval.priceIdentity,
      invoiceId: invoice,
      itemIds,
      consumed: index === 0 ? interval.consumed : [],
      supplied: index === 0 ? interval.supplied : interval.supplied && NOTHING_SUPPLIED,
    }));
  });
}

const NOTHING_SUPPLIED = { amounts: [], trackingIds: [] };

function boundsOf({ instants, startDate, endDate }: RatedInterval) {
  return {
    start: { at: instants.start, date: startDate },
    end: { at: instants.end, date: endDate },
  };
}
