import type { BillingEvent, UsageSection } from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import { MAX_PERIODS_PER_RUN } from '../../values/limits.ts';
import {
  addPeriod,
  type CycleDates,
  cycleDate,
  cycleDatesOf,
  type DatedInstant,
  firstCycleAfter,
  formatLocalDate,
  type Instant,
  isMonthBased,
  type LocalDate,
  localDateOf,
  maxInstant,
  startOfDay,
  type TimeZone,
} from '../../values/time/index.ts';
import { compareText, unitsOf } from '../rating/quantities.ts';
import type { PeriodShare } from '../rating/rated-usage.ts';

/** The part of a run between two neighboring boundaries. Its usage is rated together (§6.3). */
export interface UsageInterval {
  readonly start: DatedInstant;
  /** End of the interval, which may be on the same day as the start. */
  readonly end: DatedInstant;
  /**
   * True if a point exactly at the end belongs to the interval. This applies to the last interval before a cancellation
   * or expiry (§6.4).
   */
  readonly includesEnd: boolean;
}

interface IntervalsInput {
  readonly targetDate: LocalDate;
  /** Start of the look-back period (L of §7.1). Earlier boundaries are omitted. */
  readonly lookBack: DatedInstant;
  readonly zone: TimeZone;
}

/**
 * Maximum length of an interval in periods. When the bill cycle day changes, an interval can be up to two periods long
 * (§6.2 rule 5).
 */
const LONGEST_INTERVAL = 2;

/** Returns the latest possible end of an interval if its bill cycle day changes. */
export function latestEnd({ start, end }: UsageInterval, { section }: UsageRun, zone: TimeZone): Instant {
  return maxInstant(end.at, startOfDay(addPeriod(start.date, section.billingPeriod, LONGEST_INTERVAL), zone));
}

/**
 * Returns the intervals of a run that are complete at the target date, in order.
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

/** Returns the start of the interval that contains an instant. The interval need not be complete. */
export function intervalStartAt(run: UsageRun, at: Instant, zone: TimeZone): DatedInstant {
  const begin = instantOf(run.events[0]);
  const targetDate = localDateOf(at, zone);
  const date = addPeriod(targetDate, run.section.billingPeriod, -LONGEST_INTERVAL);
  const lookBack = date > begin.date ? { at: startOfDay(date, zone), date } : begin;
  return boundariesOf(run, { targetDate, lookBack, zone }).findLast((one) => one.at <= at) ?? begin;
}

function boundariesOf(run: UsageRun, input: IntervalsInput): readonly DatedInstant[] {
  const start = instantOf(run.events[0]);
  const boundaries: DatedInstant[] = start.at >= input.lookBack.at ? [start] : [];
  for (const cadence of cadencesOf(run)) addCycleDates(boundaries, cadence, { ...input, run });
  const end = run.closedBy && instantOf(run.closedBy);
  if (end !== null && isNextBoundary(end, boundaries, run)) boundaries.push(end);
  return boundaries;
}

/** Adds the cycle dates of a run (§6.3 rule 2). */
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
    // The first boundary is the instant of the event, not the start of its day.
    const at = date === from.localDate ? from.effectiveDate : startOfDay(date, zone);
    if (until !== null && at >= until) return;
    const last = boundaries.at(-1);
    const isLater = last === undefined || (at > last.at && date !== last.date);
    if (isLater && at >= lookBack.at) boundaries.push({ at, date });
    if (boundaries.length > MAX_PERIODS_PER_RUN) throw tooManyIntervals(run, targetDate);
  }
}

/** Returns the first cycle date on or after the start of the look-back period, without iterating over earlier dates. */
function placeFrom({ cycle }: Cadence, { date }: DatedInstant): number {
  const after = firstCycleAfter(cycle, date);
  return after > 0 && cycleDate(cycle, after - 1) === date ? after - 1 : after;
}

/** Returns the instant of an event. */
export function instantOf({ effectiveDate: at, localDate: date }: BillingEvent): DatedInstant {
  return { at, date };
}

/**
 * Returns true if the date is the next boundary (§6.3 rule 3). A subscription that is canceled at its start has an
 * interval of length 0.
 */
function isNextBoundary(end: DatedInstant, boundaries: readonly DatedInstant[], run: UsageRun): boolean {
  const last = boundaries.at(-1);
  if (last === undefined) return false;
  if (end.at > last.at) return true;
  return boundaries.length === 1 && end.at === last.at && run.closedBy !== null && isEnd(run.closedBy);
}

function tooManyIntervals(run: UsageRun, targetDate: LocalDate): BillingError {
  const { subscriptionId } = run.events[0];
  const target = formatLocalDate(targetDate);
  return billingError(
    ErrorCode.INVOICE_TARGET_DATE_TOO_FAR_IN_THE_FUTURE,
    `Usage ${run.section.name} of subscription ${subscriptionId} has more than ${MAX_PERIODS_PER_RUN} periods to bill up to ${target}; choose an earlier target date first`,
    { targetDate: target, bound: MAX_PERIODS_PER_RUN, subscriptionId, usageName: run.section.name },
  );
}

/** The cycle dates of a run while its bill cycle day does not change (§6.2). */
interface Cadence {
  /** The event whose date starts the cycle. */
  readonly from: BillingEvent;
  readonly cycle: CycleDates;
  /** The exclusive end of the cycle dates, or null while the run is open. */
  readonly until: Instant | null;
}

/**
 * Returns the cadences of a run in order. The first cadence begins at the start of the run, and each event that changes
 * the bill cycle day begins a new one. Periods of days and weeks keep the first cadence (§6.2 rule 3).
 */
function cadencesOf({ section, events, closedBy }: UsageRun): readonly Cadence[] {
  const { billingPeriod } = section;
  const anchors = isMonthBased(billingPeriod)
    ? events.filter((event, index) => event.billCycleDayLocal !== events[index - 1]?.billCycleDayLocal)
    : [events[0]];
  return anchors.map((from, index) => ({
    from,
    cycle: cycleDatesOf({
      localDate: from.localDate,
      billingPeriod,
      billCycleDayLocal: from.billCycleDayLocal,
    }),
    until: (anchors[index + 1] ?? closedBy)?.effectiveDate ?? null,
  }));
}

/** Returns the next date on which an open run has something to bill. Returns null for a closed run (§7.9 rule 3). */
export function nextUsageDate(run: UsageRun, targetDate: LocalDate): LocalDate | null {
  const last = cadencesOf(run).at(-1);
  if (last === undefined || last.until !== null) return null;
  return cycleDate(last.cycle, firstCycleAfter(last.cycle, targetDate));
}

/**
 * Returns the share of a period that an interval covers, or null for a whole period. The share is above 1 if a new bill
 * cycle day made the interval longer (§6.2 rule 5), and 0 for an interval within a day.
 */
export function periodShare(run: UsageRun, { start, end }: UsageInterval): PeriodShare | null {
  const cadences = cadencesOf(run);
  const cadence = cadences.findLast(({ from }) => from.effectiveDate <= start.at) ?? cadences[0];
  if (cadence === undefined) return null;
  const place = firstCycleAfter(cadence.cycle, start.date);
  const totalDays = cycleDate(cadence.cycle, place) - cycleDate(cadence.cycle, place - 1);
  const days = end.date - start.date;
  return days === totalDays ? null : { days, totalDays };
}

/**
 * Returns the units that the subscription's sections charge during an interval (§7.8). These are the units of the event
 * in force at the start of the interval and of all later events before its end.
 * @param events all events of the subscription, in order.
 */
export function knownUnits(
  events: readonly BillingEvent[],
  { start, end }: UsageInterval,
): ReadonlySet<string> {
  const inForce = events.findLast(({ effectiveDate }) => effectiveDate <= start.at);
  // Events at the start are included even if the interval has no length.
  const within = events.filter(({ effectiveDate: at }) => at === start.at || (at > start.at && at < end.at));
  const sections = [...(inForce === undefined ? [] : [inForce]), ...within].flatMap(({ usages }) => usages);
  return new Set(sections.flatMap(unitsOf));
}

/** An uninterrupted run of billing events with the same usage section (§6.1). */
export interface UsageRun {
  readonly section: UsageSection;
  readonly events: readonly [BillingEvent, ...BillingEvent[]];
  /** The event that ends the run, or null if the run is still open at the target date. */
  readonly closedBy: BillingEvent | null;
}

/**
 * Returns the runs of one subscription sorted by start, then by usage name.
 * @param events all events of the subscription, in order. Events after the target date are ignored (§6).
 */
export function usageRuns(events: readonly BillingEvent[], targetDate: LocalDate): readonly UsageRun[] {
  const runs: UsageRun[] = [];
  let open: ReadonlyMap<string, OpenRun> = new Map();
  for (const event of withoutEmptyPauses(events)) {
    if (event.localDate > targetDate) break;
    const still = new Map<string, OpenRun>();
    for (const section of event.usages) {
      const key = JSON.stringify([section.name, section.versionDate, section.priceIdentity]);
      const before = open.get(key);
      before?.events.push(event);
      still.set(key, before ?? { section, events: [event] });
    }
    for (const [key, run] of open) if (!still.has(key)) runs.push({ ...run, closedBy: event });
    open = still;
  }
  for (const run of open.values()) runs.push({ ...run, closedBy: null });
  return runs.sort(byStart);
}

interface OpenRun {
  readonly section: UsageSection;
  readonly events: [BillingEvent, ...BillingEvent[]];
}

function withoutEmptyPauses(events: readonly BillingEvent[]): readonly BillingEvent[] {
  return events.filter((event, index) => {
    const next = events[index + 1];
    return !(
      event.transitionType === 'START_BILLING_DISABLED' &&
      next?.transitionType === 'END_BILLING_DISABLED' &&
      next.effectiveDate === event.effectiveDate
    );
  });
}

function byStart(a: UsageRun, b: UsageRun): number {
  const [first, second] = [a.events[0], b.events[0]];
  return first.effectiveDate - second.effectiveDate || compareText(a.section.name, b.section.name);
}

export function isEnd({ transitionType }: BillingEvent): boolean {
  return transitionType === 'CANCEL' || transitionType === 'EXPIRED';
}

/** Returns true if the subscription is billed after the event. */
export function isBilled(event: BillingEvent): boolean {
  return !isEnd(event) && event.transitionType !== 'START_BILLING_DISABLED';
}

/** A time span in which a subscription is billed. It begins at the subscription's start or at the end of a pause. */
export interface BilledTime {
  readonly start: DatedInstant;
  /** End of the interval. Null means open. */
  readonly end: Instant | null;
  /** True if the time span ends together with the subscription. If so, its last instant is billed (§6.4). */
  readonly includesEnd: boolean;
}

export function billedTimes(events: readonly BillingEvent[]): readonly BilledTime[] {
  const times: BilledTime[] = [];
  let start: DatedInstant | null = null;
  for (const event of events) {
    const at = event.effectiveDate;
    if (isBilled(event)) start ??= { at, date: event.localDate };
    else if (start !== null) {
      times.push({ start, end: at, includesEnd: isEnd(event) });
      start = null;
    }
  }
  return start === null ? times : [...times, { start, end: null, includesEnd: false }];
}

/**
 * Returns the instant to which a point is assigned (§2.3 rule 3). If the day begins before billing does, this is the
 * earliest start of billing on that day. Otherwise it is the record instant.
 * @param point `localDate` was stored when the point was recorded. `dateOnly` means that it was recorded for a day, not
 * an instant.
 */
export function countsAt(
  point: { readonly recordInstant: Instant; readonly localDate: LocalDate; readonly dateOnly: boolean },
  times: readonly BilledTime[],
): Instant {
  const { recordInstant, localDate, dateOnly } = point;
  if (!dateOnly || isBilledAt(recordInstant, times)) return recordInstant;
  const start = times.find((time) => time.start.date === localDate && time.start.at > recordInstant);
  return start?.start.at ?? recordInstant;
}

export function isBilledAt(at: Instant, times: readonly BilledTime[]): boolean {
  return times.some(
    ({ start, end, includesEnd }) =>
      at >= start.at && (end === null || at < end || (includesEnd && at === end)),
  );
}

/** Returns true if a point assigned to `at` belongs to the interval (§6.4). */
export function isWithin({ start, end, includesEnd }: UsageInterval, at: Instant): boolean {
  return at >= start.at && (at < end.at || (includesEnd && at === end.at));
}

/**
 * Returns the distinct end dates of the current intervals in order (§3.3). An end date is a cycle date or the date of
 * an earlier event.
 * @param events All events of the subscription, in order, including future events.
 */
export function openEnds(
  events: readonly BillingEvent[],
  now: Instant,
  zone: TimeZone,
): readonly LocalDate[] {
  const today = localDateOf(now, zone);
  const whole = usageRuns(events, events.at(-1)?.localDate ?? today);
  const ends = usageRuns(events, today).flatMap((soFar): readonly LocalDate[] => {
    const next = nextUsageDate(soFar, today);
    const run = whole.find(
      ({ events: [first], section }) => soFar.section === section && soFar.events[0] === first,
    );
    if (next === null || run === undefined || soFar.events[0].effectiveDate > now) return [];
    // A future bill cycle day can postpone the end.
    const targetDate = addPeriod(next, run.section.billingPeriod, 1);
    const intervals = usageIntervals(run, { targetDate, lookBack: instantOf(run.events[0]), zone });
    return [intervals.find(({ end }) => end.at > now)?.end.date ?? next];
  });
  return [...new Set(ends)].sort((a, b) => a - b);
}

/** Returns the next date after `date` on which unbilled usage is billed, for each open run. */
export function nextUsageDates(events: readonly BillingEvent[], date: LocalDate): readonly LocalDate[] {
  return usageRuns(events, date)
    .map((run) => nextUsageDate(run, date))
    .filter((next) => next !== null);
}
