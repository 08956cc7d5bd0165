import { type CoverageRow, type InvoiceItem, InvoiceItemType, itemTypes } from '../../records/index.ts';
import { assertInvariant, InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, prorate, sum } from '../../values/money/index.ts';
import { type LocalDate, maxDate } from '../../values/time/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';

/** A coverage row of a RECURRING item. It contains days that are billed and not repaired. */
export interface RecurringRow extends CoverageRow {
  readonly kind: 'RECURRING';
  readonly endDate: LocalDate;
  readonly rate: Decimal;
}

/** The fields of a RECURRING item that are needed to repair it (BilledItemState of §1.5). */
export type BilledItem = Pick<InvoiceItem, 'id' | 'startDate' | 'endDate' | 'amount' | 'repairable'>;

/** Returns the RECURRING rows by start date. @throws InvariantError if a row has no end or rate, or if rows overlap. */
export function recurringRows(rows: readonly CoverageRow[]): readonly RecurringRow[] {
  const recurring = rows.filter(isRecurringRow);
  if (recurring.length > 1) recurring.sort((a, b) => a.startDate - b.startDate);
  recurring.forEach((row, index) => {
    const next = recurring[index + 1];
    assertInvariant(
      row.startDate < row.endDate && (next === undefined || row.endDate <= next.startDate),
      'Coverage rows of one subscription overlap or are empty',
      { itemId: row.itemId, startDate: row.startDate, endDate: row.endDate },
    );
  });
  return recurring;
}

function isRecurringRow(row: CoverageRow): row is RecurringRow {
  if (row.kind !== 'RECURRING') return false;
  assertInvariant(
    row.endDate !== null && row.rate !== null,
    'A RECURRING coverage row has no end date or no rate',
    { itemId: row.itemId, startDate: row.startDate },
  );
  return true;
}

/** Days with one kind of recurring charge: the same plan, phase and rate. */
interface ChargedInterval {
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  readonly planName: string;
  readonly phaseName: string;
  readonly rate: Decimal;
}

/** A maximal part of the interval `of` that no interval of the same kind covers. */
export interface UncoveredPart<T extends ChargedInterval> {
  readonly of: T;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
}

/**
 * Returns the parts of `intervals` that `covers` does not cover with intervals of the same kind, in date order. Both
 * lists are sorted by start and have no overlap.
 * @param windowStart date before which days are ignored; null to ignore no days.
 */
export function uncoveredParts<T extends ChargedInterval>({
  intervals,
  covers,
  windowStart,
}: {
  readonly intervals: readonly T[];
  readonly covers: readonly ChargedInterval[];
  readonly windowStart: LocalDate | null;
}): readonly UncoveredPart<T>[] {
  const parts: UncoveredPart<T>[] = [];
  let firstCover = 0;
  for (const of of intervals) {
    let startDate = windowStart !== null && windowStart > of.startDate ? windowStart : of.startDate;
    while (endsUpTo(covers[firstCover], startDate)) firstCover += 1;
    for (const cover of coversOf(of, covers, firstCover)) {
      if (cover.startDate > startDate) parts.push({ of, startDate, endDate: cover.startDate });
      startDate = maxDate(startDate, cover.endDate);
    }
    if (startDate < of.endDate) parts.push({ of, startDate, endDate: of.endDate });
  }
  return parts;
}

function endsUpTo(cover: ChargedInterval | undefined, date: LocalDate): boolean {
  return cover !== undefined && cover.endDate <= date;
}

/**
 * Returns the intervals of `covers`, starting at index `firstCover`, that have the same kind as `interval` and begin
 * before it ends.
 */
function coversOf(interval: ChargedInterval, covers: readonly ChargedInterval[], firstCover: number) {
  const found: ChargedInterval[] = [];
  for (let index = firstCover; index < covers.length; index += 1) {
    const cover = covers[index];
    if (cover === undefined || cover.startDate >= interval.endDate) break;
    if (isSameKind(cover, interval)) found.push(cover);
  }
  return found;
}

function isSameKind(a: ChargedInterval, b: ChargedInterval): boolean {
  if (a.planName !== b.planName || a.phaseName !== b.phaseName) return false;
  return a.rate === b.rate || a.rate.equals(b.rate);
}

/** The changes of a subscription's coverage. If an item changes, all of its rows are replaced together. */
export interface CoverageChanges {
  readonly inserted: readonly CoverageRow[];
  /** Ids of the items whose rows are removed. */
  readonly replacedItemIds: readonly Uuid[];
  /** The rows of the repaired items after the repairs. */
  readonly replacements: readonly CoverageRow[];
}

interface ApplyInput {
  readonly subscriptionId: Uuid;
  /** New items of the subscription, including repairs. */
  readonly items: readonly NewInvoiceItem[];
  /** All rows of the repaired items. Rows of other items are allowed and ignored. */
  readonly rows: readonly CoverageRow[];
  readonly billedItems: ReadonlyMap<Uuid, BilledItem>;
  readonly currency: Currency;
}

const noChanges: CoverageChanges = Object.freeze({ inserted: [], replacedItemIds: [], replacements: [] });

/**
 * Applies new items to the coverage (§6, end). A charge adds a row; a repair removes its days from the rows of its
 * item. Each remaining row has its share of the item by calendar days, regardless of the proration setting, so that
 * replaying the items creates the same rows.
 */
export function applyToCoverage(input: ApplyInput): CoverageChanges {
  if (input.items.length === 0) return noChanges;
  const inserted = input.items
    .filter(({ itemType }) => itemType !== 'REPAIR_ADJ')
    .map((item) => rowOf(item, input.subscriptionId));
  if (inserted.length === input.items.length) return { ...noChanges, inserted };
  const repairsOf = new Map<Uuid, readonly NewInvoiceItem[]>();
  for (const item of input.items) {
    const { linkedItemId: id } = item;
    if (isRepair(item) && id !== null) repairsOf.set(id, [...(repairsOf.get(id) ?? []), item]);
  }
  return { inserted, replacedItemIds: [...repairsOf.keys()], replacements: rowsLeft(repairsOf, input) };
}

/** Returns the coverage rows after the changes, for evaluations in memory. */
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
 * Returns the rows of a stored item after these repairs. Days without an amount are RECURRING too, because repairs
 * remove free days only if a plugin made them free (§13 rule 3).
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
) {
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

/** Returns the parts of a row that remain after the repairs. Returns the row unchanged if no repair affects it. */
function cut(row: RecurringRow, repairs: readonly NewInvoiceItem[]) {
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

/** Returns a function that assigns to each piece its share of the item's amount. */
function shares(item: BilledItem, currency: Currency): (piece: RecurringRow) => Decimal {
  const { id: itemId, startDate, endDate, amount } = item;
  assertInvariant(startDate !== null && endDate !== null, `RECURRING item ${itemId} has no service period`, {
    itemId,
  });
  const totalDays = endDate - startDate;
  return (piece) => prorate({ amount, days: piece.endDate - piece.startDate, totalDays, currency });
}

interface VoidInput {
  /** All items of the voided invoice. */
  readonly items: readonly NewInvoiceItem[];
  /** The RECURRING and USAGE items on other invoices that the repairs on the voided invoice have credited. */
  readonly repaired: readonly NewInvoiceItem[];
  /** Repairs of the `repaired` items that are on other invoices, except VOID invoices. */
  readonly otherRepairs: readonly NewInvoiceItem[];
  readonly currency: Currency;
}

/** The change in coverage when an invoice is voided (end of §6). */
export interface ReleasedCoverage {
  /** Items whose current rows are removed. */
  readonly itemIds: readonly Uuid[];
  /** The rows of items that lose repairs. */
  readonly rows: readonly CoverageRow[];
  readonly repairable: readonly Pick<InvoiceItem, 'id' | 'repairable'>[];
  /** The days from which billing is evaluated again, by subscription (§7.1). */
  readonly touched: readonly { readonly subscriptionId: Uuid; readonly date: LocalDate }[];
}

/** Removes the invoice's charges from the coverage, and restores the days that the invoice's repairs removed. */
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

/** Returns the first restored row whose days another remaining row also bills, if there is one. */
export function billedTwice(rows: readonly CoverageRow[], staying: readonly CoverageRow[]) {
  const recurring = staying.filter(({ kind }) => kind === 'RECURRING');
  const others = Map.groupBy(recurring, ({ subscriptionId }) => subscriptionId);
  return rows.find((row) => (others.get(row.subscriptionId) ?? []).some((other) => overlap(row, other)));
}

export function isRepair({ itemType }: Pick<InvoiceItem, 'itemType'>): boolean {
  return itemType === InvoiceItemType.REPAIR_ADJ;
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
