import type { CoverageRow } from '../../records/index.ts';
import { assertInvariant, InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, prorate } from '../../values/money/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { type BilledItem, type RecurringRow, recurringRows } from './recurring-row.ts';

/** How the coverage of a subscription changes; the rows of an item are replaced as a whole. */
export interface CoverageChanges {
  /** Rows of the new items. */
  readonly inserted: readonly CoverageRow[];
  /** Items whose rows are all removed … */
  readonly replacedItemIds: readonly Uuid[];
  /** … and the rows that take their place: what repairs have left of them. */
  readonly replacements: readonly CoverageRow[];
}

export interface ApplyInput {
  readonly subscriptionId: Uuid;
  /** New items of the subscription, repairs included. */
  readonly items: readonly NewInvoiceItem[];
  /** All rows of the items that are repaired; further rows do no harm. */
  readonly rows: readonly CoverageRow[];
  readonly billedItems: ReadonlyMap<Uuid, BilledItem>;
  readonly currency: Currency;
}

const noChanges: CoverageChanges = Object.freeze({ inserted: [], replacedItemIds: [], replacements: [] });

/**
 * The projection of new items onto the coverage (§6, end): a charge adds a row, a repair cuts its days out of its item's
 * rows, and each remaining row is worth its share of the item by calendar days, whatever the proration setting, so that
 * replaying the items rebuilds the same rows.
 */
export function applyToCoverage(input: ApplyInput): CoverageChanges {
  if (input.items.length === 0) return noChanges;
  const inserted = input.items
    .filter(({ itemType }) => itemType !== 'REPAIR_ADJ')
    .map((item) => rowOf(item, input.subscriptionId));
  if (inserted.length === input.items.length) return { ...noChanges, inserted };
  const repairsOf = new Map<Uuid, NewInvoiceItem[]>();
  for (const item of input.items) {
    if (item.itemType === 'REPAIR_ADJ' && item.linkedItemId !== null)
      append(repairsOf, item.linkedItemId, item);
  }
  return { inserted, replacedItemIds: [...repairsOf.keys()], replacements: rowsLeft(repairsOf, input) };
}

/** The rows after the changes, for evaluations in memory. */
export function coverageAfter(
  rows: readonly CoverageRow[],
  changes: CoverageChanges,
): readonly CoverageRow[] {
  if (changes === noChanges) return rows;
  const replaced = new Set(changes.replacedItemIds);
  return [
    ...rows.filter(({ itemId }) => !replaced.has(itemId)),
    ...changes.replacements,
    ...changes.inserted,
  ];
}

/**
 * The rows of one stored item after these repairs. Days without an amount are RECURRING too: of what repairs may have cut,
 * these are days that a plugin has made free (§13 rule 3), as rows of what was free for the engine are never cut.
 */
export function rowsOfItem(
  item: NewInvoiceItem,
  repairs: readonly NewInvoiceItem[],
  currency: Currency,
): readonly CoverageRow[] {
  const { subscriptionId } = item;
  assertInvariant(subscriptionId !== null, `Item ${item.id} has no subscription and cannot be covered`, {
    itemId: item.id,
  });
  const row = rowOf(item, subscriptionId);
  if (row.kind === 'FIXED') return [row];
  const inOrder = repairs.toSorted((a, b) => (a.startDate ?? 0) - (b.startDate ?? 0));
  const repairsOf = new Map([[item.id, inOrder]]);
  const billedItems = new Map([[item.id, item]]);
  return rowsLeft(repairsOf, { rows: [{ ...row, kind: 'RECURRING' }], billedItems, currency });
}

function rowOf(item: NewInvoiceItem, subscriptionId: Uuid): CoverageRow {
  const { id: itemId, itemType, startDate, endDate, planName, phaseName, rate, amount } = item;
  if (startDate === null || planName === null || phaseName === null) {
    throw new InvariantError(
      `Item ${itemId} of type ${itemType} has no start, plan or phase and cannot be covered`,
      { itemId, itemType },
    );
  }
  const billed = { subscriptionId, itemId, startDate, planName, phaseName, amount };
  if (itemType === 'FIXED') return { kind: 'FIXED', ...billed, endDate: null, rate: null };
  return { kind: amount.isZero() ? 'FREE' : 'RECURRING', ...billed, endDate, rate };
}

function rowsLeft(
  repairsOf: ReadonlyMap<Uuid, readonly NewInvoiceItem[]>,
  { rows, billedItems, currency }: Pick<ApplyInput, 'rows' | 'billedItems' | 'currency'>,
): readonly CoverageRow[] {
  if (repairsOf.size === 0) return [];
  const left: CoverageRow[] = [];
  for (const row of recurringRows(rows.filter(({ itemId }) => repairsOf.has(itemId)))) {
    const item = billedItems.get(row.itemId);
    assertInvariant(item !== undefined, `Item ${row.itemId} must be loaded to repair it`, {
      itemId: row.itemId,
    });
    const shareOf = shares(item, currency);
    for (const piece of cut(row, repairsOf.get(row.itemId) ?? [])) {
      left.push(piece === row ? row : { ...piece, amount: shareOf(piece) });
    }
  }
  return left;
}

/** The pieces of a row that the repairs leave; the row itself if they do not touch it. */
function cut(row: RecurringRow, repairs: readonly NewInvoiceItem[]): readonly RecurringRow[] {
  const pieces: RecurringRow[] = [];
  let openFrom = row.startDate;
  for (const { startDate, endDate } of repairs) {
    if (startDate === null || endDate === null || endDate <= row.startDate || startDate >= row.endDate)
      continue;
    if (startDate > openFrom) pieces.push({ ...row, startDate: openFrom, endDate: startDate });
    openFrom = endDate;
  }
  if (openFrom === row.startDate) return [row];
  if (openFrom < row.endDate) pieces.push({ ...row, startDate: openFrom });
  return pieces;
}

/** The share of the item's amount that each piece of it is worth. */
function shares(item: BilledItem, currency: Currency): (piece: RecurringRow) => Decimal {
  const { id: itemId, startDate, endDate, amount } = item;
  assertInvariant(startDate !== null && endDate !== null, `RECURRING item ${itemId} has no service period`, {
    itemId,
  });
  const totalDays = endDate - startDate;
  return (piece) => prorate({ amount, days: piece.endDate - piece.startDate, totalDays, currency });
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
