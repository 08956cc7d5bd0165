import { type BilledEntry, type BilledRecord, relationOf } from './billed-record.ts';
import { holds, type OracleInterval, type OracleRun } from './oracle-intervals.ts';
import { byText, type OraclePrice, type PriceLine, priceOf, usedOf } from './oracle-price.ts';
import type { OwedInterval } from './settled-items.ts';
import { type DueItem, dueItems } from './settled-items.ts';
import type { OracleEvent, OraclePoint, OracleSettings } from './usage-facts.ts';

/** A billed period whose usage another section now charges (usage §7.3 rule 7). */
export interface SupersededPeriod extends Pick<BilledRecord, 'usageName' | 'prices' | 'start' | 'end'> {
  readonly entries: readonly BilledEntry[];
}

export interface PresentlyBilled {
  readonly counted: readonly BilledRecord[];
  readonly superseded: readonly SupersededPeriod[];
}

/** Finds the section that now charges each billed period, by looking at every turning point inside it. */
export function presentlyBilled(
  billed: readonly BilledRecord[],
  events: readonly OracleEvent[],
): PresentlyBilled {
  const gone = new Set(billed.filter((record) => isSuperseded(record, events)));
  const entriesIn = new Map<BilledRecord, BilledEntry[]>(billed.map((record) => [record, []]));
  for (const record of billed)
    for (const entry of record.entries) entriesIn.get(placeOf(entry, record, { billed, gone }))?.push(entry);
  const periods = Map.groupBy(gone, ({ usageName, prices, start, end }) =>
    [usageName, prices, start.at, end.at].join(' '),
  );
  return {
    counted: billed
      .filter((record) => !gone.has(record))
      .map((record) => ({ ...record, entries: entriesIn.get(record) ?? [] })),
    superseded: [...periods.values()]
      .flatMap((records) => {
        const [first] = records;
        const entries = records.flatMap((record) => entriesIn.get(record) ?? []);
        return first !== undefined && totalOf(entries) > 0n ? [{ ...first, entries }] : [];
      })
      .toSorted(
        (a, b) =>
          a.start.at - b.start.at ||
          a.end.at - b.end.at ||
          byText(JSON.stringify([a.usageName, a.prices]), JSON.stringify([b.usageName, b.prices])),
      ),
  };
}

function isSuperseded({ usageName, prices, start, end }: BilledRecord, events: readonly OracleEvent[]) {
  const turns = [start.at, ...events.map(({ at }) => at).filter((at) => at > start.at && at < end.at)];
  return turns.some((turn) => {
    const inForce = events.findLast(({ at }) => at <= turn);
    return (
      inForce?.billing === 'ON' &&
      !inForce.sections.some((section) => section.name === usageName && section.prices === prices)
    );
  });
}

interface Places {
  readonly billed: readonly BilledRecord[];
  readonly gone: ReadonlySet<BilledRecord>;
}

/** An item and its credits stay together, in the last active period that credited it. */
function placeOf(entry: BilledEntry, record: BilledRecord, { billed, gone }: Places): BilledRecord {
  const item = entry.of ?? entry;
  const having = billed.filter(({ entries }) => entries.some((one) => (one.of ?? one) === item));
  const [home] = having;
  const isInside = ({ start, end }: BilledRecord) =>
    home !== undefined && (start.at > home.start.at || end.at < home.end.at);
  if (having.every((one) => !gone.has(one) && !isInside(one))) return record;
  if (home !== undefined && !gone.has(home)) return home;
  return having.findLast((one) => !gone.has(one)) ?? having.at(-1) ?? record;
}

function totalOf(entries: readonly BilledEntry[]): bigint {
  return entries.reduce((all, { amount }) => all + amount, 0n);
}

/** The rating of an interval by the run that checks the superseded period. */
export interface Rerated {
  readonly run: OracleRun;
  readonly interval: OracleInterval;
  /** False if any of it is billed. */
  readonly isNew: boolean;
}

/** The first new interval of its section inside a superseded period takes over its item. */
export function takeovers<One extends Rerated>(
  superseded: readonly SupersededPeriod[],
  planned: readonly One[],
): ReadonlyMap<One, SupersededPeriod> {
  const taken = new Map<One, SupersededPeriod>();
  for (const period of superseded) {
    const within = { start: period.start, end: period.end, takesEnd: true };
    const heir = planned.find(
      (one) =>
        one.isNew &&
        !taken.has(one) &&
        one.run.section.name === period.usageName &&
        one.run.section.prices === period.prices &&
        holds(within, one.interval.start.at) &&
        holds(within, one.interval.end.at),
    );
    if (heir !== undefined) taken.set(heir, period);
  }
  return taken;
}

/** Credits the superseded item down to the interval's price; null = credit all of it. */
export function creditedRest(
  period: SupersededPeriod,
  { run, price, settings }: { run: OracleRun; price: OraclePrice; settings: OracleSettings },
): readonly DueItem[] | null {
  const items = period.entries.filter(({ of }) => of === null);
  const [item] = items;
  if (item === undefined || items.length > 1) return null;
  const previous = [{ ...period, points: new Set<never>(), billedAt: null, invoice: '' }];
  const credited = { ...settings, negativeDelta: 'CREDIT' as const };
  const due = dueItems({ section: run.section, price, previous, settings: credited });
  if (due.some(({ entry }) => entry.of === null)) return null;
  if (due.length > 0) return due;
  const entry = { of: item, amount: 0n, left: 0n, lines: [], lineKey: null };
  return [{ entry, rate: null, quantity: null, shown: [], exact: 0n, beyond: [] }];
}

/** Credits the remaining items of a superseded period, newest first. */
export function creditedWhole(period: SupersededPeriod): readonly OwedInterval[] {
  const { usageName: name, prices, start, end, entries } = period;
  const items = entries
    .filter(({ of }) => of === null)
    .toReversed()
    .flatMap((item): readonly DueItem[] => {
      const own = entries.filter((entry) => (entry.of ?? entry) === item);
      const open = totalOf(own);
      const part = item.left < open ? item.left : open;
      if (part <= 0n) return [];
      const taken = releasedLeases(own.flatMap(({ lines }) => lines));
      const lines = item.lineKey === null ? taken : taken.slice(0, 1);
      const exact = lines.reduce((all, { amount }) => all + amount, 0n);
      const entry = { of: item, amount: -part, left: 0n, lines, lineKey: item.lineKey };
      return [{ entry, rate: null, quantity: null, shown: lines, exact, beyond: [] }];
    });
  if (items.length === 0) return [];
  const section = { name, prices, kind: 'ALL_TIERS', period: { months: 1 }, tiers: [] } as const;
  const run = { section, events: [], closedBy: null };
  const previous = [{ ...period, points: new Set<never>(), billedAt: null, invoice: '' }];
  return [{ run, interval: { start, end, takesEnd: false }, previous, items, points: new Set() }];
}

function releasedLeases(lines: readonly PriceLine[]): readonly PriceLine[] {
  const found = Map.groupBy(lines, ({ tier, unit }) => `${tier} ${unit}`);
  return [...found.values()].flatMap((own) => {
    const last = own.at(-1);
    if (last === undefined) return [];
    // Peaks do not add up.
    if (last.size === null) return [{ ...last, quantity: 0n, amount: 0n }];
    return [
      {
        ...last,
        quantity: -own.reduce((all, { quantity }) => all + quantity, 0n),
        amount: -own.reduce((all, { amount }) => all + amount, 0n),
      },
    ];
  });
}

/** The days of a credit for the rest, outside the new interval. */
export function restOf({ start, end }: SupersededPeriod, own: OracleInterval): OwedInterval['credited'] {
  if (own.start.at === start.at && own.end.at < end.at) return { start: own.end, end };
  if (own.end.at === end.at && own.start.at > start.at) return { start, end: own.start };
  return { start, end };
}

/** The points that these records charge and no later period does. */
type PointsOf = (records: readonly BilledRecord[]) => readonly OraclePoint[];

export interface GivenUp {
  readonly runs: readonly OracleRun[];
  readonly billed: readonly BilledRecord[];
  /** The records that the intervals of the history are compared with. */
  readonly compared: ReadonlySet<BilledRecord>;
  readonly settings: OracleSettings;
  readonly pointsOf: PointsOf;
  /** L of usage §7.1. */
  readonly since: (run: OracleRun) => number;
}

/**
 * Credits voided points of billed periods that the history no longer has, back to the look-back (usage §2.2 rule 3).
 */
export function givenUpPeriods(given: GivenUp): readonly OwedInterval[] {
  const { runs, billed, compared, settings } = given;
  const done = new Set<BilledRecord>(compared);
  const owed: OwedInterval[] = [];
  const length = ({ start, end }: BilledRecord) => end.at - start.at;
  for (const record of billed.toSorted((a, b) => length(b) - length(a))) {
    if (done.has(record)) continue;
    const interval = { start: record.start, end: record.end, takesEnd: false };
    const previous = billed.filter(
      (one) => one.usageName === record.usageName && relationOf(interval, one) === 'SAME_OR_INSIDE',
    );
    for (const one of previous) done.add(one);
    const run = runOf(previous.at(-1) ?? record, runs);
    const points = given.pointsOf(previous);
    if (run === null || record.start.at < given.since(run)) continue;
    if (previous.some((one) => compared.has(one))) continue;
    const { section } = run;
    const used = usedOf(section, new Set(points.filter(({ isVoid }) => !isVoid)));
    const price = priceOf(section, used, settings.overflow);
    const items = dueItems({ section, price, previous, settings }).filter(({ entry }) => entry.of !== null);
    if (items.length > 0) owed.push({ run, interval, previous, items, points: new Set() });
  }
  return owed;
}

/** Credits voided points of periods before the look-back in the period that carries them (usage §2.2 rule 3). */
export function voidsOfOldPeriods(
  old: readonly Pick<OwedInterval, 'run' | 'interval' | 'previous'>[],
  { settings, pointsOf }: Pick<GivenUp, 'settings' | 'pointsOf'>,
): readonly OwedInterval[] {
  return old.flatMap(({ run, interval, previous }) => {
    const points = pointsOf(previous).filter(({ isVoid }) => !isVoid);
    const { section } = run;
    const price = priceOf(section, usedOf(section, new Set(points)), settings.overflow);
    const items = dueItems({ section, price, previous, settings }).filter(({ entry }) => entry.of !== null);
    return items.length === 0 ? [] : [{ run, interval, previous, items, points: new Set<never>() }];
  });
}

export function inOrderOfTime(owed: readonly OwedInterval[]): readonly OwedInterval[] {
  return owed.toSorted(
    (a, b) =>
      a.interval.start.at - b.interval.start.at ||
      a.interval.end.at - b.interval.end.at ||
      byText(a.run.section.name, b.run.section.name),
  );
}

/** The run with the section that billed the period. */
function runOf({ usageName, prices, start }: BilledRecord, runs: readonly OracleRun[]): OracleRun | null {
  const own = runs.filter(({ section }) => section.name === usageName && section.prices === prices);
  return own.findLast(({ events }) => (events[0]?.day ?? 0) <= start.day) ?? own[0] ?? null;
}
