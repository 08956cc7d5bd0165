import {
  addDays,
  type DatedInstant,
  type Instant,
  type LocalDate,
  maxInstant,
  startOfDay,
  type TimeZone,
} from '../../values/time/index.ts';
import { isEnd } from '../intervals/usage-event.ts';
import { intervalStartAt } from '../intervals/usage-intervals.ts';
import type { UsageRun } from '../intervals/usage-runs.ts';
import type { BilledInterval } from './billed-interval.ts';

export interface Stretch {
  readonly start: Instant;
  /** Exclusive; null = it has no end yet. */
  readonly end: Instant | null;
}

/** The first instant of a stretch that no billed interval holds; null = it is billed as a whole. */
export function firstUnbilled(
  { start, end }: Stretch,
  billed: readonly BilledInterval[],
  zone: TimeZone,
): Instant | null {
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

export interface UnbilledStartInput {
  /** Of one usage name. */
  readonly runs: readonly UsageRun[];
  readonly billed: readonly BilledInterval[];
  readonly zone: TimeZone;
  /** Before it everything is billed, and need not be among `billed`; null = all that is billed is. */
  readonly from: LocalDate | null;
}

/** Where the first interval begins of which some time is not billed (§7.1 rule 3); null = there is none. */
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

/** What has to be looked at of a run; null = nothing. */
function stretchOf({ events, closedBy }: UsageRun, from: LocalDate | null, zone: TimeZone): Stretch | null {
  const [{ effectiveDate: begin, localDate }] = events;
  const start = from === null || from <= localDate ? begin : maxInstant(begin, startOfDay(from, zone));
  if (closedBy === null) return { start, end: null };
  const end = closedBy.effectiveDate;
  // A run that ends where it starts has an interval only if it ends for good (§6.3 rule 3).
  const hasIntervals = start < end || (begin === end && start === end && isEnd(closedBy));
  return hasIntervals ? { start, end } : null;
}

function spanOf({ instants, startDate, endDate }: BilledInterval, zone: TimeZone) {
  if (instants !== null) return instants;
  const end = startDate === endDate ? addDays(endDate, 1) : endDate;
  return { start: startOfDay(startDate, zone), end: startOfDay(end, zone) };
}
