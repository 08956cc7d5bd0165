import { firstCycleDate, laterCycleDate, type Moment, plusPeriods, startOf } from './calendar.ts';
import { byText } from './oracle-price.ts';
import type { OracleEvent, OraclePoint, OracleSection } from './usage-facts.ts';

export interface OracleRun {
  readonly section: OracleSection;
  readonly events: readonly OracleEvent[];
  /** Null = it continues. */
  readonly closedBy: OracleEvent | null;
}

export interface OracleInterval {
  readonly start: Moment;
  readonly end: Moment;
  /** Whether it includes a point at its end. */
  readonly takesEnd: boolean;
}

/** The events that keep a section, grouped into runs (usage §6.1), by start and name. */
export function runsOf(events: readonly OracleEvent[], target: number): readonly OracleRun[] {
  const seen = withoutEmptyPauses(events).filter(({ day }) => day <= target);
  const isKept = (section: OracleSection, index: number) =>
    seen[index]?.sections.some(({ name, prices }) => name === section.name && prices === section.prices) ===
    true;
  const runs = seen.flatMap((event, from) =>
    event.sections
      .filter((section) => !isKept(section, from - 1))
      .map((section): OracleRun => {
        let until = from + 1;
        while (isKept(section, until)) until += 1;
        return { section, events: seen.slice(from, until), closedBy: seen[until] ?? null };
      }),
  );
  return runs.toSorted(
    (a, b) => (a.events[0]?.at ?? 0) - (b.events[0]?.at ?? 0) || byText(a.section.name, b.section.name),
  );
}

function withoutEmptyPauses(events: readonly OracleEvent[]): readonly OracleEvent[] {
  return events.filter(({ billing, at }, index) => {
    const next = events[index + 1];
    return !(billing === 'PAUSED' && next?.billing === 'ON' && next.at === at);
  });
}

export interface LookBack {
  readonly target: number;
  readonly zone: string;
}

/** The intervals of a run up to the target date (usage §6.3). */
export function intervalsOf(run: OracleRun, look: LookBack): readonly OracleInterval[] {
  const all = boundaries(run, look);
  const endsForGood = run.closedBy?.billing === 'ENDED';
  return all.slice(1).flatMap((end, index) => {
    const start = all[index];
    return start === undefined ? [] : [{ start, end, takesEnd: endsForGood && index === all.length - 2 }];
  });
}

function boundaries({ section, events, closedBy }: OracleRun, look: LookBack): readonly Moment[] {
  const kept: Moment[] = [];
  const [first] = events;
  if (first === undefined) return kept;
  kept.push(first);
  let anchor = firstCycleDate(first.day, section.period, first.billCycleDay);
  for (const [index, event] of events.entries()) {
    const before = events[index - 1] ?? first;
    const { period } = section;
    if ('months' in period && event.billCycleDay !== before.billCycleDay)
      anchor = firstCycleDate(event.day, period, event.billCycleDay);
    const until = (events[index + 1] ?? closedBy)?.at ?? null;
    for (const moment of cycleMoments({ anchor, event, section, until }, look)) {
      const last = kept.at(-1);
      if (last === undefined || (moment.at > last.at && moment.day !== last.day)) kept.push(moment);
    }
  }
  const last = kept.at(-1);
  if (closedBy === null || last === undefined) return kept;
  const isAtOnce = kept.length === 1 && closedBy.at === last.at && closedBy.billing === 'ENDED';
  return closedBy.at > last.at || isAtOnce ? [...kept, closedBy] : kept;
}

interface Cycle {
  readonly anchor: number;
  readonly event: OracleEvent;
  readonly section: OracleSection;
  /** Exclusive. */
  readonly until: number | null;
}

function cycleMoments({ anchor, event, section, until }: Cycle, { target, zone }: LookBack) {
  const found: Moment[] = [];
  for (let count = 0; ; count += 1) {
    const { period } = section;
    const day = laterCycleDate(anchor, { period, billCycleDay: event.billCycleDay }, count);
    const at = day === event.day ? event.at : startOf(day, zone);
    if (day > target || (until !== null && at >= until)) return found;
    found.push({ at, day });
  }
}

/** The first cycle date after the target date of an open run (usage §7.9 rule 3). */
export function nextDateOf({ section, events, closedBy }: OracleRun, target: number): number | null {
  const last = events.at(-1);
  const [first] = events;
  if (closedBy !== null || first === undefined || last === undefined) return null;
  const { period } = section;
  const bringing =
    'days' in period
      ? first
      : (events.findLast((event, index) => event.billCycleDay !== events[index - 1]?.billCycleDay) ?? first);
  const anchor = firstCycleDate(bringing.day, period, bringing.billCycleDay);
  for (let count = 0; ; count += 1) {
    const day = laterCycleDate(anchor, { period, billCycleDay: last.billCycleDay }, count);
    if (day > target) return day;
  }
}

/** L of usage §7.1. */
export function lookBackOf(
  section: OracleSection,
  { first, billedThrough, periods, zone }: LookBackFacts,
): number {
  if (periods < 0 || billedThrough === null) return first.at;
  return Math.max(first.at, startOf(plusPeriods(billedThrough, section.period, -periods), zone));
}

export interface LookBackFacts {
  readonly first: Moment;
  readonly billedThrough: number | null;
  readonly periods: number;
  readonly zone: string;
}

/** The instant of a point (usage §2.3 rule 3). */
export function momentOf(point: OraclePoint, events: readonly OracleEvent[]): number {
  if (!point.isOfDay || isBilledAt(point.at, events)) return point.at;
  const begins = events.filter(
    ({ billing }, index) => billing === 'ON' && (events[index - 1]?.billing ?? 'PAUSED') !== 'ON',
  );
  return begins.find(({ day, at }) => day === point.day && at > point.at)?.at ?? point.at;
}

/** Includes the instant at which the subscription ends. */
function isBilledAt(at: number, events: readonly OracleEvent[]): boolean {
  const index = events.findLastIndex((event) => event.at <= at);
  const inForce = events[index];
  const isLast = inForce?.billing === 'ENDED' && inForce.at === at;
  return (isLast ? events[index - 1] : inForce)?.billing === 'ON';
}

export function holds({ start, end, takesEnd }: OracleInterval, at: number): boolean {
  return at >= start.at && (at < end.at || (takesEnd && at === end.at));
}
