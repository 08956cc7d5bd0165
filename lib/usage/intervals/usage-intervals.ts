import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { MAX_PERIODS_PER_RUN } from '../../values/limits.ts';
import {
  addPeriod,
  cycleDate,
  type DatedInstant,
  firstCycleAfter,
  formatLocalDate,
  type Instant,
  type LocalDate,
  localDateOf,
  maxInstant,
  startOfDay,
  type TimeZone,
} from '../../values/time/index.ts';
import { type Cadence, cadencesOf } from './cadence.ts';
import { isEnd } from './usage-event.ts';
import type { UsageRun } from './usage-runs.ts';

/** What one usage price is computed for: the part of a run between two neighbouring boundaries (§6.3). */
export interface UsageInterval {
  readonly start: DatedInstant;
  /** Its date may be that of the start. */
  readonly end: DatedInstant;
  /** True where a point at the very end counts too: the last interval before a cancellation or expiry (§6.4). */
  readonly includesEnd: boolean;
}

export interface IntervalsInput {
  readonly targetDate: LocalDate;
  /** L of §7.1; boundaries before it are dropped. */
  readonly lookBack: DatedInstant;
  readonly zone: TimeZone;
}

/** In periods: another bill cycle day makes intervals of up to two (§6.2 rule 5). */
const LONGEST_INTERVAL = 2;

/** When an interval is over at the latest, however its end is put off meanwhile. */
export function latestEnd({ start, end }: UsageInterval, { section }: UsageRun, zone: TimeZone): Instant {
  return maxInstant(end.at, startOfDay(addPeriod(start.date, section.billingPeriod, LONGEST_INTERVAL), zone));
}

/**
 * The intervals of a run that are complete at the target date, in order.
 * @throws BillingError INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE (4005) beyond `MAX_PERIODS_PER_RUN`.
 */
export function usageIntervals(run: UsageRun, input: IntervalsInput): readonly UsageInterval[] {
  const boundaries = boundariesOf(run, input);
  const last = boundaries.length - 2;
  const endsForGood = run.closedBy !== null && isEnd(run.closedBy);
  return boundaries.flatMap((start, index): readonly UsageInterval[] => {
    const end = boundaries[index + 1];
    return end === undefined ? [] : [{ start, end, includesEnd: endsForGood && index === last }];
  });
}

/** Where the interval of a run begins in which an instant lies, be it complete or not. */
export function intervalStartAt(run: UsageRun, at: Instant, zone: TimeZone): DatedInstant {
  const [first] = run.events;
  const begin: DatedInstant = { at: first.effectiveDate, date: first.localDate };
  const targetDate = localDateOf(at, zone);
  const date = addPeriod(targetDate, run.section.billingPeriod, -LONGEST_INTERVAL);
  const lookBack = date > begin.date ? { at: startOfDay(date, zone), date } : begin;
  return boundariesOf(run, { targetDate, lookBack, zone }).findLast((one) => one.at <= at) ?? begin;
}

function boundariesOf(run: UsageRun, input: IntervalsInput): readonly DatedInstant[] {
  const [first] = run.events;
  const start: DatedInstant = { at: first.effectiveDate, date: first.localDate };
  const boundaries: DatedInstant[] = start.at >= input.lookBack.at ? [start] : [];
  for (const cadence of cadencesOf(run)) addCycleDates(boundaries, cadence, { ...input, run });
  const end = endOf(run);
  if (end !== null && isNextBoundary(end, boundaries, run)) boundaries.push(end);
  return boundaries;
}

/** §6.3 rule 2. */
function addCycleDates(
  boundaries: DatedInstant[],
  cadence: Cadence,
  { run, targetDate, lookBack, zone }: IntervalsInput & { readonly run: UsageRun },
): void {
  const { from, cycle, until } = cadence;
  const firstPlace = placeFrom(cadence, lookBack);
  for (let place = firstPlace; ; place += 1) {
    const date = cycleDate(cycle, place);
    if (date > targetDate) return;
    // The day of the event is not cut at its beginning.
    const at = date === from.localDate ? from.effectiveDate : startOfDay(date, zone);
    if (until !== null && at >= until) return;
    const last = boundaries.at(-1);
    const isLater = last === undefined || (at > last.at && date !== last.date);
    if (isLater && at >= lookBack.at) boundaries.push({ at, date });
    if (boundaries.length > MAX_PERIODS_PER_RUN) throw tooManyIntervals(run, targetDate);
  }
}

/** The first cycle date that is not before the look-back start, without stepping through those before. */
function placeFrom({ cycle }: Cadence, { date }: DatedInstant): number {
  const after = firstCycleAfter(cycle, date);
  return after > 0 && cycleDate(cycle, after - 1) === date ? after - 1 : after;
}

function endOf({ closedBy }: UsageRun): DatedInstant | null {
  return closedBy === null ? null : { at: closedBy.effectiveDate, date: closedBy.localDate };
}

/** §6.3 rule 3. A subscription that is cancelled at the instant of its start has an interval of no length. */
function isNextBoundary(end: DatedInstant, boundaries: readonly DatedInstant[], run: UsageRun): boolean {
  const last = boundaries.at(-1);
  if (last === undefined) return false;
  if (end.at > last.at) return true;
  return boundaries.length === 1 && end.at === last.at && run.closedBy !== null && isEnd(run.closedBy);
}

function tooManyIntervals(run: UsageRun, targetDate: LocalDate): BillingError {
  const { subscriptionId } = run.events[0];
  const target = formatLocalDate(targetDate);
  return new BillingError({
    code: ErrorCode.INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE,
    message: `Up to ${target} usage ${run.section.name} of subscription ${subscriptionId} has more than ${MAX_PERIODS_PER_RUN} periods to bill at once; choose an earlier target date first`,
    facts: { targetDate: target, bound: MAX_PERIODS_PER_RUN, subscriptionId, usageName: run.section.name },
  });
}
