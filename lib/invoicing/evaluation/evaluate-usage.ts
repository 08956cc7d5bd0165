import type { BillingEvent, LookedDays, SuppliedDigest, UsageReading } from '../../records/index.ts';
import {
  type ConsumingInterval,
  isComparable,
  knownUnits,
  type PlannedInterval,
  planUsage,
  type SettledInterval,
  type SuppliedUsage,
  settleUsage,
  type UsageConfig,
  type UsagePiece,
  usageSettings,
  usageWindow,
} from '../../usage/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import {
  formatLocalDate,
  type Instant,
  type LocalDate,
  maxDate,
  minDate,
  type TimeZone,
} from '../../values/time/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { usageItem } from './usage-items.ts';
import { type NewlyBilled, recordedMeter, suppliedMeter, type UsageMeter } from './usage-meter.ts';

/** What is read of the usage of one subscription. */
export interface SubscriptionUsage {
  readonly zone: TimeZone;
  /** On invoices that are not VOID, in the order in which they were billed; from `usageWindow` on is enough. */
  readonly billed: readonly ConsumingInterval[];
  /** Those of `piecesNeeded`. */
  readonly pieces: readonly UsagePiece[];
  /** What the days are marked with that were read; null = the next run looks at the usage whatever happens. Default null. */
  readonly marks?: DayMarks | null;
  /** What a usage source has told, which counts in place of the pieces; null = none has. Default null. */
  readonly supplied?: SuppliedUsage | null;
}

/** By day, a number that grows when points of it are recorded or voided. */
export type DayMarks = ReadonlyMap<LocalDate, number>;

export interface UsageRunInput {
  readonly subscriptionId: Uuid;
  /** All of the subscription, in order. */
  readonly events: readonly BillingEvent[];
  readonly usage: SubscriptionUsage;
  readonly targetDate: LocalDate;
  readonly currency: Currency;
  readonly config: UsageConfig;
}

/** What a run has rated, as it is stored. */
export interface RatedInterval extends ConsumingInterval {
  readonly supplied: SuppliedDigest | null;
  readonly instants: NonNullable<ConsumingInterval['instants']>;
  readonly versionDate: Instant;
  readonly priceIdentity: string;
  /**
   * True where some of it is billed already: it is stored with an invoice only, so that points that change no amount stay
   * late until there is one (usage §7.7 rule 1).
   */
  readonly isBilledAgain: boolean;
}

/** What a run has to write for the usage of one subscription. */
export interface UsageEvaluation {
  /** USAGE items and the REPAIR_ADJ of what was billed too much, in output order. */
  readonly items: readonly NewInvoiceItem[];
  readonly intervals: readonly RatedInterval[];
  /** New `repairable` of USAGE items that earlier runs have made. */
  readonly repairable: readonly { readonly id: Uuid; readonly repairable: Decimal }[];
  /** Latest end of its USAGE items, zero items that are dropped included; null = there are none. */
  readonly chargedThrough: LocalDate | null;
  /** The next date, after the target date, on which there is usage to bill. */
  readonly nextDate: LocalDate | null;
  /** What the next run reads. */
  readonly reading: UsageReading;
}

/**
 * Rates the usage of one subscription up to the target date (usage §6, §7). Pure but for `nextItemId`, which is called once
 * per item in output order.
 * @throws InvariantError under `negativeDelta` FAIL, and for units that no section charges if the tenant refuses them.
 */
export function evaluateUsage(input: UsageRunInput, nextItemId: () => Uuid): UsageEvaluation {
  const { events, usage, targetDate, currency, config } = input;
  const { zone, billed, supplied = null } = usage;
  const all = planUsage({ events, targetDate, zone, config, billed });
  const plan = { ...all, intervals: all.intervals.filter((one) => isComparable(one, supplied !== null)) };
  const meter =
    supplied === null ? recordedMeter({ events, ...usage }, plan) : suppliedMeter(supplied, billed);
  if (config.refusesUnknownUnits)
    for (const planned of plan.intervals) refuseUnknownUnits(planned, meter, input);
  const settled = settleUsage({
    plan,
    collected: plan.intervals.map((planned) => meter.collect(planned)),
    beyond: meter.beyond(),
    currency,
    config: supplied === null ? config : { ...config, negativeDelta: config.negativeDeltaOfSources },
  });
  const rated = settled.intervals.map((one) => {
    const items = one.charges.map((charge) => usageItem(nextItemId(), one, charge));
    return { items, interval: ratedInterval(one, items, meter.newlyBilled(one)) };
  });
  const items = rated.flatMap((one) => one.items);
  const intervals = rated.map(({ interval }) => interval).filter(tellsMore(billed));
  const from = readFrom(input, intervals);
  // What is not stored, for want of an invoice, stays late.
  const isStored = items.length > 0 || !intervals.some(({ isBilledAgain }) => isBilledAgain);
  return {
    items,
    intervals,
    repairable: repairableAfter(billed, items),
    chargedThrough: settled.chargedThrough,
    nextDate: plan.nextDate,
    reading: {
      from,
      settings: usageSettings(config),
      looked: isStored ? lookedDays(usage, intervals, from) : null,
    },
  };
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

/** The intervals that are stored. */
export function storedIntervals(
  intervals: readonly RatedInterval[],
  hasInvoice: boolean,
): readonly RatedInterval[] {
  return hasInvoice ? intervals : intervals.filter(({ isBilledAgain }) => !isBilledAgain);
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
    entries: items.map(({ id, linkedItemId, amount, repairable, itemDetails }) => ({
      itemId: id,
      linkedItemId,
      amount,
      remaining: repairable,
      details: itemDetails,
    })),
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

/** Some intervals are stored only if the run makes an invoice: what either way needs is read. */
function readFrom(
  { events, usage, config }: UsageRunInput,
  intervals: readonly RatedInterval[],
): LocalDate | null {
  const { zone, billed } = usage;
  const [withInvoice, without] = [true, false].map((hasInvoice) =>
    usageWindow({ events, zone, config, billed: [...billed, ...storedIntervals(intervals, hasInvoice)] }),
  );
  return withInvoice == null || without == null ? null : minDate(withInvoice, without);
}

/** Points of later days are of intervals that fall due, or of none. */
function lookedDays(
  { billed, marks = null }: SubscriptionUsage,
  intervals: readonly RatedInterval[],
  from: LocalDate | null,
): LookedDays | null {
  const ends = [...billed, ...intervals].map(({ endDate }) => endDate);
  const [first, ...others] = ends;
  if (marks === null || from === null || first === undefined) return null;
  const through = maxDate(first, ...others);
  let mark = 0;
  for (const [date, one] of marks) {
    if (date >= from && date <= through) mark += one;
  }
  return { through, mark };
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
