import { type Decimal, ZERO } from '../../values/money/index.ts';
import type { BlockLine, RatedConsumable } from '../rating/rated-usage.ts';
import { compareText } from '../rating/text-order.ts';
import { type BilledLine, keyOf } from './billed-so-far.ts';

/** A line now, and what is new of it. */
export interface LineChange {
  /** The whole line; without blocks where it is only billed. */
  readonly now: BlockLine;
  /** Quantity and amount that are not billed yet; negative where too much is. */
  readonly change: BlockLine;
  readonly billed: BilledLine | null;
}

/** Every line that is rated or billed, by unit, then tier. */
export function changeOf(
  rated: RatedConsumable,
  billed: ReadonlyMap<string, BilledLine>,
): readonly LineChange[] {
  const current = new Map(rated.lines.map((line) => [keyOf(rated.kind, line), line]));
  const gone = [...billed].filter(([key]) => !current.has(key)).map(([, line]) => emptied(line));
  return [...rated.lines, ...gone].sort(byUnitAndTier).map((now) => {
    const before = billed.get(keyOf(rated.kind, now)) ?? null;
    return { now, billed: before, change: difference(now, before) };
  });
}

function difference(now: BlockLine, before: BilledLine | null): BlockLine {
  const less = (value: Decimal, billed: Decimal | undefined) => value.minus(billed ?? ZERO);
  return {
    ...now,
    quantity: less(now.quantity, before?.quantity),
    amount: less(now.amount, before?.amount),
  };
}

function emptied({ tier, unit, price, blockSize }: BilledLine): BlockLine {
  return { tier, unit, price, blockSize, quantity: ZERO, amount: ZERO };
}

function byUnitAndTier(a: BlockLine, b: BlockLine): number {
  return compareText(a.unit, b.unit) || a.tier - b.tier;
}
