import { type CoverageRow, type InvoiceItem, InvoiceItemType, itemTypes } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, sum } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { rowsOfItem } from './apply-to-coverage.ts';

export interface VoidInput {
  /** All items of the invoice that is voided. */
  readonly items: readonly NewInvoiceItem[];
  /** The RECURRING items of other invoices that its repairs have cut, and the USAGE items that they have credited. */
  readonly repaired: readonly NewInvoiceItem[];
  /** Repairs of those items on other invoices that are not VOID. */
  readonly otherRepairs: readonly NewInvoiceItem[];
  readonly currency: Currency;
}

/** How the void of an invoice changes what is billed (§6, end). */
export interface ReleasedCoverage {
  /** Items whose rows are removed … */
  readonly itemIds: readonly Uuid[];
  /** … and the rows of the items that lose repairs by the void. */
  readonly rows: readonly CoverageRow[];
  readonly repairable: readonly Pick<InvoiceItem, 'id' | 'repairable'>[];
  /** By subscription, the days from which billing has to look again (§7.1). */
  readonly touched: readonly { readonly subscriptionId: Uuid; readonly date: LocalDate }[];
}

/** Takes the charges of the invoice out of the coverage and puts back the days that its repairs have cut. */
export function releaseCoverage({ items, repaired, otherRepairs, currency }: VoidInput): ReleasedCoverage {
  const charges = items.filter(isCovering);
  const covering = repaired.filter(isCovering);
  const repairsOf = Map.groupBy(items.filter(isRepair), ({ linkedItemId }) => linkedItemId);
  const othersOf = Map.groupBy(otherRepairs, ({ linkedItemId }) => linkedItemId);
  return {
    itemIds: [...charges, ...covering].map(({ id }) => id),
    rows: covering.flatMap((item) => rowsOfItem(item, othersOf.get(item.id) ?? [], currency)),
    repairable: repaired.map(({ id, repairable }) => ({
      id,
      repairable: repairable.minus(sum((repairsOf.get(id) ?? []).map(({ amount }) => amount))),
    })),
    touched: [
      ...items
        .filter(({ itemType }) => itemTypes[itemType].chargesPlan)
        .flatMap(({ subscriptionId, startDate }) => touchOf(subscriptionId, startDate)),
      ...repaired.flatMap(({ id, subscriptionId }) =>
        (repairsOf.get(id) ?? []).flatMap(({ startDate }) => touchOf(subscriptionId, startDate)),
      ),
    ],
  };
}

/** Days that two rows would bill, if any, among the rows that come back and those that stay. */
export function billedTwice(
  rows: readonly CoverageRow[],
  staying: readonly CoverageRow[],
): CoverageRow | undefined {
  const others = Map.groupBy(staying.filter(isRecurring), ({ subscriptionId }) => subscriptionId);
  return rows.find((row) => (others.get(row.subscriptionId) ?? []).some((other) => overlap(row, other)));
}

export function isRepair({ itemType }: Pick<InvoiceItem, 'itemType'>): boolean {
  return itemType === InvoiceItemType.REPAIR_ADJ;
}

function isRecurring({ kind }: CoverageRow): boolean {
  return kind === 'RECURRING';
}

function isCovering({ itemType }: Pick<InvoiceItem, 'itemType'>): boolean {
  return itemTypes[itemType].coversDays;
}

function touchOf(subscriptionId: Uuid | null, date: LocalDate | null) {
  return subscriptionId === null || date === null ? [] : [{ subscriptionId, date }];
}

function overlap(a: CoverageRow, b: CoverageRow): boolean {
  return (b.endDate === null || a.startDate < b.endDate) && (a.endDate === null || b.startDate < a.endDate);
}
