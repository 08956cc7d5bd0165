import {
  type ConsumingInterval,
  isComparable,
  knownUnits,
  NO_TERMS,
  type PlannedInterval,
  planUsage,
  type Quantities,
  type SettledInterval,
  type SettledSuperseded,
  type SettledUsage,
  settleUsage,
  type UsagePlan,
} from '../../usage/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { formatLocalDate } from '../../values/time/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { mayComeTo, readingAfter } from './usage-after-run.ts';
import { supersededItem, usageItem } from './usage-items.ts';
import { type NewlyBilled, recordedMeter, suppliedMeter, type UsageMeter } from './usage-meter.ts';
import {
  type RatedInterval,
  type SubscriptionUsage,
  storedIntervals,
  type UsageEvaluation,
  type UsageRunInput,
} from './usage-run.ts';

/**
 * Rates the usage of one subscription up to the target date (usage §6, §7). Pure but for `nextItemId`, which is called once
 * per item in output order.
 * @throws InvariantError under `negativeDelta` FAIL, and for units that no section charges if the tenant refuses them.
 */
export function evaluateUsage(input: UsageRunInput, nextItemId: () => Uuid): UsageEvaluation {
  const { billed } = input.usage;
  const { plan, meter, beyond, settled } = settleUpTo(input);
  const charged = [...settled.intervals, ...settled.outdated].map((one) => {
    const items = one.charges.map((charge) => usageItem(nextItemId(), one, charge));
    return { items, interval: ratedInterval(one, items, meter.newlyBilled(one)) };
  });
  const credited = settled.superseded.map((one) => {
    const items = one.credits.map((credit) => supersededItem(nextItemId(), one, credit));
    return { items, interval: supersededInterval(one, items) };
  });
  const rated = [...charged, ...credited];
  const items = rated.flatMap((one) => one.items);
  const intervals = rated.map(({ interval }) => interval).filter(tellsMore(plan.billed));
  return {
    items,
    intervals,
    repairable: repairableAfter(billed, items),
    chargedThrough: settled.chargedThrough,
    nextDate: plan.nextDate,
    foreseenDate: mayComeTo(input, { plan, intervals, beyond }) ? plan.nextDate : null,
    reading:
      chargesUsage(input) || items.length > 0 ? readingAfter(input, intervals, items.length > 0) : null,
  };
}

function chargesUsage({ events }: UsageRunInput): boolean {
  return events.some(({ usages }) => usages.length > 0);
}

interface SettledUpTo {
  readonly plan: UsagePlan<ConsumingInterval>;
  readonly meter: UsageMeter;
  /** By usage name: what came late for billed intervals before the look-back. */
  readonly beyond: ReadonlyMap<string, Quantities>;
  readonly settled: SettledUsage<ConsumingInterval>;
}

/**
 * Plans, rates and settles the usage of one subscription up to the target date, for whoever wants to know what it comes to.
 * @throws InvariantError as `evaluateUsage`.
 */
export function settleUpTo(input: UsageRunInput): SettledUpTo {
  const { events, usage, targetDate, currency, config } = input;
  const { zone, billed, from = null, supplied = null, terms = NO_TERMS } = usage;
  const all = planUsage({ events, targetDate, zone, config, billed, from });
  const isSupplied = supplied !== null;
  const plan = {
    ...all,
    intervals: all.intervals.filter((one) => isComparable(one, isSupplied)),
    // What a source tells of an interval that is asked for no more is not known.
    outdated: isSupplied ? [] : all.outdated.filter((one) => isComparable(one, false)),
  };
  const meter =
    supplied === null
      ? recordedMeter({ events, ...usage, billed: plan.billed }, plan)
      : suppliedMeter(supplied, plan.billed);
  if (config.refusesUnknownUnits)
    for (const planned of plan.intervals) refuseUnknownUnits(planned, meter, input);
  const beyond = meter.beyond();
  const settled = settleUsage({
    plan,
    collected: plan.intervals.map((planned) => meter.collect(planned)),
    left: plan.outdated.map((planned) => meter.collect(planned).billed),
    beyond,
    currency,
    terms,
    config: supplied === null ? config : { ...config, negativeDelta: config.negativeDeltaOfSources },
  });
  return { plan, meter, beyond, settled };
}

/** The usage as the next run finds it once this one is saved. @param hasInvoice whether the run has made one. */
export function usageAfter(
  usage: SubscriptionUsage,
  { intervals, repairable }: Pick<UsageEvaluation, 'intervals' | 'repairable'>,
  hasInvoice: boolean,
): SubscriptionUsage {
  const left = new Map(repairable.map((each) => [each.id, each.repairable]));
  const before = usage.billed.map((interval) => ({
    ...interval,
    entries: interval.entries.map((entry) => ({
      ...entry,
      remaining: left.get(entry.itemId) ?? entry.remaining,
    })),
  }));
  return { ...usage, billed: [...before, ...storedIntervals(intervals, hasInvoice)] };
}

function ratedInterval(
  { planned }: SettledInterval<ConsumingInterval>,
  items: readonly NewInvoiceItem[],
  { consumed, supplied }: NewlyBilled,
): RatedInterval {
  const { run, interval, match } = planned;
  const { start, end } = interval;
  const { name, versionDate, priceIdentity } = run.section;
  return {
    usageName: name,
    versionDate,
    priceIdentity,
    instants: { start: start.at, end: end.at },
    startDate: start.date,
    endDate: end.date,
    entries: entriesOf(items),
    consumed: consumed.map(({ unit, localDate, part, after, upTo }) => ({
      unit,
      localDate,
      part,
      after,
      upTo,
    })),
    supplied,
    isBilledAgain: match.previous.length > 0,
  };
}

/** The credits of a superseded interval are stored with its own bounds, so that they are read together. */
function supersededInterval(
  { interval }: SettledSuperseded,
  items: readonly NewInvoiceItem[],
): RatedInterval {
  const { usageName, versionDate, priceIdentity, instants, startDate, endDate, isSupplied } = interval;
  return {
    usageName,
    versionDate,
    priceIdentity,
    instants,
    startDate,
    endDate,
    entries: entriesOf(items),
    consumed: [],
    supplied: isSupplied ? { amounts: [], trackingIds: [] } : null,
    isBilledAgain: true,
  };
}

function entriesOf(items: readonly NewInvoiceItem[]): RatedInterval['entries'] {
  return items.map(({ id, linkedItemId, amount, repairable, itemDetails }) => ({
    itemId: id,
    linkedItemId,
    amount,
    remaining: repairable,
    details: itemDetails,
  }));
}

/** An interval that is stored already as it is need not be stored again. */
function tellsMore(billed: readonly ConsumingInterval[]): (interval: RatedInterval) => boolean {
  return ({ usageName, instants, entries, consumed, supplied }) =>
    entries.length > 0 ||
    consumed.length > 0 ||
    (supplied !== null && supplied.amounts.length + supplied.trackingIds.length > 0) ||
    !billed.some(
      (one) =>
        one.usageName === usageName &&
        one.instants?.start === instants?.start &&
        one.instants?.end === instants?.end,
    );
}

function repairableAfter(
  billed: readonly ConsumingInterval[],
  items: readonly NewInvoiceItem[],
): UsageEvaluation['repairable'] {
  const credits = items.filter(({ linkedItemId }) => linkedItemId !== null);
  if (credits.length === 0) return [];
  const creditsOf = Map.groupBy(credits, ({ linkedItemId }) => linkedItemId);
  return billed
    .flatMap(({ entries }) => entries)
    .flatMap(({ itemId, remaining }) => {
      const own = creditsOf.get(itemId);
      if (own === undefined) return [];
      return { id: itemId, repairable: own.reduce((left, { amount }) => left.plus(amount), remaining) };
    });
}

function refuseUnknownUnits(
  { run, interval }: PlannedInterval,
  meter: UsageMeter,
  { events, subscriptionId }: UsageRunInput,
): void {
  const known = knownUnits(events, interval);
  const unknown = [...meter.unitsIn(interval)].filter((unit) => !known.has(unit)).sort();
  if (unknown.length === 0) return;
  const [start, end] = [formatLocalDate(interval.start.date), formatLocalDate(interval.end.date)];
  throw new InvariantError(
    `Subscription ${subscriptionId} has usage of ${unknown.join(', ')} from ${start} to ${end}, which none of its usage sections charges; void these records, add the unit to the catalog, or set invoice.parkAccountsWithUnknownUsage to false`,
    { subscriptionId, usageName: run.section.name, units: unknown, start, end },
  );
}
