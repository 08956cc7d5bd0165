import { type Currency, type Decimal, roundToCurrency, sum, ZERO } from '../../values/money/index.ts';
import { compareText } from '../rating/quantities.ts';
import {
  type BlockLine,
  type DetailLine,
  type ItemDetails,
  type RatedConsumable,
  readItemDetails,
} from '../rating/rated-usage.ts';
import type { BilledEntry, ChargedInterval } from './billed-interval.ts';

/**
 * The amount of one line that has already been billed. With ALL_TIERS, there is a line per tier of a unit. With
 * TOP_TIER, there is a line per unit.
 */
interface BilledLine extends BlockLine {
  /** The amount that was charged. `amount` is the unrounded sum of the lines. */
  readonly charged: Decimal;
  /** True if part of the amount comes from an item that covers several lines. */
  readonly isShared: boolean;
}

interface BilledSoFarInput {
  readonly rated: RatedConsumable;
  readonly previous: readonly ChargedInterval[];
  readonly currency: Currency;
}

/** Returns the total of the items and their credits as originally rated. This is B of §7.3 step 4. */
export function billedTotal(previous: readonly ChargedInterval[]): Decimal {
  return sum(previous.flatMap(({ entries }) => entries).map(({ amount }) => amount));
}

/** Returns the billed lines by key. The sum of their charged amounts is `billedTotal`. */
export function billedLines(input: BilledSoFarInput): ReadonlyMap<string, BilledLine> {
  const { rated, previous } = input;
  const lines = new Map<string, BilledLine>();
  const groups = byInterval(previous).map((group) => ({
    group,
    billed: [
      ...linesOfInterval(
        group.flatMap(({ entries }) => entries),
        input,
      ),
    ],
  }));
  for (const { group, billed } of groups) {
    for (const line of billed) {
      const key = keyOf(rated.kind, line);
      // The rating of a longer period already includes the shorter periods within it.
      const isRepeated =
        rated.kind === 'TOP_TIER' &&
        groups.some(
          (other) =>
            isWithin(group, other.group) && other.billed.some((one) => keyOf(rated.kind, one) === key),
        );
      addLine(lines, key, isRepeated ? { ...line, quantity: ZERO, amount: ZERO } : line);
    }
  }
  return lines;
}

export function keyOf(
  kind: RatedConsumable['kind'],
  { unit, tier }: Pick<BlockLine, 'unit' | 'tier'>,
): string {
  return kind === 'TOP_TIER' ? unit : `${tier} ${unit}`;
}

type Group = readonly [ChargedInterval, ...ChargedInterval[]];

function byInterval(previous: readonly ChargedInterval[]): readonly Group[] {
  const groups = Map.groupBy(previous, ({ instants, startDate, endDate }) =>
    instants === null ? `${startDate} ${endDate}` : `${instants.start} ${instants.end} at`,
  );
  return [...groups.values()].flatMap(([first, ...others]): readonly Group[] =>
    first === undefined ? [] : [[first, ...others]],
  );
}

function isWithin([inner]: Group, [outer]: Group): boolean {
  const [a, b] = [inner.instants, outer.instants];
  if (a === null || b === null) return false;
  return b.start <= a.start && a.end <= b.end && (b.start < a.start || a.end < b.end);
}

function linesOfInterval(entries: readonly BilledEntry[], { rated, currency }: BilledSoFarInput) {
  const lines = new Map<string, BilledLine>();
  let total = ZERO;
  for (const { amount, details: text } of entries) {
    total = total.plus(amount);
    const details = readItemDetails(text);
    if (details === null || details.lines.length === 0) {
      chargeFirst(lines, rated, amount);
    } else if (rated.kind === 'ALL_TIERS') {
      for (const line of divideAmongLines(details, amount, currency))
        addLine(lines, keyOf(rated.kind, line), line);
    } else {
      replaceRating(lines, details, { amount, total, currency });
    }
  }
  return lines.values();
}

/**
 * Replaces the lines of an earlier rating. The lines of TOP_TIER contain the whole rating, so only the last rating
 * counts (§7.3).
 */
function replaceRating(
  lines: Map<string, BilledLine>,
  details: ItemDetails,
  { amount, total, currency }: { amount: Decimal; total: Decimal; currency: Currency },
): void {
  if (details.shape === 'AGGREGATE') {
    lines.clear();
    for (const line of divideAmongLines(details, total, currency)) addLine(lines, line.unit, line);
    return;
  }
  const [line] = details.lines;
  const before = lines.get(line.unit);
  lines.set(line.unit, {
    ...blockLine(line),
    charged: amount.plus(before?.charged ?? ZERO),
    isShared: before?.isShared ?? false,
  });
}

/** Returns the lines of an item. The amount of the item is divided among them. */
function divideAmongLines(details: ItemDetails, amount: Decimal, currency: Currency): readonly BilledLine[] {
  const lines = details.lines.map(blockLine);
  const rounded = lines.map((line) => roundToCurrency(line.amount, currency));
  // The item was rounded once, so the sum of its rounded lines may differ by a few cents.
  const rest = amount.minus(sum(rounded));
  const largest = indexOfLargest(lines);
  const isShared = details.shape === 'AGGREGATE';
  return lines.map((line, index) => {
    const own = rounded[index] ?? ZERO;
    return { ...line, charged: index === largest ? own.plus(rest) : own, isShared };
  });
}

function indexOfLargest(lines: readonly BlockLine[]): number {
  let largest = 0;
  for (const [index, { amount }] of lines.entries()) {
    if (amount.abs().greaterThan(lines[largest]?.amount.abs() ?? ZERO)) largest = index;
  }
  return largest;
}

/** Adds an amount that has no details to the first line. */
function chargeFirst(lines: Map<string, BilledLine>, rated: RatedConsumable, amount: Decimal): void {
  const [first] = rated.lines;
  if (first === undefined) return;
  const nothing = { ...first, quantity: ZERO, amount: ZERO };
  addLine(lines, keyOf(rated.kind, first), { ...nothing, charged: amount, isShared: true });
}

function addLine(lines: Map<string, BilledLine>, key: string, line: BilledLine): void {
  const before = lines.get(key);
  if (before === undefined) {
    lines.set(key, line);
    return;
  }
  lines.set(key, {
    ...line,
    quantity: before.quantity.plus(line.quantity),
    amount: before.amount.plus(line.amount),
    charged: before.charged.plus(line.charged),
    isShared: before.isShared || line.isShared,
  });
}

function blockLine(line: DetailLine): BlockLine {
  return { ...line, blockSize: line.blockSize ?? ZERO, amount: line.amount ?? ZERO };
}

export interface LineChange {
  readonly now: BlockLine;
  /** The quantity and amount that have not been billed yet. The values are negative if too much was billed. */
  readonly change: BlockLine;
  readonly billed: BilledLine | null;
}

/** Returns all lines that were rated or billed, sorted by unit, then by tier. */
export function changeOf(
  rated: RatedConsumable,
  billed: ReadonlyMap<string, BilledLine>,
): readonly LineChange[] {
  const current = new Map(rated.lines.map((line) => [keyOf(rated.kind, line), line]));
  const gone = [...billed]
    .filter(([key]) => !current.has(key))
    .map(([, { tier, unit, price, blockSize }]): BlockLine => {
      return { tier, unit, price, blockSize, quantity: ZERO, amount: ZERO };
    });
  const all = [...rated.lines, ...gone].sort((a, b) => compareText(a.unit, b.unit) || a.tier - b.tier);
  return all.map((now) => {
    const before = billed.get(keyOf(rated.kind, now)) ?? null;
    const quantity = now.quantity.minus(before?.quantity ?? ZERO);
    const amount = now.amount.minus(before?.amount ?? ZERO);
    return { now, billed: before, change: { ...now, quantity, amount } };
  });
}
