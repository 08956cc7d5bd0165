import type { DatedInstant } from '../../values/time/index.ts';
import type { UsageInterval } from '../intervals/usage-intervals.ts';
import type { UsageRun } from '../intervals/usage-runs.ts';
import { compareText } from '../rating/quantities.ts';
import { type BilledInterval, billedWithin, type PlannedInterval } from './billed-interval.ts';

export interface OutdatedInput {
  /** All of the subscription. */
  readonly runs: readonly UsageRun[];
  readonly planned: readonly PlannedInterval[];
  readonly billed: readonly BilledInterval[];
  readonly lookBackOf: (run: UsageRun) => DatedInstant;
}

/**
 * Billed intervals from the look-back on that no interval to be rated takes up, since the history was changed after they
 * were billed: what it has there now lies within one, or shares a part with it (§7.3 step 2). They stay charged, for their
 * own points alone, so that what is void of these is given back (§2.2 rule 3). In order of time.
 */
export function outdatedIntervals(input: OutdatedInput): readonly PlannedInterval[] {
  const { planned, billed } = input;
  const rated = new Set(planned.flatMap(({ match }) => match.previous));
  const seen = new Set();
  const found: PlannedInterval[] = [];
  for (const { one, interval } of notRated(input, rated)) {
    const own = billed.filter(({ usageName }) => usageName === one.usageName);
    // A longer one was billed for the difference to those within it, so that these are looked at with it, or not at all.
    if (seen.has(one) || own.some((other) => isWithin(one, other))) continue;
    const previous = billedWithin(interval, own);
    for (const each of previous) seen.add(each);
    // The last one says by which prices the others were billed after.
    const run = runOf(previous.at(-1) ?? one, input.runs);
    if (run === null || previous.some((each) => rated.has(each))) continue;
    found.push({ run, interval, match: { kind: 'OPEN', previous, overlapping: [] }, isOutdated: true });
  }
  return found.sort(byTime);
}

interface Candidate {
  readonly one: BilledInterval;
  readonly interval: UsageInterval;
}

function notRated(
  { runs, billed, lookBackOf }: OutdatedInput,
  rated: ReadonlySet<BilledInterval>,
): readonly Candidate[] {
  const others = billed.filter((one) => !rated.has(one));
  if (others.length === 0) return [];
  const sinceOf = new Map(runs.map((run) => [run, lookBackOf(run).at]));
  return others.flatMap((one): readonly Candidate[] => {
    const [interval, run] = [intervalOf(one), runOf(one, runs)];
    if (interval === null || run === null) return [];
    return interval.start.at >= (sinceOf.get(run) ?? 0) ? [{ one, interval }] : [];
  });
}

function isWithin(one: BilledInterval, other: BilledInterval): boolean {
  const [a, b] = [one.instants, other.instants];
  if (a === null || b === null || (a.start === b.start && a.end === b.end)) return false;
  const around = intervalOf(other);
  return around !== null && billedWithin(around, [one]).length > 0;
}

function intervalOf({ instants, startDate, endDate }: BilledInterval): UsageInterval | null {
  if (instants === null) return null;
  return {
    start: { at: instants.start, date: startDate },
    end: { at: instants.end, date: endDate },
    includesEnd: false,
  };
}

/** A run of the section that it was billed by: what it came to is told by no other prices. */
function runOf(
  { usageName, versionDate, priceIdentity, startDate }: BilledInterval,
  runs: readonly UsageRun[],
): UsageRun | null {
  const own = runs.filter(
    ({ section }) =>
      section.name === usageName &&
      section.versionDate === versionDate &&
      section.priceIdentity === priceIdentity,
  );
  return own.findLast(({ events: [first] }) => first.localDate <= startDate) ?? own[0] ?? null;
}

/** By start, end, then usage name. */
export function byTime(a: PlannedInterval, b: PlannedInterval): number {
  return (
    a.interval.start.at - b.interval.start.at ||
    a.interval.end.at - b.interval.end.at ||
    compareText(a.run.section.name, b.run.section.name)
  );
}
