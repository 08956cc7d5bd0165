import type { BillingEvent, UsageSection } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { addMilliseconds } from '../../values/time/index.ts';
import { isBilled } from '../intervals/usage-runs.ts';
import { compareText } from '../rating/quantities.ts';
import type { BilledEntry, BilledInterval, SupersededInterval } from './billed-interval.ts';
import { billedTotal } from './billed-so-far.ts';

export interface BilledNow {
  /** The billed intervals that still count. */
  readonly billed: readonly BilledInterval[];
  /** Those that do not, as far as something of them is still charged; by start, end and name. */
  readonly superseded: readonly SupersededInterval[];
}

/**
 * Separates the billed intervals of a subscription by its present history. An interval is superseded when the subscription
 * is billed at some of its time, but not by the section that charged the interval: a change of plan, phase or price was
 * dated back. Time in which nothing is billed (a pause, or after the end) supersedes nothing.
 * @param events all of the subscription, in order.
 */
export function billedNow(billed: readonly BilledInterval[], events: readonly BillingEvent[]): BilledNow {
  const supersededBy = new Map<BilledInterval, BillingEvent>();
  for (const one of billed) {
    const event = supersedingEvent(one, events);
    if (event !== null) supersededBy.set(one, event);
  }
  // The common case: every run of a subscription with usage comes here, and most have no credits.
  if (supersededBy.size === 0 && !billed.some(hasCredits)) return { billed, superseded: [] };
  const carriers = carriersOf(billed);
  if (supersededBy.size === 0 && ![...carriers.values()].some(isTakenOver)) return { billed, superseded: [] };
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

function hasCredits({ entries }: BilledInterval): boolean {
  return entries.some(({ linkedItemId }) => linkedItemId !== null);
}

/** An interval is read together with a shorter one that has or had taken over items of it (see `entriesByPlace`). */
export function readTogether(
  billed: readonly BilledInterval[],
): readonly (readonly [longer: BilledInterval, shorter: BilledInterval])[] {
  return [...carriersOf(billed).values()].filter(isTakenOver).flatMap((carriers) => {
    const [home] = carriers;
    return home === undefined ? [] : carriers.slice(1).map((carrier) => [home, carrier] as const);
  });
}

function supersedingEvent(one: BilledInterval, events: readonly BillingEvent[]): BillingEvent | null {
  const { instants } = one;
  if (instants === null || one.priceIdentity === undefined || one.versionDate === undefined) return null;
  const { start } = instants;
  // An interval of no length has one instant.
  const end = instants.end > start ? instants.end : addMilliseconds(start, 1);
  for (const [index, event] of events.entries()) {
    if (event.effectiveDate >= end) return null;
    const until = events[index + 1]?.effectiveDate ?? null;
    const isOver = until !== null && (until <= start || until === event.effectiveDate);
    if (!isOver && isBilled(event) && !event.usages.some((section) => isSame(section, one))) return event;
  }
  return null;
}

/** Another catalog version with the same prices supersedes nothing: its date is informative (invoicing §5.5 rule 1). */
function isSame({ name, priceIdentity }: UsageSection, one: BilledInterval): boolean {
  return name === one.usageName && priceIdentity === one.priceIdentity;
}

interface Places {
  /** By USAGE item. */
  readonly carriers: ReadonlyMap<Uuid, readonly BilledInterval[]>;
  readonly isSuperseded: (one: BilledInterval) => boolean;
}

/**
 * The entries of each interval. An item and its credits count together: with the interval that charged it or, when that is
 * superseded, with the last one in force that credited some of it. So a credit records which interval has taken over the
 * item of a superseded one (see `replaceSuperseded`).
 */
function entriesByPlace(
  billed: readonly BilledInterval[],
  { carriers, isSuperseded }: Places,
): (one: BilledInterval) => readonly BilledEntry[] {
  const placed = new Map<BilledInterval, BilledEntry[]>(billed.map((one) => [one, []]));
  for (const one of billed) {
    for (const entry of one.entries) {
      const place = placeOf(one, carriers.get(rootOf(entry)) ?? [], isSuperseded);
      placed.get(place)?.push(entry);
    }
  }
  return (one) => placed.get(one) ?? [];
}

/** By USAGE item, the intervals that charged it or credited some of it; in the order of billing. */
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
  if (!carriers.some(isSuperseded) && !isTakenOver(carriers)) return one;
  const [home] = carriers;
  if (home !== undefined && !isSuperseded(home)) return home;
  return carriers.findLast((carrier) => !isSuperseded(carrier)) ?? carriers.at(-1) ?? one;
}

/** True if an interval inside the one that charged the item credited some of it; others are credited by longer ones. */
function isTakenOver([home, ...others]: readonly BilledInterval[]): boolean {
  const [start = 0, end = 0] = [home?.instants?.start, home?.instants?.end];
  return others.some(({ instants }) => instants !== null && (instants.start > start || instants.end < end));
}

/** The USAGE item of an entry. */
export function rootOf({ itemId, linkedItemId }: BilledEntry): Uuid {
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
