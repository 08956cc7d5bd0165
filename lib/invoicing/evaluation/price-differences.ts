import type { BillingEvent, TierBlockPolicy, UsageSection } from '../../records/index.ts';
import type { Problem } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, ZERO } from '../../values/money/index.ts';
import type { BillingPeriod, DatedInstant, Instant, LocalDate } from '../../values/time/index.ts';

/**
 * RECURRING prices are charged for every billing period, FIXED prices once, and USAGE prices for the recorded usage.
 */
export const PriceType = { RECURRING: 'RECURRING', FIXED: 'FIXED', USAGE: 'USAGE' } as const;
export type PriceType = (typeof PriceType)[keyof typeof PriceType];

/** A change of a subscription's price from the date `from` on. A fixed price is charged only on that date. */
export interface PriceDifference {
  readonly subscriptionId: Uuid;
  readonly bundleId: Uuid;
  readonly planName: string;
  readonly phaseName: string;
  readonly priceType: PriceType;
  readonly from: DatedInstant;
  /** The terms of a usage price, or null for recurring and fixed prices. */
  readonly usage: UsagePriceTerms | null;
  /**
   * The old price for a quantity of one. A recurring price covers one billing period. The value is null if there was
   * no price.
   */
  readonly oldPrice: Decimal | null;
  readonly newPrice: Decimal | null;
  readonly difference: Decimal;
  /**
   * The old billing period of the price. For usage, the time between two bills. The value is null for a fixed price.
   */
  readonly oldBillingPeriod: BillingPeriod | null;
  readonly newBillingPeriod: BillingPeriod | null;
  /** Effective date of the catalog version that supplies the new price. */
  readonly catalogEffectiveDate: Instant | null;
}

/** A usage section's changed price, with the old and the new terms. */
export interface UsagePriceTerms {
  readonly usageName: string;
  /** Number of the tier, from 1. */
  readonly tier: number;
  /**
   * Unit of the price. The price is for one block of this unit. The value is null for a CAPACITY tier, whose price
   * does not depend on its units.
   */
  readonly unitType: string | null;
  /** Old number of units in a block, or null for CAPACITY and for a missing price. */
  readonly oldBlockSize: Decimal | null;
  readonly newBlockSize: Decimal | null;
  /** Old number of blocks in the tier. For CAPACITY, the tier's old limit for the unit. Null means unlimited. */
  readonly oldMax: Decimal | null;
  readonly newMax: Decimal | null;
  /** Tier block policy. Null for CAPACITY. */
  readonly oldTierBlockPolicy: TierBlockPolicy | null;
  readonly newTierBlockPolicy: TierBlockPolicy | null;
}

/**
 * One element of the report. The report starts with problems of the document, then lists each price change and
 * unbillable account, and ends with totals.
 */
export type ChangeReportPart =
  | { readonly kind: 'SUMMARY'; readonly errors: readonly Problem[]; readonly warnings: readonly Problem[] }
  | { readonly kind: 'PRICE_CHANGE'; readonly change: PriceChange }
  | { readonly kind: 'UNBILLABLE'; readonly accountId: Uuid; readonly message: string }
  | ({ readonly kind: 'TOTAL' } & ChangeReportTotals);

export interface ChangeReportTotals {
  /**
   * Number of checked subscriptions. A subscription is checked if it is active and still billed, and if its bundle is
   * invoiced.
   */
  readonly subscriptions: number;
  /** Number of subscriptions whose price changes. */
  readonly changedSubscriptions: number;
  readonly unbillableAccounts: number;
}

export interface PriceChange extends PriceDifference {
  readonly accountId: Uuid;
  readonly currency: Currency | null;
}

/**
 * Returns the price differences between two streams of one subscription in time order. There is an entry per pair of
 * recurring prices, phase and time span, per fixed price, and per usage price. Charges that begin or end in only one
 * stream are not recurring or usage differences, and an empty stream has no differences. Fixed prices that are
 * already billed stay as they are (§6 rule 6).
 * @param billedThrough last day whose fixed prices in `before` are billed; null if no such price is billed.
 */
export function priceDifferences(
  before: readonly BillingEvent[],
  after: readonly BillingEvent[],
  billedThrough: LocalDate | null = null,
): readonly PriceDifference[] {
  return [
    ...recurringDifferences(before, after),
    ...fixedDifferences(before, after, billedThrough),
    ...usageDifferences(before, after),
  ].sort((one, other) => one.from.at - other.from.at);
}

/** The events in force in the old and in the new stream from an instant on. */
interface EventPair {
  readonly at: Instant;
  readonly old: BillingEvent | undefined;
  readonly now: BillingEvent | undefined;
}

function* eventPairs(before: readonly BillingEvent[], after: readonly BillingEvent[]): Generator<EventPair> {
  const both = [
    ...before.map((event) => ({ event, isNew: false })),
    ...after.map((event) => ({ event, isNew: true })),
  ].toSorted((one, other) => one.event.effectiveDate - other.event.effectiveDate);
  let old: BillingEvent | undefined;
  let now: BillingEvent | undefined;
  for (const [at, events] of Map.groupBy(both, ({ event }) => event.effectiveDate)) {
    old = events.findLast(({ isNew }) => !isNew)?.event ?? old;
    now = events.findLast(({ isNew }) => isNew)?.event ?? now;
    yield { at, old, now };
  }
}

/** Returns the price difference. A missing price is treated as 0. */
function differenceOf(old: Decimal | null, now: Decimal | null): Decimal {
  return (now ?? ZERO).minus(old ?? ZERO);
}

type NamedEvent = BillingEvent & { readonly planName: string; readonly phaseName: string };

function isNamed(event: BillingEvent | undefined): event is NamedEvent {
  return Boolean(event?.planName) && event?.phaseName !== null;
}

function differenceOn(
  { subscriptionId, bundleId, planName, phaseName, catalogEffectiveDate }: NamedEvent,
  oldPrice: Decimal | null,
  newPrice: Decimal | null,
) {
  const difference = differenceOf(oldPrice, newPrice);
  const charged = { subscriptionId, bundleId, planName, phaseName, catalogEffectiveDate };
  return { ...charged, oldPrice, newPrice, difference };
}

function recurringDifferences(before: readonly BillingEvent[], after: readonly BillingEvent[]) {
  const differences: PriceDifference[] = [];
  let open: string | null = null;
  for (const pair of eventPairs(before, after)) {
    const difference = recurringDifference(pair);
    const content = difference && contentOf(difference);
    if (difference !== null && content !== open) differences.push(difference);
    open = content;
  }
  return differences;
}

function recurringDifference({ at, old, now }: EventPair) {
  if (!old?.planName || !isNamed(now)) return null;
  const [oldPrice, newPrice] = [old.recurringPrice, now.recurringPrice];
  const isFree = isZero(oldPrice) && isZero(newPrice);
  const isSamePrice = differenceOf(oldPrice, newPrice).isZero() && old.billingPeriod === now.billingPeriod;
  if (isFree || isSamePrice) return null;
  return {
    ...differenceOn(now, oldPrice, newPrice),
    priceType: PriceType.RECURRING,
    usage: null,
    from: { at, date: now.effectiveDate === at ? now.localDate : old.localDate },
    oldBillingPeriod: old.billingPeriod,
    newBillingPeriod: now.billingPeriod,
  };
}

/**
 * Returns a comparison key. It is equal for two recurring differences of the same phase that differ only in their days.
 */
function contentOf({ phaseName, oldPrice, newPrice, oldBillingPeriod, newBillingPeriod }: PriceDifference) {
  return JSON.stringify([phaseName, oldPrice ?? ZERO, newPrice ?? ZERO, oldBillingPeriod, newBillingPeriod]);
}

function fixedDifferences(
  before: readonly BillingEvent[],
  after: readonly BillingEvent[],
  billedThrough: LocalDate | null,
) {
  if (before.length === 0 || after.length === 0) return [];
  const [old, now] = [fixedCharges(before), fixedCharges(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const [was, is] = [old.get(key), now.get(key)];
    const isBilled = was !== undefined && billedThrough !== null && was.localDate <= billedThrough;
    const isMoved = is !== undefined && !(is.localDate === was?.localDate && is.planName === was.planName);
    return isBilled && !isMoved ? [] : (fixedDifference(was, is) ?? []);
  });
}

/**
 * Returns the events that charge a fixed price, by phase and occurrence. A phase may begin on a different day in each
 * stream.
 */
function fixedCharges(events: readonly BillingEvent[]) {
  const charges = events.filter(({ fixedPrice }) => !isZero(fixedPrice));
  return new Map(
    [...Map.groupBy(charges, ({ phaseName }) => phaseName)].flatMap(([phaseName, charged]) =>
      charged.map((event, index) => [`${phaseName} ${index}`, event] as const),
    ),
  );
}

function fixedDifference(old: BillingEvent | undefined, now: BillingEvent | undefined) {
  const event = now ?? old;
  const [oldPrice, newPrice] = [old?.fixedPrice ?? null, now?.fixedPrice ?? null];
  if (!isNamed(event) || differenceOf(oldPrice, newPrice).isZero()) return null;
  return {
    ...differenceOn(event, oldPrice, newPrice),
    priceType: PriceType.FIXED,
    usage: null,
    from: { at: event.effectiveDate, date: event.localDate },
    oldBillingPeriod: null,
    newBillingPeriod: null,
  };
}

function isZero(price: Decimal | null): boolean {
  return price?.isZero() ?? true;
}

/** A price or a limit of a usage section. */
interface Line {
  readonly tier: number;
  readonly unit: string | null;
  readonly price: Decimal;
  readonly size: Decimal | null;
  readonly max: Decimal | null;
}

/**
 * Returns one entry per time span for each changed block, tier or limit. Compares only sections that exist in both
 * streams.
 */
function usageDifferences(before: readonly BillingEvent[], after: readonly BillingEvent[]) {
  const differences: PriceDifference[] = [];
  let open: ReadonlyMap<string, string> = new Map();
  for (const pair of eventPairs(before, after)) {
    const found = differencesAt(pair);
    differences.push(...found.filter(({ key, content }) => open.get(key) !== content).map(({ one }) => one));
    open = new Map(found.map(({ key, content }) => [key, content]));
  }
  return differences;
}

function differencesAt({ at, old, now }: EventPair) {
  if (!old?.planName || !isNamed(now)) return [];
  const from = { at, date: now.effectiveDate === at ? now.localDate : old.localDate };
  return now.usages.flatMap((section) => {
    const earlier = old.usages.find(({ name }) => name === section.name);
    if (earlier === undefined || earlier === section) return [];
    const periods = { oldBillingPeriod: earlier.billingPeriod, newBillingPeriod: section.billingPeriod };
    return sectionDifferences(earlier, section).map(({ usage, oldPrice, newPrice }) => {
      const catalogEffectiveDate = section.versionDate;
      const one: PriceDifference = {
        ...differenceOn(now, oldPrice, newPrice),
        ...periods,
        usage,
        priceType: PriceType.USAGE,
        catalogEffectiveDate,
        from,
      };
      return {
        one,
        key: JSON.stringify([usage.usageName, usage.tier, usage.unitType]),
        content: JSON.stringify([now.phaseName, oldPrice, newPrice, periods, usage]),
      };
    });
  });
}

function sectionDifferences(old: UsageSection, now: UsageSection) {
  const [was, is] = [linesOf(old), linesOf(now)];
  const [oldPolicy, newPolicy] = [policyOf(old), policyOf(now)];
  const isChanged = oldPolicy !== newPolicy || old.billingPeriod !== now.billingPeriod;
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [one, other] = [was.get(key), is.get(key)];
    const line = other ?? one;
    if (line === undefined || (!isChanged && isSameLine(one, other))) return [];
    const [oldPrice, newPrice] = [one?.price ?? null, other?.price ?? null];
    const usage = {
      usageName: now.name,
      tier: line.tier,
      unitType: line.unit,
      oldBlockSize: one?.size ?? null,
      newBlockSize: other?.size ?? null,
      oldMax: one?.max ?? null,
      newMax: other?.max ?? null,
      oldTierBlockPolicy: oldPolicy,
      newTierBlockPolicy: newPolicy,
    };
    return [{ oldPrice, newPrice, usage }];
  });
}

function linesOf(section: UsageSection) {
  const lines: readonly Line[] =
    section.usageType === 'CAPACITY'
      ? section.tiers.flatMap(({ price, limits }, index) => {
          const tier = { tier: index + 1, price, size: null };
          return [
            { ...tier, unit: null, max: null },
            ...limits.map(({ unit, max }) => ({ ...tier, unit, max })),
          ];
        })
      : section.tiers.flatMap(({ blocks }, index) => blocks.map((block) => ({ ...block, tier: index + 1 })));
  return new Map(lines.map((line) => [JSON.stringify([line.tier, line.unit]), line]));
}

/**
 * Returns true if the lines of two sections match. A changed limit has its own line; the price of its tier has another
 * line.
 */
function isSameLine(one: Line | undefined, other: Line | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const isLimit = one.unit !== null && one.size === null && other.size === null;
  return (
    (isLimit || one.price.equals(other.price)) &&
    isSameNumber(one.size, other.size) &&
    isSameNumber(one.max, other.max)
  );
}

function isSameNumber(one: Decimal | null, other: Decimal | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

function policyOf(section: UsageSection) {
  return section.usageType === 'CAPACITY' ? null : section.tierBlockPolicy;
}
