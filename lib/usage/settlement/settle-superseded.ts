import { type Currency, sum, ZERO } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import type { UsageInterval } from '../intervals/usage-intervals.ts';
import {
  aggregateDetails,
  type BlockLine,
  type DetailLine,
  lineDetails,
  type PeakLine,
  type RatedUsage,
  readItemDetails,
} from '../rating/rated-usage.ts';
import type { BilledEntry, SupersededInterval } from './billed-interval.ts';
import { billedTotal } from './billed-so-far.ts';
import { settleInterval, type UsageCharge, type UsageCredit } from './settle-interval.ts';
import { rootOf } from './superseded-usage.ts';
import { type ItemMode, NegativeDelta } from './usage-config.ts';

/** The credits of a superseded interval that no interval replaces. */
export interface SettledSuperseded {
  readonly interval: SupersededInterval;
  readonly credits: readonly UsageCredit[];
}

/** Credits what is left of the items of a superseded interval, newest first; its usage is billed again (§7.3 rule 7). */
export function creditSuperseded(interval: SupersededInterval): SettledSuperseded {
  const { entries } = interval;
  const items = entries.filter(({ linkedItemId }) => linkedItemId === null).toReversed();
  const credits = items.flatMap(({ itemId, remaining: left }): readonly UsageCredit[] => {
    const own = entries.filter((entry) => rootOf(entry) === itemId);
    const open = sum(own.map(({ amount }) => amount));
    const part = left.lessThan(open) ? left : open;
    if (!part.greaterThan(ZERO)) return [];
    const facts = { lines: [], due: ZERO, billed: open };
    const details = withdrawnLines(own);
    return [{ kind: 'CREDIT', linkedItemId: itemId, amount: part.negated(), details, open, left, ...facts }];
  });
  return { interval, credits };
}

export interface ReplacementInput {
  readonly superseded: SupersededInterval;
  readonly usageName: string;
  readonly interval: UsageInterval;
  /** For all that was used in the interval. */
  readonly rated: RatedUsage;
  readonly currency: Currency;
  readonly itemMode: ItemMode;
}

/**
 * The credits that leave an interval with what it costs, out of the superseded one that it replaces; null when it costs
 * more than that, or when several items are charged for that: then all of these are credited. A credit of 0 is written too,
 * since it records that the interval has taken over the item (see `billedNow`).
 */
export function replaceSuperseded(input: ReplacementInput): readonly UsageCharge[] | null {
  const { superseded, usageName, interval, rated, currency, itemMode } = input;
  const { entries } = superseded;
  const [item, another] = entries.filter(({ linkedItemId }) => linkedItemId === null);
  if (item === undefined || another !== undefined) return null;
  const charges = settleInterval({
    usageName,
    interval,
    rated,
    previous: [superseded],
    currency,
    itemMode,
    negativeDelta: NegativeDelta.CREDIT,
  });
  if (charges.some(({ kind }) => kind === 'USAGE')) return null;
  if (charges.length > 0) return charges;
  const facts = { lines: rated.lines, due: rated.amount, billed: billedTotal([superseded]) };
  const details = aggregateDetails({ lines: [], amount: ZERO, overflow: [] });
  const none = { kind: 'CREDIT', linkedItemId: item.itemId, amount: ZERO, details, ...facts } as const;
  return [{ ...none, open: ZERO, left: item.remaining }];
}

/** The dates of a credit: the part of the superseded interval outside of the one that replaces it. */
export function creditedDates(
  { startDate, endDate, instants }: SupersededInterval,
  { start, end }: UsageInterval,
): { readonly startDate: LocalDate; readonly endDate: LocalDate } {
  if (start.at === instants.start && end.at < instants.end) return { startDate: end.date, endDate };
  if (end.at === instants.end && start.at > instants.start) return { startDate, endDate: start.date };
  return { startDate, endDate };
}

/** Details that take back every line of an item and its credits, so that all of them add up to nothing. */
function withdrawnLines(entries: readonly BilledEntry[]): string {
  const read = entries.map(({ details }) => readItemDetails(details));
  const lines = new Map<string, BlockLine | PeakLine>();
  for (const line of read.flatMap((details) => details?.lines ?? [])) {
    const key = JSON.stringify([line.tier, line.unit]);
    lines.set(key, lessened(line, lines.get(key)));
  }
  const all = [...lines.values()];
  const [only] = all;
  if (read[0]?.shape === 'DETAIL' && only !== undefined && 'amount' in only) return lineDetails(only);
  const amount = sum(all.map((line) => ('amount' in line ? line.amount : ZERO)));
  return aggregateDetails({ lines: all, amount, overflow: [] });
}

function lessened(line: DetailLine, before: BlockLine | PeakLine | undefined): BlockLine | PeakLine {
  const { tier, unit, price, blockSize, amount } = line;
  // The line of a peak does not add up to anything.
  if (blockSize === null || amount === null) return { tier, unit, price, quantity: ZERO };
  const taken = before !== undefined && 'amount' in before ? before : { quantity: ZERO, amount: ZERO };
  const quantity = taken.quantity.minus(line.quantity);
  return { tier, unit, price, blockSize, quantity, amount: taken.amount.minus(amount) };
}
