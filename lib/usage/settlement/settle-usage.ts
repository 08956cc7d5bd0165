import type { UsageSection } from '../../records/index.ts';
import type { Currency } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import { periodShare } from '../intervals/usage-intervals.ts';
import { NO_USAGE, type Quantities, together } from '../rating/quantities.ts';
import { rateUsage } from '../rating/rate-usage.ts';
import type { PeriodShare, RatedUsage } from '../rating/rated-usage.ts';
import { isBilledAsOne, NO_TERMS, termsOf, type UsageTerms } from '../rating/usage-terms.ts';
import type { BilledInterval, PlannedInterval, SupersededInterval } from './billed-interval.ts';
import { isZeroItem, settleInterval, type UsageCharge } from './settle-interval.ts';
import { creditSuperseded, replaceSuperseded, type SettledSuperseded } from './superseded-usage.ts';
import { BeyondLookBack, ItemMode, LateMode, type UsageConfig } from './usage-config.ts';
import type { UsagePlan } from './usage-plan.ts';

interface SettleUsageInput {
  readonly plan: UsagePlan;
  /** The collected usage, one element per interval of the plan. */
  readonly collected: readonly CollectedUsage[];
  /** Remaining quantities, one element per outdated interval of the plan. */
  readonly left: readonly Quantities[];
  /** Late points of intervals that were billed before the look-back period, by usage name. */
  readonly beyond: ReadonlyMap<string, Quantities>;
  readonly currency: Currency;
  readonly config: UsageConfig;
  /** Usage terms that apply in addition to the prices. Defaults to none. */
  readonly terms?: UsageTerms;
}

export interface SettledInterval {
  readonly planned: PlannedInterval;
  readonly rated: RatedUsage;
  /** Items in invoice order. Items of amount 0 are omitted if the tenant's settings drop them. */
  readonly charges: readonly UsageCharge[];
  readonly consumes: Consumption;
  /**
   * The billed interval that this interval replaces. If it is set, `charges` contains the credits that reduce the
   * charge of the replaced interval to the price of this interval. By default, no interval is replaced.
   */
  readonly replaced?: SupersededInterval | null;
}

/** The usage that an interval charges, and the points that it consumes. */
export interface Consumption {
  readonly quantities: Quantities;
  /**
   * Intervals from which this interval consumes new points. These are the interval itself, or billed intervals with
   * late points (§7.7).
   */
  readonly freshOf: readonly PlannedInterval[];
  /** Intervals from which this interval consumes new points that were recorded in time. */
  readonly onTimeOf: readonly PlannedInterval[];
  /** True if the interval consumes late points of intervals before the look-back period. */
  readonly beyond: boolean;
}

export interface SettledUsage {
  readonly intervals: readonly SettledInterval[];
  /** Outdated intervals with credits. */
  readonly outdated: readonly SettledInterval[];
  /** Superseded intervals that nothing replaces, with credits for all their charges. */
  readonly superseded: readonly SettledSuperseded[];
  /**
   * Latest end of the subscription's items, including dropped items of amount 0 (§7.5 rule 4, §7.9 rule 2). The value
   * is null if there are no items.
   */
  readonly chargedThrough: LocalDate | null;
}

/**
 * Rates the planned intervals of a subscription and compares them with the billed intervals (§7.3 to §7.7). Used for
 * runs, dry runs and previews of current usage.
 * @throws InvariantError if `negativeDelta` is FAIL and less usage exists than was billed.
 */
export function settleUsage(input: SettleUsageInput): SettledUsage {
  const consumed = consumptions(input);
  const all = input.plan.intervals.flatMap((planned) => {
    const consumes = consumed.get(planned);
    return consumes === undefined ? [] : [settlePlannedInterval(planned, consumes, input)];
  });
  const dates = all
    .filter(({ charges }) => charges.some(({ kind }) => kind === 'USAGE'))
    .map(({ planned }) => planned.interval.end.date);
  const { dropsZeroItems } = input.config;
  const replaced = new Set(all.flatMap(({ replaced: one }) => one ?? []));
  return {
    intervals: dropsZeroItems ? all.map((one) => ({ ...one, charges: one.charges.filter(isNotZero) })) : all,
    outdated: creditsOfOutdated(input),
    superseded: input.plan.superseded
      .filter((one) => !replaced.has(one))
      .map(creditSuperseded)
      .filter(({ credits }) => credits.length > 0),
    chargedThrough: dates.reduce<LocalDate | null>(
      (last, date) => (last === null || date > last ? date : last),
      null,
    ),
  };
}

/** Credits the voided usage of outdated intervals. These intervals charge nothing more. */
export function creditsOfOutdated(
  input: Omit<SettleUsageInput, 'plan' | 'collected' | 'beyond'> & {
    readonly plan: Pick<UsagePlan, 'outdated'>;
  },
): readonly SettledInterval[] {
  return input.plan.outdated.flatMap((planned, index) => {
    const quantities = input.left[index] ?? NO_USAGE;
    const consumes = { quantities, freshOf: [], onTimeOf: [], beyond: false };
    const one = settlePlannedInterval(planned, consumes, input);
    const charges = one.charges.filter(({ kind }) => kind === 'CREDIT');
    return charges.length === 0 ? [] : [{ ...one, charges }];
  });
}

/**
 * Returns the points that each interval consumes. Late points are charged by another interval with the same usage name,
 * even if that interval belongs to another run.
 */
function consumptions({ plan, collected, beyond, config }: SettleUsageInput) {
  const places = plan.intervals.map((planned, index) => ({ planned, index }));
  const byName = Map.groupBy(places, ({ planned }) => planned.run.section.name);
  const found = new Map<PlannedInterval, Consumption>();
  for (const [name, group] of byName) {
    const ordered = group.toSorted((a, b) => a.planned.interval.start.at - b.planned.interval.start.at);
    const charged = chargedUsage(
      ordered.map(({ planned, index }) => ({
        section: planned.run.section,
        isBilled: planned.match.previous.length > 0,
        collected: collected[index] ?? { billed: NO_USAGE, fresh: NO_USAGE, onTime: NO_USAGE },
      })),
      { ...config, beyond: beyond.get(name) ?? NO_USAGE },
    );
    for (const [place, { quantities, freshPoints, takesLateOf, takesBeyond }] of charged.entries()) {
      const planned = ordered[place]?.planned;
      if (planned === undefined) continue;
      const late = takesLateOf.flatMap((of) => ordered[of]?.planned ?? []);
      found.set(planned, {
        quantities,
        freshOf: freshPoints === 'ALL' ? [planned, ...late] : late,
        onTimeOf: freshPoints === 'ON_TIME' ? [planned] : [],
        beyond: takesBeyond,
      });
    }
  }
  return found;
}

function settlePlannedInterval(
  planned: PlannedInterval,
  consumes: Consumption,
  {
    currency,
    config,
    terms: all = NO_TERMS,
  }: Omit<SettleUsageInput, 'plan' | 'collected' | 'beyond' | 'left'>,
): SettledInterval {
  const { section } = planned.run;
  const terms = termsOf(all, section.name, planned.interval.start.date);
  const { quantities } = consumes;
  const { overflow, negativeDelta } = config;
  const share = terms === null ? null : shareOf(planned);
  const rated = rateUsage({ section, quantities, currency, overflow, terms, share });
  const itemMode = isBilledAsOne(terms) ? ItemMode.AGGREGATE : config.itemMode;
  const common = { usageName: section.name, interval: planned.interval, rated, currency, itemMode };
  const { replaces = null, match } = planned;
  const replaced = replaces === null ? null : replaceSuperseded({ ...common, superseded: replaces });
  if (replaced !== null) return { planned, rated, charges: replaced, consumes, replaced: replaces };
  const charges = settleInterval({ ...common, previous: match.previous, negativeDelta });
  return { planned, rated, charges, consumes };
}

/**
 * Returns the share of the period that an interval covers. An outdated interval keeps its whole minimum, so that only
 * voided usage is credited.
 */
function shareOf({ run, interval, isOutdated = false }: PlannedInterval): PeriodShare | null {
  const share = periodShare(run, interval);
  return isOutdated && share !== null && share.days > 0 ? null : share;
}

function isNotZero(charge: UsageCharge): boolean {
  return !isZeroItem(charge);
}

/** The usage of an interval. A billed interval consumes the points that it charged. */
export interface CollectedUsage {
  /**
   * Points that billed intervals within the interval consumed. They include late points of earlier periods, but no
   * voided points.
   */
  readonly billed: Quantities;
  /** Points of the interval that no billed interval of the same usage name has consumed. */
  readonly fresh: Quantities;
  /**
   * The new points that are not late. A point is not late if nothing has been billed, or if the interval was billed
   * before it ended.
   */
  readonly onTime: Quantities;
}

type FreshPoints = 'ALL' | 'ON_TIME' | 'NONE';

/** The rated usage of an interval, with the points that it consumes. No other interval charges these points. */
interface ChargedUsage {
  readonly quantities: Quantities;
  /** Specifies which of the interval's own new points the charge consumes. */
  readonly freshPoints: FreshPoints;
  /** Indexes of the intervals whose new points the charge consumes. */
  readonly takesLateOf: readonly number[];
  readonly takesBeyond: boolean;
}

/**
 * Returns the usage that each interval charges (§7.7).
 * @param intervals The intervals of one usage name of a subscription, in order, except those that a longer billed
 * interval covers.
 * @param modes `beyond` contains points of billed intervals before the look-back period that no interval has consumed.
 */
function chargedUsage(
  intervals: readonly {
    readonly section: UsageSection;
    readonly isBilled: boolean;
    readonly collected: CollectedUsage;
  }[],
  modes: Pick<UsageConfig, 'lateMode' | 'beyondLookBack'> & { readonly beyond: Quantities },
): readonly ChargedUsage[] {
  const next = intervals.findIndex(({ isBilled }) => !isBilled);
  // If there is no next interval, late points are billed in their own interval.
  const mode = modes.lateMode === LateMode.NEXT_PERIOD && next < 0 ? LateMode.DELTA : modes.lateMode;
  const takesBeyond = modes.beyondLookBack === BeyondLookBack.NEXT_PERIOD;
  const lateOf =
    mode === LateMode.NEXT_PERIOD
      ? intervals.flatMap(({ isBilled }, index) => (isBilled ? [index] : []))
      : [];
  return intervals.map((interval, index): ChargedUsage => {
    const { section, isBilled, collected } = interval;
    const freshPoints = isBilled ? freshPointsByMode[mode] : 'ALL';
    const taken =
      index === next ? { takesLateOf: lateOf, takesBeyond } : { takesLateOf: [], takesBeyond: false };
    const parts = [
      ...(freshPoints === 'ALL' ? [collected.fresh] : []),
      ...(freshPoints === 'ON_TIME' ? [collected.onTime] : []),
      ...taken.takesLateOf.map((place) => intervals[place]?.collected.fresh ?? NO_USAGE),
      ...(taken.takesBeyond ? [modes.beyond] : []),
    ];
    const quantities = parts.reduce((all, more) => together(section, all, more), collected.billed);
    return { quantities, freshPoints, ...taken };
  });
}

const freshPointsByMode: Readonly<Record<LateMode, FreshPoints>> = {
  DELTA: 'ALL',
  IGNORE: 'ON_TIME',
  NEXT_PERIOD: 'NONE',
};

/**
 * Returns true if points at this instant are late. This is the case if the interval was billed after its end (§7.7).
 */
export function isLate(
  { interval, match }: Pick<PlannedInterval, 'interval' | 'match'>,
  at: Instant,
): boolean {
  const isVeryEnd = interval.includesEnd && at === interval.end.at;
  return [...match.previous, ...match.overlapping].some(
    (one) => !isBilledAhead(one) && holds(one, at, isVeryEnd),
  );
}

/** Returns true if the interval was billed before its end, by a run with a future target date. */
export function isBilledAhead({ instants, billedAt = null }: BilledInterval): boolean {
  return instants !== null && billedAt !== null && billedAt < instants.end;
}

function holds({ instants }: BilledInterval, at: Instant, isVeryEnd: boolean): boolean {
  if (instants === null) return true;
  const { start, end } = instants;
  return start <= at && (at < end || (at === end && (isVeryEnd || start === end)));
}
