import {
  type InvoiceItem,
  InvoiceItemType,
  type ItemBasis,
  type StoredUsageInterval,
} from '../../records/index.ts';
import type { BilledEntry, BilledInterval, FreedPoints } from '../../usage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { ZERO } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { storedIntervals, type UsageEvaluation } from './evaluate-usage.ts';

/** Returns billed intervals for the comparison with usage. An item that a plugin removed counts as billed. */
export function billedIntervals(
  intervals: readonly StoredUsageInterval[],
  of: { readonly itemOf: ReadonlyMap<Uuid, InvoiceItem>; readonly bases: ReadonlyMap<Uuid, ItemBasis> },
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
      const item = of.itemOf.get(id);
      return item === undefined ? [] : [entryOf(item, of.bases.get(id) ?? null)];
    }),
  }));
}

/** Returns the usage points that were charged on invoices that are now VOID. */
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
  const computed = basis?.kind === 'PLUGIN' ? basis.changed : basis;
  // An amount changed by a plugin is final and not billed further (usage §7.3 step 4).
  const rated = computed?.kind === 'USAGE' ? computed.amount : item.amount;
  return {
    itemId: item.id,
    linkedItemId: isCredit ? item.linkedItemId : null,
    amount: computed?.kind === 'REPAIR' ? computed.amount.negated() : rated,
    remaining: isCredit ? ZERO : item.repairable,
    details: item.itemDetails,
    ...(computed?.kind === 'USAGE' ? { used: computed.used } : {}),
  };
}

/**
 * Returns the intervals that a run stores for a subscription. There is one interval per invoice with items of the
 * subscription, so that voiding an invoice frees its interval. The first interval contains the usage points.
 */
export function intervalsToStore({
  usage,
  invoiceId,
  otherInvoiceOf,
  ...own
}: {
  readonly accountRecordId: number;
  readonly subscriptionId: Uuid;
  readonly usage: Pick<UsageEvaluation, 'intervals'>;
  readonly createdDate: Instant;
  /** The invoice of the run, or null if the run has none. */
  readonly invoiceId: Uuid | null;
  /** The invoice of each item that the run adds to another invoice, by item id. */
  readonly otherInvoiceOf: ReadonlyMap<Uuid, Uuid>;
}): readonly StoredUsageInterval[] {
  return storedIntervals(usage.intervals, invoiceId !== null).flatMap((interval) => {
    const { usageName, versionDate, priceIdentity, instants, startDate, endDate } = interval;
    const ids = interval.entries.map(({ itemId }) => itemId);
    const byInvoice = Map.groupBy(ids, (id) => otherInvoiceOf.get(id) ?? invoiceId);
    const groups = byInvoice.size === 0 ? [[invoiceId, ids] as const] : [...byInvoice];
    return groups.map(([invoice, itemIds], index) => ({
      ...own,
      usageName,
      versionDate,
      priceIdentity,
      start: { at: instants.start, date: startDate },
      end: { at: instants.end, date: endDate },
      invoiceId: invoice,
      itemIds,
      consumed: index === 0 ? interval.consumed : [],
      supplied: index === 0 ? interval.supplied : interval.supplied && NOTHING_SUPPLIED,
    }));
  });
}

const NOTHING_SUPPLIED = { amounts: [], trackingIds: [] };
