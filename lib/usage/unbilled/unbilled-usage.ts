import type { BillingEvent, UsageSection } from '../../records/index.ts';
import { type Currency, type Decimal, ZERO } from '../../values/money/index.ts';
import {
  type DatedInstant,
  type Instant,
  type LocalDate,
  localDateWithinCalendar,
  maxDate,
  startOfDay,
} from '../../values/time/index.ts';
import {
  type FreedPoints,
  holds,
  type PointRange,
  UsageLedger,
  type UsagePiece,
} from '../collecting/usage-ledger.ts';
import { lookBackOf } from '../intervals/look-back.ts';
import {
  billedTimes,
  countsAt,
  isBilled,
  isBilledAt,
  isEnd,
  isWithin,
  nextUsageDate,
  type UsageInterval,
  usageIntervals,
  usageRuns,
} from '../intervals/usage-intervals.ts';
import { compareText, quantityOf, unitsOf } from '../rating/quantities.ts';
import { rateUsage } from '../rating/rate-usage.ts';
import { NO_TERMS, type UsageTerms } from '../rating/usage-terms.ts';
import {
  type BilledInterval,
  type BilledMatch,
  matchBilled,
  type UsageHistory,
} from '../settlement/billed-interval.ts';
import { creditsOfOutdated, isLate } from '../settlement/settle-usage.ts';
import { separateSuperseded } from '../settlement/superseded-usage.ts';
import { BeyondLookBack, LateMode, NegativeDelta, type UsageConfig } from '../settlement/usage-config.ts';
import { isTooOld, planUsage } from '../settlement/usage-plan.ts';

export interface UnbilledUsage {
  readonly unitType: string;
  /**
   * Sum of the points. For OVERFLOW, this is the quantity beyond the last tier. For VOIDED_BEYOND_LOOKBACK, it is the
   * overcharged quantity, which is negative.
   */
  readonly amount: Decimal;
  readonly reason: UnbilledReason;
  /** The usage section that would have charged the usage, or null if no section is in force. */
  readonly usageName: string | null;
  /** The day of the points. For OVERFLOW and VOIDED_BEYOND_LOOKBACK, this is the start of the billed period. */
  readonly startDate: LocalDate;
  /** Exclusive end of the range. */
  readonly endDate: LocalDate;
}

interface UnbilledInput extends BillingSoFar {
  /**
   * The pieces that `piecesNeeded` selects, divided at the bounds. They include all days of billed intervals that
   * overlap the bounds.
   */
  readonly pieces: readonly UsagePiece[];
  readonly start: Instant;
  /** Exclusive end of the range. */
  readonly end: Instant;
  readonly currency: Currency;
  /** Usage terms that apply in addition to the prices. Defaults to none. */
  readonly terms?: UsageTerms;
}

/** Returns the usage recorded between the bounds that is not on any invoice, by day, unit and reason (§3.3). */
export function unbilledUsage(given: UnbilledInput): readonly UnbilledUsage[] {
  const { billed } = separateSuperseded(given.billed, given.events ?? []);
  const input = { ...given, billed };
  return [...unbilledPoints(input), ...overflow(input), ...findVoidedUsage(input)].sort(inOrder);
}

function unbilledPoints(input: UnbilledInput): readonly UnbilledUsage[] {
  const { pieces, billed, freed = [], zone, start, end } = input;
  const reasons = new UnbilledReasons(input);
  const times = billedTimes(input.events ?? []);
  const [consumers, freedOn] = [groupConsumedByDate(billed), groupConsumedByDate(freed)];
  const found = new Map<string, UnbilledUsage>();
  for (const piece of pieces) {
    const { unit: unitType, localDate, part, sum } = piece;
    const isOfDay = typeof part === 'string';
    const recordInstant = isOfDay ? startOfDay(localDate, zone) : part.from;
    if (recordInstant < start || recordInstant >= end || isEmpty(piece)) continue;
    const at = isOfDay ? countsAt({ recordInstant, localDate, dateOnly: true }, times) : recordInstant;
    const history: PointHistory = {
      isConsumed: (name) => isIn(consumers.get(localDate) ?? [], name, piece),
      isFreed: (name) => isIn(freedOn.get(localDate) ?? [], name, piece),
    };
    for (const why of reasons.at(at, unitType, history)) {
      const key = JSON.stringify([localDate, unitType, why.usageName, why.reason]);
      const amount = (found.get(key)?.amount ?? ZERO).plus(sum);
      // The last day of the calendar has no day after it.
      const endDate = localDateWithinCalendar(localDate + 1);
      found.set(key, { unitType, amount, ...why, startDate: localDate, endDate });
    }
  }
  return [...found.values()];
}

function groupConsumedByDate(intervals: readonly FreedPoints[]): ReadonlyMap<LocalDate, readonly Consumed[]> {
  return Map.groupBy(
    intervals.flatMap(({ usageName, consumed }) => consumed.map((range) => ({ usageName, range }))),
    ({ range }) => range.localDate,
  );
}

interface Consumed {
  readonly usageName: string;
  readonly range: PointRange;
}

function isIn(consumers: readonly Consumed[], name: string, piece: UsagePiece): boolean {
  return consumers.some(({ usageName, range }) => usageName === name && holds(range, piece));
}

function isEmpty({ sum, max }: UsagePiece): boolean {
  return sum.isZero() && max.isZero();
}

/** Returns the overflow of billed periods. */
function overflow(input: UnbilledInput): readonly UnbilledUsage[] {
  const { events, billed, pieces, zone, today, config, start, end, currency } = input;
  if (events === null) return [];
  const book = new UsageLedger({ events, zone, billed, pieces });
  const all = { lookBackPeriods: -1 };
  const plan = planUsage({ events, targetDate: today, zone, config: all, billed });
  return plan.intervals
    .filter(({ interval, match }) => {
      return match.previous.length > 0 && interval.start.at < end && interval.end.at > start;
    })
    .flatMap((planned): readonly UnbilledUsage[] => {
      const { section } = planned.run;
      const { start: first, end: last } = planned.interval;
      const quantities = book.collect(planned).billed;
      const rated = rateUsage({ section, quantities, currency, overflow: config.overflow });
      return rated.overflow.map(({ unit: unitType, quantity: amount }) => ({
        unitType,
        amount,
        reason: UnbilledReason.OVERFLOW,
        usageName: section.name,
        startDate: first.date,
        endDate: last.date,
      }));
    });
}

/**
 * Returns the voided usage of billed periods before the look-back period. Only `beyondLookback=NEXT_PERIOD` credits
 * such usage (§2.2 rule 3).
 */
function findVoidedUsage(input: UnbilledInput): readonly UnbilledUsage[] {
  const { events, billed, pieces, zone, today, currency, terms = NO_TERMS, start, end } = input;
  if (events === null || input.config.beyondLookBack === BeyondLookBack.NEXT_PERIOD) return [];
  const asCarried = { ...input.config, beyondLookBack: BeyondLookBack.NEXT_PERIOD };
  const plan = planUsage({ events, targetDate: today, zone, config: asCarried, billed });
  const old = plan.outdated.filter(({ run, interval }) => {
    const isRequested = interval.start.at < end && interval.end.at > start;
    return (
      isRequested && interval.start.at < lookBackOf(run.section, { ...input, events, billed: plan.billed }).at
    );
  });
  const book = new UsageLedger({ events, zone, billed: plan.billed, pieces });
  const left = old.map((planned) => book.collect(planned).billed);
  const config = { ...asCarried, negativeDelta: NegativeDelta.CREDIT };
  const credited = creditsOfOutdated({ plan: { outdated: old }, left, currency, config, terms });
  return credited.flatMap(({ planned: { run, interval, match }, consumes }) =>
    chargedQuantities(match.previous).flatMap(([unitType, charged]): readonly UnbilledUsage[] => {
      const amount = quantityOf(consumes.quantities, unitType).minus(charged);
      if (!amount.isNegative()) return [];
      const dates = { startDate: interval.start.date, endDate: interval.end.date };
      const reason = UnbilledReason.VOIDED_BEYOND_LOOKBACK;
      return [{ unitType, amount, reason, usageName: run.section.name, ...dates }];
    }),
  );
}

/** Returns the quantities of the last rating, by unit. */
function chargedQuantities(previous: readonly BilledInterval[]): readonly (readonly [string, Decimal])[] {
  const used = previous.flatMap(({ entries }) => entries).flatMap((entry) => entry.used ?? []);
  return [...new Map(used.map(({ unit, quantity }) => [unit, quantity]))];
}

function inOrder(a: UnbilledUsage, b: UnbilledUsage): number {
  return a.startDate - b.startDate || compareText(textOf(a), textOf(b));
}

function textOf({ unitType, usageName, reason }: UnbilledUsage): string {
  return JSON.stringify([unitType, usageName, reason]);
}

interface BillingSoFar extends Omit<UsageHistory, 'events'> {
  /**
   * All events of the subscription, in order. The value is null if the subscription is currently excluded from runs.
   */
  readonly events: readonly BillingEvent[] | null;
  /** Points that were charged on VOID invoices. Defaults to none. */
  readonly freed?: readonly FreedPoints[];
  readonly today: LocalDate;
  readonly config: UsageConfig;
}

type WhyUnbilled = Pick<UnbilledUsage, 'reason' | 'usageName'>;

interface PointHistory {
  readonly isConsumed: (usageName: string) => boolean;
  readonly isFreed: (usageName: string) => boolean;
}

interface KnownInterval {
  readonly usageName: string;
  readonly interval: UsageInterval;
  readonly isTooOld: boolean;
  readonly match: BilledMatch;
}

/** Finds the sections that did not bill a point, with the reason for each. */
class UnbilledReasons {
  readonly #events: readonly BillingEvent[] | null;
  readonly #times: ReturnType<typeof billedTimes>;
  readonly #config: UsageConfig;
  readonly #intervals: readonly KnownInterval[];

  constructor(so: BillingSoFar) {
    this.#events = so.events;
    this.#times = billedTimes(so.events ?? []);
    this.#config = so.config;
    this.#intervals = so.events === null ? [] : knownIntervals({ ...so, events: so.events });
  }

  at(at: Instant, unit: string, { isConsumed, isFreed }: PointHistory): readonly WhyUnbilled[] {
    const events = this.#events;
    if (events === null) return [{ reason: UnbilledReason.NOT_YET_DUE, usageName: null }];
    if (!isBilledAt(at, this.#times)) return [{ reason: reasonOutside(events, at), usageName: null }];
    const inForce = events.findLast((event) => event.effectiveDate <= at && isBilled(event));
    const sections = (inForce?.usages ?? []).filter((section) => unitsOf(section).includes(unit));
    if (sections.length === 0) return [{ reason: UnbilledReason.UNKNOWN_UNIT, usageName: null }];
    return sections
      .filter(({ name }) => !isConsumed(name))
      .map((section) => ({ reason: this.#reasonOf(section, at, isFreed), usageName: section.name }));
  }

  #reasonOf({ name }: UsageSection, at: Instant, isFreed: PointHistory['isFreed']): UnbilledReason {
    const own = this.#intervals.find(
      ({ usageName, interval }) => usageName === name && isWithin(interval, at),
    );
    if (own === undefined) return UnbilledReason.NOT_YET_DUE;
    const { lateMode, beyondLookBack } = this.#config;
    if (own.isTooOld)
      return beyondLookBack === BeyondLookBack.NEXT_PERIOD
        ? UnbilledReason.NOT_YET_DUE
        : UnbilledReason.BEYOND_LOOKBACK;
    if (own.match.kind === 'COVERED') return UnbilledReason.COVERED;
    const isIgnored = lateMode === LateMode.IGNORE && own.match.previous.length > 0 && !isFreed(name);
    const isNeverBilled = isIgnored && isLate({ interval: own.interval, match: own.match }, at);
    return isNeverBilled ? UnbilledReason.LATE : UnbilledReason.NOT_YET_DUE;
  }
}

function reasonOutside(events: readonly BillingEvent[], at: Instant): UnbilledReason {
  const last = events.findLast(({ effectiveDate }) => effectiveDate <= at);
  if (last === undefined) return UnbilledReason.BEFORE_START;
  return isEnd(last) ? UnbilledReason.AFTER_END : UnbilledReason.BLOCKED;
}

function knownIntervals({
  events,
  billed,
  today,
  zone,
  config,
}: BillingSoFar & { readonly events: readonly BillingEvent[] }): readonly KnownInterval[] {
  const [first] = events;
  if (first === undefined) return [];
  const begin: DatedInstant = { at: first.effectiveDate, date: first.localDate };
  // Future intervals are known up to the last event, plus one more interval.
  const last = maxDate(today, events.at(-1)?.localDate ?? today, ...billed.map(({ endDate }) => endDate));
  return usageRuns(events, last).flatMap((run) => {
    const { name: usageName } = run.section;
    const own = billed.filter((one) => one.usageName === usageName);
    const lookBack = lookBackOf(run.section, { events, billed, zone, config });
    const targetDate = nextUsageDate(run, last) ?? last;
    return usageIntervals(run, { targetDate, lookBack: begin, zone }).map((interval) => ({
      usageName,
      interval,
      isTooOld: isTooOld(interval, { lookBack, billed: own, zone }),
      match: matchBilled(interval, own),
    }));
  });
}

/** Reason why usage is not on any invoice (§3.3). */
export const UnbilledReason = {
  /** No section in force charges the unit. */
  UNKNOWN_UNIT: 'UNKNOWN_UNIT',
  /** Billing is paused. */
  BLOCKED: 'BLOCKED',
  BEFORE_START: 'BEFORE_START',
  AFTER_END: 'AFTER_END',
  /** The period of the usage is too old to be billed again. */
  BEYOND_LOOKBACK: 'BEYOND_LOOKBACK',
  /** The usage was charged and later voided. Its period is too old to be compared again. */
  VOIDED_BEYOND_LOOKBACK: 'VOIDED_BEYOND_LOOKBACK',
  /** The period has been billed, but the quantity exceeds the last tier. */
  OVERFLOW: 'OVERFLOW',
  /** A future run bills the usage. */
  NOT_YET_DUE: 'NOT_YET_DUE',
  /** The usage was recorded after its period was billed (`invoice.usage.lateMode=IGNORE`). */
  LATE: 'LATE',
  /** The time of the usage was billed as part of a longer period, which is not billed again. */
  COVERED: 'COVERED',
} as const;
export type UnbilledReason = (typeof UnbilledReason)[keyof typeof UnbilledReason];
