import { type Currency, type Decimal, ZERO } from '../../values/money/index.ts';
import {
  type Instant,
  type LocalDate,
  localDateWithinCalendar,
  startOfDay,
} from '../../values/time/index.ts';
import { UsageBook } from '../collecting/usage-book.ts';
import { type FreedPoints, holds, type PointRange, type UsagePiece } from '../collecting/usage-pieces.ts';
import { billedTimes, countsAt } from '../intervals/billed-time.ts';
import { lookBackOf } from '../intervals/look-back.ts';
import { compareText, quantityOf } from '../rating/quantities.ts';
import { rateUsage } from '../rating/rate-usage.ts';
import { NO_TERMS, type UsageTerms } from '../rating/usage-terms.ts';
import type { BilledInterval } from '../settlement/billed-interval.ts';
import { givenBack } from '../settlement/settle-usage.ts';
import { billedNow } from '../settlement/superseded-usage.ts';
import { BeyondLookBack, NegativeDelta } from '../settlement/usage-config.ts';
import { planUsage } from '../settlement/usage-plan.ts';
import { type BillingSoFar, type PointHistory, UnbilledReason, UnbilledReasons } from './why-unbilled.ts';

/** Usage of one unit that is on no invoice. */
export interface UnbilledUsage {
  readonly unitType: string;
  /**
   * What the points come to together; of OVERFLOW how much no tier takes; of VOIDED_BEYOND_LOOKBACK below 0: how much is
   * charged too much.
   */
  readonly amount: Decimal;
  readonly reason: UnbilledReason;
  /** The usage section that would charge it; null where none is in force. */
  readonly usageName: string | null;
  /** The day of the points; of OVERFLOW and VOIDED_BEYOND_LOOKBACK the billed period. */
  readonly startDate: LocalDate;
  /** Exclusive. */
  readonly endDate: LocalDate;
}

export interface UnbilledInput extends BillingSoFar {
  /** Those of `piecesNeeded`, cut at the bounds too; with the days of the billed intervals that lie within them in part. */
  readonly pieces: readonly UsagePiece[];
  readonly start: Instant;
  /** Exclusive. */
  readonly end: Instant;
  readonly currency: Currency;
  /** What is agreed beyond the prices; default nothing. */
  readonly terms?: UsageTerms;
}

/** What was recorded between the bounds and is on no invoice, by day, unit and reason (§3.3). */
export function unbilledUsage(given: UnbilledInput): readonly UnbilledUsage[] {
  const { billed } = billedNow(given.billed, given.events ?? []);
  const input = { ...given, billed };
  return [...unbilledPoints(input), ...overflow(input), ...voided(input)].sort(inOrder);
}

function unbilledPoints(input: UnbilledInput): readonly UnbilledUsage[] {
  const { pieces, billed, freed = [], zone, start, end } = input;
  const reasons = new UnbilledReasons(input);
  const times = billedTimes(input.events ?? []);
  const [consumers, freedOn] = [consumedOn(billed), consumedOn(freed)];
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

function consumedOn(intervals: readonly FreedPoints[]): ReadonlyMap<LocalDate, readonly Consumed[]> {
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

/** What no tier takes of the periods that are billed; of those that are not, all usage is told as such. */
function overflow(input: UnbilledInput): readonly UnbilledUsage[] {
  const { events, billed, pieces, zone, today, config, start, end, currency } = input;
  if (events === null) return [];
  const book = new UsageBook({ events, zone, billed, pieces });
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

/** What is void of billed periods before the look-back, as far as it would be credited (§2.2 rule 3). */
function voided(input: UnbilledInput): readonly UnbilledUsage[] {
  const { events, billed, pieces, zone, today, currency, terms = NO_TERMS, start, end } = input;
  if (events === null || input.config.beyondLookBack === BeyondLookBack.NEXT_PERIOD) return [];
  const asCarried = { ...input.config, beyondLookBack: BeyondLookBack.NEXT_PERIOD };
  const plan = planUsage({ events, targetDate: today, zone, config: asCarried, billed });
  const old = plan.outdated.filter(({ run, interval }) => {
    const isAsked = interval.start.at < end && interval.end.at > start;
    return (
      isAsked && interval.start.at < lookBackOf(run.section, { ...input, events, billed: plan.billed }).at
    );
  });
  const book = new UsageBook({ events, zone, billed: plan.billed, pieces });
  const left = old.map((planned) => book.collect(planned).billed);
  const config = { ...asCarried, negativeDelta: NegativeDelta.CREDIT };
  const credited = givenBack({ plan: { outdated: old }, left, currency, config, terms });
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

/** By unit, the quantity that was rated last. */
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
