import type { UsageIntervalRequest } from '../../ports/index.ts';
import type { BillingEvent } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  addDays,
  addMilliseconds,
  formatInstant,
  type Instant,
  type LocalDate,
  localDateOf,
  minInstant,
  startOfDay,
  type TimeZone,
} from '../../values/time/index.ts';
import { lookBackOf } from '../intervals/look-back.ts';
import { isEnd, usageRuns } from '../intervals/usage-intervals.ts';
import { unitsOf } from '../rating/quantities.ts';
import type { BilledInterval, PlannedInterval } from '../settlement/billed-interval.ts';
import type { UsageConfig } from '../settlement/usage-config.ts';
import { planUsage } from '../settlement/usage-plan.ts';
import { quantityKey, type SuppliedSpan } from './supplied-usage.ts';

interface MeteredSubscription {
  readonly subscriptionId: Uuid;
  /** All events of the subscription, in order. */
  readonly events: readonly BillingEvent[];
  /** Billed intervals. Intervals on VOID invoices are excluded. */
  readonly billed: readonly BilledInterval[];
  /** Date before which `billed` may be incomplete. Null (the default) means that `billed` is complete. */
  readonly from?: LocalDate | null;
}

interface QuestionInput {
  /** Subscriptions of one account. */
  readonly subscriptions: readonly MeteredSubscription[];
  readonly targetDate: LocalDate;
  readonly zone: TimeZone;
  readonly config: Pick<UsageConfig, 'lookBackPeriods'>;
}

/** A time range with an exclusive end. */
export type SuppliedRange = Pick<SuppliedSpan, 'start' | 'end'>;

/** A quantity that a run needs. It has the form of `UsageIntervalRequest`. */
export type QuantityRequest = Omit<UsageIntervalRequest, keyof SuppliedSpan> & SuppliedSpan;

/** The question that a run asks a usage source about an account (§9). */
export interface SourceQuestion {
  readonly range: SuppliedRange;
  readonly subscriptions: readonly SubscriptionQuestion[];
  /** The requests, one per required quantity, in the order of the usage runs. */
  readonly requests: readonly QuantityRequest[];
  /** Text of the question. Questions with the same text have the same result. */
  readonly text: string;
}

interface SubscriptionQuestion {
  readonly subscriptionId: Uuid;
  /** The instants that divide the records: the starts of days, and the instants at which billing divides a day. */
  readonly slots: readonly Instant[];
  /** The bounds of billed intervals, by the comma-separated units of a section. */
  readonly transitions: ReadonlyMap<string, readonly Instant[]>;
}

/** Returns the question for a run up to the target date, or null if the run rates no usage. */
export function sourceQuestion(input: QuestionInput): SourceQuestion | null {
  const { subscriptions, targetDate, zone, config } = input;
  const planned = subscriptions
    .map((subscription) => {
      const { events, billed, from = null } = subscription;
      const plan = planUsage({ events, targetDate, zone, config, billed, from });
      const intervals = plan.intervals.filter((one) => isComparable(one, true));
      return { ...subscription, counted: plan.billed, intervals };
    })
    .filter(({ intervals }) => intervals.length > 0);
  if (planned.length === 0) return null;
  const lookBacks = planned.flatMap(({ events, counted: billed, intervals }) => [
    ...usageRuns(events, targetDate).map(
      (run) => lookBackOf(run.section, { events, zone, config, billed }).at,
    ),
    ...intervals.map(({ interval }) => interval.start.at),
  ]);
  const [first, ...others] = lookBacks;
  if (first === undefined) return null;
  const range = { start: minInstant(first, ...others), end: startOfDay(addDays(targetDate, 1), zone) };
  const days = startsOfDays(range, zone);
  const asked = planned.map((each) => ({
    subscriptionId: each.subscriptionId,
    slots: slotsOf(each, range, days),
    transitions: transitionsOf(each.intervals),
  }));
  const requests = planned.flatMap(({ subscriptionId, intervals }) =>
    intervals.flatMap((one) => requestsOf(subscriptionId, one)),
  );
  const cuts = asked.map(({ subscriptionId, slots }) => [subscriptionId, slots]);
  return { range, subscriptions: asked, requests, text: JSON.stringify([range, cuts, requests]) };
}

/** Returns the transitions of all subscriptions as JSON text, which is the value of `USAGE_TRANSITIONS` (§9 rule 5). */
export function transitionsText({ subscriptions }: SourceQuestion): string {
  return JSON.stringify(
    Object.fromEntries(
      subscriptions.map(({ subscriptionId, transitions }) => [
        subscriptionId,
        Object.fromEntries([...transitions].map(([units, at]) => [units, at.map(formatInstant)])),
      ]),
    ),
  );
}

/** Returns the key under which the result of a request is stored. */
export function keyOfRequest({ usageName, unitType, ...span }: QuantityRequest): string {
  return quantityKey(usageName, unitType, span);
}

function requestsOf(subscriptionId: Uuid, planned: PlannedInterval) {
  const { section } = planned.run;
  const aggregation = section.usageType === 'CAPACITY' ? ('MAX' as const) : ('SUM' as const);
  return spansOf(planned).flatMap((span) =>
    unitsOf(section).map((unitType) => ({
      subscriptionId,
      usageName: section.name,
      unitType,
      aggregation,
      ...span,
    })),
  );
}

function transitionsOf(intervals: readonly PlannedInterval[]): ReadonlyMap<string, readonly Instant[]> {
  const found = Map.groupBy(intervals, ({ run }) => unitsOf(run.section).join(','));
  return new Map(
    [...found].map(([units, own]) => [
      units,
      sortUniqueInstants(own.flatMap(({ interval }) => [interval.start.at, interval.end.at])),
    ]),
  );
}

function slotsOf(
  { events, billed }: MeteredSubscription,
  { start, end }: SuppliedRange,
  days: readonly Instant[],
): readonly Instant[] {
  const cuts = [
    ...events.flatMap((event) => {
      const at = event.effectiveDate;
      // Instants have millisecond precision, so the last instant of a subscription gets its own part (§6.4).
      return isEnd(event) ? [at, addMilliseconds(at, 1)] : [at];
    }),
    ...billed.flatMap(({ instants }) =>
      instants === null ? [] : [instants.start, instants.end, addMilliseconds(instants.end, 1)],
    ),
  ];
  return sortUniqueInstants([start, ...days, ...cuts, end].filter((at) => at >= start && at <= end));
}

function startsOfDays({ start, end }: SuppliedRange, zone: TimeZone): readonly Instant[] {
  const starts: Instant[] = [];
  for (let date = localDateOf(start, zone); ; date = addDays(date, 1)) {
    const at = startOfDay(date, zone);
    if (at >= end) return starts;
    starts.push(at);
  }
}

function sortUniqueInstants(instants: readonly Instant[]): readonly Instant[] {
  return [...new Set(instants)].sort((a, b) => a - b);
}

/**
 * Returns true if an interval can be rated from this kind of usage. An interval that was billed from a source must be
 * compared with a source, and any other interval with recorded usage.
 */
export function isComparable({ match }: PlannedInterval, isSupplied: boolean): boolean {
  return match.previous.every(({ supplied = null }) => (supplied !== null) === isSupplied);
}

/** Returns, in time order, the parts of the interval that no overlapping billed interval covers (§7.3 step 2). */
export function spansOf({ interval, match }: PlannedInterval): readonly SuppliedSpan[] {
  const { start, end, includesEnd } = interval;
  let spans: readonly SuppliedSpan[] = [{ start: start.at, end: end.at, endInclusive: includesEnd }];
  for (const { instants } of match.overlapping) {
    if (instants === null) continue;
    // A zero-length interval covers only one instant.
    const until = instants.start === instants.end ? addMilliseconds(instants.end, 1) : instants.end;
    spans = spans.flatMap((span) => without(span, instants.start, until));
  }
  return spans;
}

function without(span: SuppliedSpan, from: Instant, to: Instant): readonly SuppliedSpan[] {
  if (to <= span.start || from > span.end) return [span];
  const before = from > span.start ? [{ start: span.start, end: from, endInclusive: false }] : [];
  const isLeft = to < span.end || (to === span.end && span.endInclusive);
  return isLeft ? [...before, { ...span, start: to }] : before;
}
