import { type BilledRecord, relationOf } from './billed-record.ts';
import { byText } from './numbers.ts';
import type { OracleRun } from './oracle-intervals.ts';
import { priceOf, usedOf } from './oracle-price.ts';
import type { OwedInterval } from './owed-interval.ts';
import { dueItems } from './settled-items.ts';
import type { OraclePoint, OracleSettings } from './usage-facts.ts';

/** The points that these charge, and no later period. */
type PointsOf = (records: readonly BilledRecord[]) => readonly OraclePoint[];

export interface GivenUp {
  readonly runs: readonly OracleRun[];
  readonly billed: readonly BilledRecord[];
  /** What the intervals of the history are compared with. */
  readonly compared: ReadonlySet<BilledRecord>;
  readonly settings: OracleSettings;
  readonly pointsOf: PointsOf;
  /** L of usage §7.1. */
  readonly since: (run: OracleRun) => number;
}

/**
 * Billed periods that the history has no more: of each, from the look-back on, what was charged for points that are void by
 * now is given back (usage §2.2 rule 3). Where no point is void there is nothing to give.
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

/** Periods before the look-back: what is void of them by now is given back where it is carried (usage §2.2 rule 3). */
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

/** With the section by which it was billed. */
function runOf({ usageName, prices, start }: BilledRecord, runs: readonly OracleRun[]): OracleRun | null {
  const own = runs.filter(({ section }) => section.name === usageName && section.prices === prices);
  return own.findLast(({ events }) => (events[0]?.day ?? 0) <= start.day) ?? own[0] ?? null;
}
