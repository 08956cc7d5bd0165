import type { BillingEvent, EvaluatedDays, SuppliedDigest, UsageReading } from '../../records/index.ts';
import {
  type BilledInterval,
  type FreedPoints,
  isComparable,
  knownUnits,
  mayHaveMinimum,
  NO_TERMS,
  type PlannedInterval,
  planUsage,
  type SettledInterval,
  type SettledSuperseded,
  SuppliedLedger,
  type SuppliedUsage,
  settleUsage,
  type UsageConfig,
  UsageLedger,
  type UsageLedgerInput,
  type UsagePiece,
  type UsagePlan,
  type UsageTerms,
  unitsOf,
  usageSettings,
  usageWindow,
} from '../../usage/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MIN_YEAR } from '../../values/limits.ts';
import type { Currency } from '../../values/money/index.ts';
import {
  formatLocalDate,
  type Instant,
  type LocalDate,
  localDate,
  maxDate,
  minDate,
  type TimeZone,
} from '../../values/time/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { supersededItem, usageItem } from './usage-items.ts';

export interface SubscriptionUsage {
  readonly zone: TimeZone;
  /**
   * Intervals of invoices that are not VOID, in billing order. At least the intervals from `usageWindow` on are
   * needed.
   */
  readonly billed: readonly BilledInterval[];
  /** Usage points that were charged on invoices that are now VOID, if late usage is not billed. Empty by default. */
  readonly freed?: readonly FreedPoints[];
  /** The start of the loaded data, or null if all billed intervals are loaded. Defaults to null. */
  readonly from?: LocalDate | null;
  /** The usage pieces that `piecesNeeded` selects. */
  readonly pieces: readonly UsagePiece[];
  /** Version marks of the days whose usage was read. If null (the default), the next run reads the usage again. */
  readonly marks?: DayMarks | null;
  /** Usage that a source supplied. Replaces `pieces`. The value is null if there is no source. Defaults to null. */
  readonly supplied?: SuppliedUsage | null;
  /** Usage terms that apply in addition to the prices (usage §12). Defaults to none. */
  readonly terms?: UsageTerms;
}

/** A version number per day. It increases when usage points of the day are recorded or voided. */
export type DayMarks = ReadonlyMap<LocalDate, number>;

export interface UsageRunInput {
  readonly subscriptionId: Uuid;
  /** All events of the subscription, in order. */
  readonly events: readonly BillingEvent[];
  readonly usage: SubscriptionUsage;
  readonly targetDate: LocalDate;
  readonly currency: Currency;
  readonly config: UsageConfig;
}

export interface RatedInterval extends BilledInterval {
  readonly supplied: SuppliedDigest | null;
  readonly instants: NonNullable<BilledInterval['instants']>;
  readonly versionDate: Instant;
  readonly priceIdentity: string;
  /**
   * True if part of the interval has already been billed. Such an interval is stored only together with an invoice.
   * Without an invoice, points that do not change any amount remain late (usage §7.7 rule 1).
   */
  readonly isBilledAgain: boolean;
}

/** The changes of one subscription's usage. */
export interface UsageEvaluation {
  /** USAGE items and the REPAIR_ADJ items of overbilled usage, in output order. */
  readonly items: readonly NewInvoiceItem[];
  readonly intervals: readonly RatedInterval[];
  /** The changed remainders (`repairable`) of USAGE items that earlier runs created. */
  readonly repairable: readonly Pick<NewInvoiceItem, 'id' | 'repairable'>[];
  /**
   * Latest end of the subscription's USAGE items, including dropped items of amount 0. The value is null if none
   * exist.
   */
  readonly chargedThrough: LocalDate | null;
  /** The next date after the target date on which usage is billed. */
  readonly nextDate: LocalDate | null;
  /**
   * Equals `nextDate`, but is null if the remaining periods have no usage and the tenant's settings drop items of
   * amount 0.
   */
  readonly foreseenDate: LocalDate | null;
  /** The days that the next run reads, or null if the subscription no longer charges usage. */
  readonly reading: UsageReading | null;
}

/**
 * Rates the usage of one subscription up to the target date (usage §6, §7). Calls `nextItemId` once per item, in
 * output order.
 * @throws InvariantError under `negativeDelta` FAIL, and for units that no section charges if the tenant rejects such
 * units.
 */
export function evaluateUsage(input: UsageRunInput, nextItemId: () => Uuid): UsageEvaluation {
  const { billed } = input.usage;
  const known = settleUpTo(input);
  const { plan, meter, settled } = known;
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
  const intervals = rated.map(({ interval }) => interval).filter(hasChangesSince(plan.billed));
  const chargesUsage = items.length > 0 || input.events.some(({ usages }) => usages.length > 0);
  return {
    items,
    intervals,
    repairable: repairableAfter(billed, items),
    chargedThrough: settled.chargedThrough,
    nextDate: plan.nextDate,
    foreseenDate: canBillLater(input, known, intervals) ? plan.nextDate : null,
    reading: chargesUsage ? planNextReading(input, intervals, items.length > 0) : null,
  };
}

/**
 * Plans, rates and settles the usage of one subscription up to the target date, without creating items.
 * @throws InvariantError under the same conditions as `evaluateUsage`.
 */
export function settleUpTo(input: UsageRunInput) {
  const { events, usage, targetDate, currency, config } = input;
  const { zone, billed, from = null, supplied = null, terms = NO_TERMS } = usage;
  const all = planUsage({ events, targetDate, zone, config, billed, from });
  const isSupplied = supplied !== null;
  const plan = {
    ...all,
    intervals: all.intervals.filter((one) => isComparable(one, isSupplied)),
    // A source's usage for intervals that are no longer requested is unknown.
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

/** Returns the subscription's usage after this run. @param hasInvoice true if the run has created an invoice. */
export function usageAfter(
  usage: SubscriptionUsage,
  { intervals, repairable }: Pick<UsageEvaluation, 'intervals' | 'repairable'>,
  hasInvoice: boolean,
): SubscriptionUsage {
  const left = new Map(repairable.map((each) => [each.id, each.repairable]));
  const before = usage.billed.map(({ entries, ...interval }) => ({
    ...interval,
    entries: entries.map((entry) => ({ ...entry, remaining: left.get(entry.itemId) ?? entry.remaining })),
  }));
  return { ...usage, billed: [...before, ...storedIntervals(intervals, hasInvoice)] };
}

function ratedInterval(
  { planned }: SettledInterval,
  items: readonly NewInvoiceItem[],
  { consumed, supplied }: Pick<RatedInterval, 'consumed' | 'supplied'>,
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

/**
 * Returns the superseded interval with its original bounds, so that its credits are read together with the interval.
 */
function supersededInterval(
  { interval }: SettledSuperseded,
  items: readonly NewInvoiceItem[],
): RatedInterval {
  const { usageName, versionDate, priceIdentity, instants, startDate, endDate, isSupplied } = interval;
  return {
    ...{ usageName, versionDate, priceIdentity, instants, startDate, endDate },
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

/** Returns a filter for changed intervals. Unchanged intervals are not stored again. */
function hasChangesSince(billed: readonly BilledInterval[]): (interval: RatedInterval) => boolean {
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
  billed: readonly BilledInterval[],
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

export function storedIntervals(
  intervals: readonly RatedInterval[],
  hasInvoice: boolean,
): readonly RatedInterval[] {
  return hasInvoice ? intervals : intervals.filter(({ isBilledAgain }) => !isBilledAgain);
}

const FIRST_DAY = localDate(MIN_YEAR, 1, 1);

/** Returns the days that the next run reads. @param hasItems true if this run has created USAGE items. */
function planNextReading(input: UsageRunInput, intervals: readonly RatedInterval[], hasItems: boolean) {
  const from = readFrom(input, intervals);
  // Without an invoice, late usage is not stored and stays late.
  const isStored = hasItems || !intervals.some(({ isBilledAgain }) => isBilledAgain);
  return {
    from,
    settings: usageSettings(input.config, input.usage.terms),
    looked: isStored ? evaluatedDays(input.usage, intervals, from) : null,
  } satisfies UsageReading;
}

/**
 * Returns the first day that the next run must read. The result is correct whether or not the run creates an invoice,
 * because some intervals are stored only with an invoice.
 */
function readFrom(
  { events, usage, config }: UsageRunInput,
  intervals: readonly RatedInterval[],
): LocalDate | null {
  // Late usage of the oldest interval may still move into the next interval.
  if (config.beyondLookBack === 'NEXT_PERIOD') return FIRST_DAY;
  const { zone, billed, from = null } = usage;
  const [withInvoice, without] = [true, false].map((hasInvoice) =>
    usageWindow({
      events,
      zone,
      config,
      billed: [...billed, ...storedIntervals(intervals, hasInvoice)],
      from,
    }),
  );
  return withInvoice == null || without == null ? null : minDate(withInvoice, without);
}

/**
 * Returns the days to compare. Days after the last billed interval are excluded, because the usage points of these days
 * are billed by later intervals or not at all.
 */
function evaluatedDays(
  { billed, marks = null }: SubscriptionUsage,
  intervals: readonly RatedInterval[],
  from: LocalDate | null,
): EvaluatedDays | null {
  const [first, ...others] = [...billed, ...intervals].map(({ endDate }) => endDate);
  if (marks === null || from === null || first === undefined) return null;
  // If late usage was charged with a later period, no day in the window shows that the usage was voided.
  const isCarried = [...billed, ...intervals].some(
    ({ endDate, consumed }) => endDate >= from && consumed.some(({ localDate }) => localDate < from),
  );
  if (isCarried) return null;
  const through = maxDate(first, ...others);
  let mark = 0;
  for (const [date, one] of marks) {
    if (date >= from && date <= through) mark += one;
  }
  return { through, mark };
}

/**
 * Returns true if later runs can create items. Returns false if there is no usage after the billed days and the
 * tenant's settings drop items of amount 0.
 */
function canBillLater(
  { usage, config }: UsageRunInput,
  { plan, beyond }: ReturnType<typeof settleUpTo>,
  intervals: readonly RatedInterval[],
): boolean {
  if (!config.dropsZeroItems) return true;
  // A minimum is charged even without usage.
  if (plan.open.some(({ name }) => mayHaveMinimum(usage.terms ?? NO_TERMS, name))) return true;
  // The source's later results are unknown.
  if (usage.supplied != null) return false;
  const billed = [...usage.billed, ...intervals];
  return plan.open.some((section) => {
    const { name } = section;
    const isNew = ({ run, match }: PlannedInterval): boolean =>
      run.section.name === name && match.previous.length === 0;
    const waits = config.beyondLookBack === 'NEXT_PERIOD' && !plan.intervals.some(isNew);
    if (waits && [...(beyond.get(name) ?? [])].some(([, quantity]) => !quantity.isZero())) return true;
    const ends = billed.filter(({ usageName }) => usageName === name).map(({ endDate }) => endDate);
    const units = new Set(unitsOf(section));
    return usage.pieces.some(
      ({ unit, localDate, sum, max }) =>
        units.has(unit) && ends.every((end) => localDate >= end) && !(sum.isZero() && max.isZero()),
    );
  });
}

/** The usage of intervals, and the portion that each interval bills for the first time. */
interface UsageMeter extends Pick<UsageLedger, 'collect' | 'unitsIn'> {
  /** Returns the late usage of intervals that were billed before the look-back period, by usage name. */
  beyond(): ReturnType<UsageLedger['beyond']>;
  newlyBilled(settled: SettledInterval): Pick<RatedInterval, 'consumed' | 'supplied'>;
}

function recordedMeter(
  input: UsageLedgerInput,
  { intervals, open }: Pick<UsagePlan, 'intervals' | 'open'>,
): UsageMeter {
  const book = new UsageLedger(input);
  return {
    collect: (planned) => book.collect(planned),
    unitsIn: (interval) => book.unitsIn(interval),
    beyond: () => book.beyond(intervals, [...intervals.map(({ run }) => run.section), ...open]),
    newlyBilled: ({ planned, consumes }) => ({
      consumed: book.newlyConsumed(planned, consumes, intervals),
      supplied: null,
    }),
  };
}

/** Returns a meter for usage supplied by a source. Sources are not called for days before the look-back period. */
function suppliedMeter(supplied: SuppliedUsage, billed: readonly BilledInterval[]): UsageMeter {
  const book = new SuppliedLedger(supplied, billed);
  return {
    collect: (planned) => book.collect(planned),
    unitsIn: (interval) => book.unitsIn(interval),
    beyond: () => new Map(),
    newlyBilled: ({ planned, consumes }) => ({
      consumed: [],
      supplied: book.newlySupplied(planned, consumes),
    }),
  };
}
