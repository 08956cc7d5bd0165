import type { UsageSection } from '../../records/index.ts';
import {
  addDays,
  type DatedInstant,
  type Instant,
  type LocalDate,
  maxInstant,
  startOfDay,
  type TimeZone,
} from '../../values/time/index.ts';
import { lookBackOf } from '../intervals/look-back.ts';
import {
  intervalStartAt,
  isEnd,
  nextUsageDates,
  type UsageInterval,
  type UsageRun,
  usageIntervals,
  usageRuns,
} from '../intervals/usage-intervals.ts';
import { compareText } from '../rating/quantities.ts';
import {
  type BilledInterval,
  findBilledWithin,
  matchBilled,
  type PlannedInterval,
  type SupersededInterval,
  type UsageHistory,
} from './billed-interval.ts';
import { separateSuperseded } from './superseded-usage.ts';
import { BeyondLookBack, type UsageConfig } from './usage-config.ts';

/** Input for the plan. `billed` may omit intervals that ended before `from`. */
interface UsagePlanInput extends UsageHistory {
  readonly targetDate: LocalDate;
  readonly config: Pick<UsageConfig, 'lookBackPeriods'> & Partial<Pick<UsageConfig, 'beyondLookBack'>>;
  /** The date that `usageWindow` returned. Null (the default) if `billed` contains all billed intervals. */
  readonly from?: LocalDate | null;
}

/** The usage of a subscription that a run reads and rates. */
export interface UsagePlan {
  /** Intervals to rate, sorted by run, then by time (§7.3). */
  readonly intervals: readonly PlannedInterval[];
  /**
   * Other billed intervals, which are included because their points may have been voided. These are outdated intervals
   * and, under `beyondLookback=NEXT_PERIOD`, intervals before the look-back period.
   */
  readonly outdated: readonly PlannedInterval[];
  /** Billed intervals that another section now charges. An element of `intervals` may replace such an interval. */
  readonly superseded: readonly SupersededInterval[];
  readonly billed: readonly BilledInterval[];
  /** Sections that are still charged after the target date. */
  readonly open: readonly UsageSection[];
  /** The first date after the target date on which more usage must be billed (§7.9 rule 3). */
  readonly nextDate: LocalDate | null;
}

export function planUsage(given: UsagePlanInput): UsagePlan {
  const { billed, superseded } = separateSuperseded(given.billed, given.events);
  const input = { ...given, billed };
  const runs = usageRuns(input.events, input.targetDate);
  const planned = runs.flatMap((run) => plannedIntervals(run, runs, input));
  const beyond = input.config.beyondLookBack === BeyondLookBack.NEXT_PERIOD;
  const old = beyond ? runs.flatMap((run) => intervalsBeyond(run, input)) : [];
  return {
    intervals: superseded.length === 0 ? planned : withReplaced(planned, superseded),
    superseded,
    billed,
    open: runs.flatMap(({ section, closedBy }) => (closedBy === null ? [section] : [])),
    outdated: [
      ...old,
      ...outdatedIntervals({
        runs,
        planned: [...planned, ...old],
        billed,
        lookBackOf: (run) => lookBackOf(run.section, beyond ? { ...input, config: ALL_PERIODS } : input),
      }),
    ].sort(byTime),
    nextDate: nextUsageDates(input.events, input.targetDate).toSorted((a, b) => a - b)[0] ?? null,
  };
}

function plannedIntervals(run: UsageRun, all: readonly UsageRun[], input: UsagePlanInput) {
  const { targetDate, zone, billed, from = null } = input;
  const { name } = run.section;
  const own = billed.filter(({ usageName }) => usageName === name);
  const lookBack = lookBackOf(run.section, input);
  const runs = all.filter(({ section }) => section.name === name);
  const unbilled = firstUnbilledStart({ runs, billed: own, zone, from });
  const since = unbilled !== null && unbilled.at < lookBack.at ? unbilled : lookBack;
  return usageIntervals(run, { targetDate, lookBack: since, zone }).flatMap((interval) => {
    if (isTooOld(interval, { lookBack, billed: own, zone })) return [];
    const match = matchBilled(interval, own);
    return match.kind === 'COVERED' ? [] : [{ run, interval, match }];
  });
}

const ALL_PERIODS = { lookBackPeriods: -1 };

/** Returns the billed intervals before the look-back period. Only voided points can change them (§2.2 rule 3). */
function intervalsBeyond(run: UsageRun, input: UsagePlanInput): readonly PlannedInterval[] {
  const { targetDate, zone, billed } = input;
  const own = billed.filter(({ usageName }) => usageName === run.section.name);
  const begin = lookBackOf(run.section, { ...input, config: ALL_PERIODS });
  const lookBack = lookBackOf(run.section, input);
  return usageIntervals(run, { targetDate, lookBack: begin, zone }).flatMap((interval) => {
    if (!isTooOld(interval, { lookBack, billed: own, zone })) return [];
    const match = matchBilled(interval, own);
    return match.kind === 'OPEN' && match.previous.length > 0 ? [{ run, interval, match }] : [];
  });
}

/**
 * Adds the replacements to the intervals. The first unbilled interval that is within a superseded interval and has the
 * same section replaces the superseded interval, so that only the difference is credited (§7.3 rule 7). Other intervals
 * are billed as new.
 */
function withReplaced(planned: readonly PlannedInterval[], superseded: readonly SupersededInterval[]) {
  const replaced = new Map<PlannedInterval, SupersededInterval>();
  for (const one of superseded) {
    const first = planned.find((each) => !replaced.has(each) && mayReplace(each, one));
    if (first !== undefined) replaced.set(first, one);
  }
  return planned.map((one) => ({ ...one, replaces: replaced.get(one) ?? null }));
}

function mayReplace({ run, interval, match }: PlannedInterval, one: SupersededInterval): boolean {
  const { name, priceIdentity } = run.section;
  return (
    name === one.usageName &&
    priceIdentity === one.priceIdentity &&
    match.previous.length === 0 &&
    match.overlapping.length === 0 &&
    one.instants.start <= interval.start.at &&
    interval.end.at <= one.instants.end
  );
}

/**
 * Returns true for an interval that starts before L (the start of the look-back period), unless part of its time has
 * not been billed (§7.1 rule 3).
 * @param of `billed` contains the intervals of the usage name.
 */
export function isTooOld(
  { start, end }: UsageInterval,
  of: {
    readonly lookBack: DatedInstant;
    readonly billed: readonly BilledInterval[];
    readonly zone: TimeZone;
  },
): boolean {
  const { lookBack, billed, zone } = of;
  if (start.at >= lookBack.at) return false;
  return firstUnbilled({ start: start.at, end: end.at }, billed, zone) === null;
}

interface Stretch {
  readonly start: Instant;
  /** Exclusive end. Null means open. */
  readonly end: Instant | null;
}

/** Returns the first unbilled instant of a time span, or null if all of it has been billed. */
function firstUnbilled({ start, end }: Stretch, billed: readonly BilledInterval[], zone: TimeZone) {
  const spans = billed.map((one) => spanOf(one, zone)).sort((a, b) => a.start - b.start);
  if (start === end) {
    const isHeld = spans.some((span) => span.start <= start && (start < span.end || span.start === start));
    return isHeld ? null : start;
  }
  let open = start;
  for (const span of spans) {
    if (span.start > open) break;
    if (span.end > open) open = span.end;
  }
  return end !== null && open >= end ? null : open;
}

interface UnbilledStartInput {
  readonly runs: readonly UsageRun[];
  readonly billed: readonly BilledInterval[];
  readonly zone: TimeZone;
  /**
   * Date before which everything has been billed. `billed` may omit earlier intervals. The value is null if `billed`
   * is complete.
   */
  readonly from: LocalDate | null;
}

/**
 * Returns the start of the first interval that is not completely billed, or null if all intervals are completely billed
 * (§7.1 rule 3).
 */
export function firstUnbilledStart({ runs, billed, zone, from }: UnbilledStartInput): DatedInstant | null {
  let first: DatedInstant | null = null;
  for (const run of runs) {
    const stretch = stretchOf(run, from, zone);
    const at = stretch === null ? null : firstUnbilled(stretch, billed, zone);
    if (at === null || (first !== null && at >= first.at)) continue;
    const start = intervalStartAt(run, at, zone);
    if (first === null || start.at < first.at) first = start;
  }
  return first;
}

/** Returns the part of a run that must be examined, or null if nothing must be examined. */
function stretchOf({ events, closedBy }: UsageRun, from: LocalDate | null, zone: TimeZone): Stretch | null {
  const [{ effectiveDate: begin, localDate }] = events;
  const start = from === null || from <= localDate ? begin : maxInstant(begin, startOfDay(from, zone));
  if (closedBy === null) return { start, end: null };
  const end = closedBy.effectiveDate;
  // A run whose end equals its start has an interval only if that end is final (§6.3 rule 3).
  const hasIntervals = start < end || (begin === end && start === end && isEnd(closedBy));
  return hasIntervals ? { start, end } : null;
}

function spanOf({ instants, startDate, endDate }: BilledInterval, zone: TimeZone) {
  if (instants !== null) return instants;
  const end = startDate === endDate ? addDays(endDate, 1) : endDate;
  return { start: startOfDay(startDate, zone), end: startOfDay(end, zone) };
}

interface OutdatedInput {
  /** All runs of the subscription. */
  readonly runs: readonly UsageRun[];
  readonly planned: readonly PlannedInterval[];
  readonly billed: readonly BilledInterval[];
  readonly lookBackOf: (run: UsageRun) => DatedInstant;
}

/**
 * Returns, in time order, the billed intervals since the start of the look-back period that are not in the previously
 * billed set of any interval to rate. Such intervals exist if the history changed after billing, so that the new
 * intervals are inside the billed intervals or overlap them (§7.3 step 2). The billed intervals continue to charge
 * their own points, so that voided points are credited (§2.2 rule 3).
 */
function outdatedIntervals(input: OutdatedInput): readonly PlannedInterval[] {
  const { planned, billed } = input;
  const rated = new Set(planned.flatMap(({ match }) => match.previous));
  const seen = new Set();
  const found: PlannedInterval[] = [];
  for (const { one, interval } of notRated(input, rated)) {
    const own = billed.filter(({ usageName }) => usageName === one.usageName);
    // The bill of a longer interval contains only its difference from the billed intervals within it. The longer
    // interval and the intervals within it are therefore examined together.
    if (seen.has(one) || own.some((other) => isWithin(one, other))) continue;
    const previous = findBilledWithin(interval, own);
    for (const each of previous) seen.add(each);
    // The last billed interval has the most recently billed prices.
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

function notRated({ runs, billed, lookBackOf }: OutdatedInput, rated: ReadonlySet<BilledInterval>) {
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
  return around !== null && findBilledWithin(around, [one]).length > 0;
}

function intervalOf({ instants, startDate, endDate }: BilledInterval): UsageInterval | null {
  if (instants === null) return null;
  return {
    start: { at: instants.start, date: startDate },
    end: { at: instants.end, date: endDate },
    includesEnd: false,
  };
}

/** Returns a run of the section that billed the interval. The amount depends on the prices of that section. */
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

function byTime(a: PlannedInterval, b: PlannedInterval): number {
  return (
    a.interval.start.at - b.interval.start.at ||
    a.interval.end.at - b.interval.end.at ||
    compareText(a.run.section.name, b.run.section.name)
  );
}
