import type { BillingEvent, UsageSection } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, sum, ZERO } from '../../values/money/index.ts';
import { addMilliseconds, type LocalDate } from '../../values/time/index.ts';
import { isBilled, type UsageInterval } from '../intervals/usage-intervals.ts';
import { compareText, lesser } from '../rating/quantities.ts';
import {
  aggregateDetails,
  type BlockLine,
  type DetailLine,
  lineDetails,
  type PeakLine,
  type RatedUsage,
  readItemDetails,
} from '../rating/rated-usage.ts';
import type { BilledEntry, BilledInterval, SupersededInterval } from './billed-interval.ts';
import { billedTotal } from './billed-lines.ts';
import { settleInterval, type UsageCharge, type UsageCredit } from './settle-interval.ts';
import { type ItemMode, NegativeDelta } from './usage-config.ts';

interface BilledNow {
  readonly billed: readonly BilledInterval[];
  /** Superseded intervals that still have charges to credit, sorted by start, end and name. */
  readonly superseded: readonly SupersededInterval[];
}

/**
 * Divides the billed intervals of a subscription according to its current history. An interval is superseded if another
 * section now charges part of its time, because a change of plan, phase or price was backdated. Time in which nothing
 * is billed (during a pause, or after the end) does not supersede an interval.
 * @param events All events of the subscription, in order.
 */
export function separateSuperseded(
  billed: readonly BilledInterval[],
  events: readonly BillingEvent[],
): BilledNow {
  const supersededBy = new Map<BilledInterval, BillingEvent>();
  for (const one of billed) {
    const event = supersedingEvent(one, events);
    if (event !== null) supersededBy.set(one, event);
  }
  // The early return below is the common case, because most subscriptions with usage have no credits.
  const hasCredits = billed.some(({ entries }) => entries.some(({ linkedItemId }) => linkedItemId !== null));
  if (supersededBy.size === 0 && !hasCredits) return { billed, superseded: [] };
  const carriers = carriersOf(billed);
  if (supersededBy.size === 0 && ![...carriers.values()].some(isPartlyCredited))
    return { billed, superseded: [] };
  const entriesOf = entriesByPlace(billed, { carriers, isSuperseded: (one) => supersededBy.has(one) });
  const superseded = Map.groupBy([...supersededBy], ([one]) => spanKey(one));
  return {
    billed: billed
      .filter((one) => !supersededBy.has(one))
      .map((one) => (hasSameEntries(one, entriesOf(one)) ? one : { ...one, entries: entriesOf(one) })),
    superseded: [...superseded.values()]
      .flatMap((group) => supersededInterval(group, entriesOf))
      .sort(byTime),
  };
}

/**
 * Pairs each interval with the shorter intervals that continued its items (see `entriesByPlace`). Both must be read
 * together.
 */
export function readTogether(
  billed: readonly BilledInterval[],
): readonly (readonly [longer: BilledInterval, shorter: BilledInterval])[] {
  return [...carriersOf(billed).values()].filter(isPartlyCredited).flatMap((carriers) => {
    const [home] = carriers;
    return home === undefined ? [] : carriers.slice(1).map((carrier) => [home, carrier] as const);
  });
}

function supersedingEvent(one: BilledInterval, events: readonly BillingEvent[]): BillingEvent | null {
  const { instants } = one;
  if (instants === null || one.priceIdentity === undefined || one.versionDate === undefined) return null;
  const { start } = instants;
  // A zero-length interval covers only one instant.
  const end = instants.end > start ? instants.end : addMilliseconds(start, 1);
  for (const [index, event] of events.entries()) {
    if (event.effectiveDate >= end) return null;
    const until = events[index + 1]?.effectiveDate ?? null;
    const isOver = until !== null && (until <= start || until === event.effectiveDate);
    if (!isOver && isBilled(event) && !event.usages.some((section) => isSame(section, one))) return event;
  }
  return null;
}

/**
 * Returns true if the billed interval belongs to the same section. A new catalog version with the same prices does not
 * supersede the section, because the date of the version is only informative (invoicing §5.5 rule 1).
 */
function isSame({ name, priceIdentity }: UsageSection, one: BilledInterval): boolean {
  return name === one.usageName && priceIdentity === one.priceIdentity;
}

interface Places {
  readonly carriers: ReadonlyMap<Uuid, readonly BilledInterval[]>;
  readonly isSuperseded: (one: BilledInterval) => boolean;
}

/**
 * Returns the entries of each interval. An item and its credits belong to the interval that charged the item. If that
 * interval is superseded, they belong to the last interval in force that credited part of the item, because a credit
 * records which interval continues the item (see `replaceSuperseded`).
 */
function entriesByPlace(billed: readonly BilledInterval[], { carriers, isSuperseded }: Places) {
  const placed = new Map<BilledInterval, BilledEntry[]>(billed.map((one) => [one, []]));
  for (const one of billed) {
    for (const entry of one.entries) {
      const place = placeOf(one, carriers.get(rootOf(entry)) ?? [], isSuperseded);
      placed.get(place)?.push(entry);
    }
  }
  return (one: BilledInterval) => placed.get(one) ?? [];
}

/** Returns, for each USAGE item, the intervals that charged or partly credited it, in billing order. */
function carriersOf(billed: readonly BilledInterval[]): ReadonlyMap<Uuid, readonly BilledInterval[]> {
  const pairs = billed.flatMap((one) => one.entries.map((entry) => ({ one, root: rootOf(entry) })));
  const byRoot = Map.groupBy(pairs, ({ root }) => root);
  return new Map([...byRoot].map(([root, found]) => [root, found.map(({ one }) => one)]));
}

function placeOf(
  one: BilledInterval,
  carriers: readonly BilledInterval[],
  isSuperseded: (one: BilledInterval) => boolean,
): BilledInterval {
  if (!carriers.some(isSuperseded) && !isPartlyCredited(carriers)) return one;
  const [home] = carriers;
  if (home !== undefined && !isSuperseded(home)) return home;
  return carriers.findLast((carrier) => !isSuperseded(carrier)) ?? carriers.at(-1) ?? one;
}

/** Returns true if part of the item was credited by an interval within the interval that charged the item. */
function isPartlyCredited([home, ...others]: readonly BilledInterval[]): boolean {
  const [start = 0, end = 0] = [home?.instants?.start, home?.instants?.end];
  return others.some(({ instants }) => instants !== null && (instants.start > start || instants.end < end));
}

function rootOf({ itemId, linkedItemId }: BilledEntry): Uuid {
  return linkedItemId ?? itemId;
}

function hasSameEntries({ entries }: BilledInterval, placed: readonly BilledEntry[]): boolean {
  return entries.length === placed.length && entries.every((entry, index) => entry === placed[index]);
}

function spanKey({
  usageName,
  priceIdentity,
  instants,
}: Pick<BilledInterval, 'usageName' | 'priceIdentity' | 'instants'>): string {
  return JSON.stringify([usageName, priceIdentity, instants?.start, instants?.end]);
}

function byTime(a: SupersededInterval, b: SupersededInterval): number {
  return (
    a.instants.start - b.instants.start ||
    a.instants.end - b.instants.end ||
    compareText(spanKey(a), spanKey(b))
  );
}

function supersededInterval(
  group: readonly (readonly [BilledInterval, BillingEvent])[],
  entriesOf: (one: BilledInterval) => readonly BilledEntry[],
): readonly SupersededInterval[] {
  const [last] = group.at(-1) ?? [];
  const [first] = group;
  if (last === undefined || first === undefined) return [];
  const { usageName, versionDate, priceIdentity, instants, startDate, endDate } = last;
  if (versionDate === undefined || priceIdentity === undefined || instants === null) return [];
  const entries = group.flatMap(([one]) => entriesOf(one));
  if (!billedTotal([{ ...last, entries }]).greaterThan(0)) return [];
  const isSupplied = group.some(([one]) => one.supplied != null);
  const event = first[1];
  const interval = { usageName, versionDate, priceIdentity, instants, startDate, endDate };
  return [{ ...interval, isSupplied, entries, event }];
}

/** The credits for a superseded interval that no other interval replaces. */
export interface SettledSuperseded {
  readonly interval: SupersededInterval;
  readonly credits: readonly UsageCredit[];
}

/**
 * Credits the remaining amounts of a superseded interval, newest item first. The usage of the interval is billed again
 * (§7.3 rule 7).
 */
export function creditSuperseded(interval: SupersededInterval): SettledSuperseded {
  const { entries } = interval;
  const items = entries.filter(({ linkedItemId }) => linkedItemId === null).toReversed();
  const credits = items.flatMap(({ itemId, remaining: left }): readonly UsageCredit[] => {
    const own = entries.filter((entry) => rootOf(entry) === itemId);
    const open = sum(own.map(({ amount }) => amount));
    const part = lesser(left, open);
    if (!part.greaterThan(ZERO)) return [];
    const facts = { lines: [], due: ZERO, billed: open };
    const details = withdrawnLines(own);
    return [{ kind: 'CREDIT', linkedItemId: itemId, amount: part.negated(), details, open, left, ...facts }];
  });
  return { interval, credits };
}

interface ReplacementInput {
  readonly superseded: SupersededInterval;
  readonly usageName: string;
  readonly interval: UsageInterval;
  readonly rated: RatedUsage;
  readonly currency: Currency;
  readonly itemMode: ItemMode;
}

/**
 * Returns the credits that reduce the charge of a superseded interval to the price of its replacement. Returns null if
 * the replacement costs more. Also returns null if the superseded interval has several items, in which case all of them
 * are credited. A credit of 0 records that the replacement continues the item (see `separateSuperseded`).
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

/** Returns the dates of a credit. They cover the part of the superseded interval outside its replacement. */
export function creditedDates(
  { startDate, endDate, instants }: SupersededInterval,
  { start, end }: UsageInterval,
): { readonly startDate: LocalDate; readonly endDate: LocalDate } {
  if (start.at === instants.start && end.at < instants.end) return { startDate: end.date, endDate };
  if (end.at === instants.end && start.at > instants.start) return { startDate, endDate: start.date };
  return { startDate, endDate };
}

/** Returns details that cancel all lines of an item and its credits. */
function withdrawnLines(entries: readonly BilledEntry[]): string {
  const read = entries.map(({ details }) => readItemDetails(details));
  const lines = new Map<string, BlockLine | PeakLine>();
  for (const line of read.flatMap((details) => details?.lines ?? [])) {
    const key = JSON.stringify([line.tier, line.unit]);
    lines.set(key, subtractLine(line, lines.get(key)));
  }
  const all = [...lines.values()];
  const [only] = all;
  if (read[0]?.shape === 'DETAIL' && only !== undefined && 'amount' in only) return lineDetails(only);
  const amount = sum(all.map((line) => ('amount' in line ? line.amount : ZERO)));
  return aggregateDetails({ lines: all, amount, overflow: [] });
}

function subtractLine(line: DetailLine, before: BlockLine | PeakLine | undefined): BlockLine | PeakLine {
  const { tier, unit, price, blockSize, amount } = line;
  // Peak lines have no amount.
  if (blockSize === null || amount === null) return { tier, unit, price, quantity: ZERO };
  const taken = before !== undefined && 'amount' in before ? before : { quantity: ZERO, amount: ZERO };
  const quantity = taken.quantity.minus(line.quantity);
  return { tier, unit, price, blockSize, quantity, amount: taken.amount.minus(amount) };
}
