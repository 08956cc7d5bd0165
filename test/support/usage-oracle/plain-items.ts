import { dateText } from './calendar.ts';
import { type PriceLine, shown } from './oracle-price.ts';
import type { DueItem, OwedInterval } from './settled-items.ts';
import type { Owed } from './usage-oracle.ts';

/** An item in a form comparable with invoice items. */
export interface PlainItem {
  readonly usage: string;
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly rate: string | null;
  readonly quantity: string | null;
  readonly details: unknown;
  /** Amount of the item that a credit reduces. */
  readonly credits?: string;
}

/** In invoice order. */
export function plainItems({ intervals }: Owed): readonly PlainItem[] {
  return intervals.flatMap((owed) => owed.items.map((item) => plainItem(owed, item)));
}

function plainItem({ run, interval, credited }: OwedInterval, item: DueItem): PlainItem {
  const { entry, rate, quantity } = item;
  const { start, end } = (entry.of === null ? undefined : credited) ?? interval;
  return {
    usage: run.section.name,
    from: dateText(start.day),
    to: dateText(end.day),
    amount: shown(entry.amount),
    rate: rate === null ? null : shown(rate),
    quantity: quantity === null ? null : shown(quantity),
    details: detailsOf(item),
    ...(entry.of === null ? {} : { credits: shown(entry.of.amount) }),
  };
}

/** Applies usage §7.4: one line, or all lines with their total. */
function detailsOf({ entry, shown: lines, exact, beyond }: DueItem): unknown {
  const overflow =
    beyond.length === 0
      ? {}
      : { overflow: beyond.map(({ unit, quantity }) => ({ tierUnit: unit, quantity: number(quantity) })) };
  const plain = lines.map(plainLine);
  return entry.lineKey === null
    ? { tierDetails: plain, amount: number(exact), ...overflow }
    : { ...plain[0], ...overflow };
}

function plainLine({ tier, unit, price, quantity, size, amount }: PriceLine): object {
  const line = { tier, tierUnit: unit, tierPrice: number(price), quantity: number(quantity) };
  return size === null ? line : { ...line, tierBlockSize: number(size), amount: number(amount) };
}

function number(value: bigint): number {
  return Number(shown(value));
}
