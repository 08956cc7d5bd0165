import type { BillingEvent } from '../../records/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import { differenceOf, eventPairs, type PriceDifference, PriceType } from './price-difference.ts';
import { usageDifferences } from './usage-price-differences.ts';

/**
 * Where two streams of one subscription charge differently, in time order: one entry for each stretch of time with one
 * pair of recurring prices in one phase, one for each fixed price, and one for each price of usage. A charge that begins or ends in one stream only is
 * not a difference of recurring prices or of usage, and a stream without events has nothing to compare. Neither is
 * another amount of a fixed price that is billed already: it stays as it is (§6 rule 6).
 * @param billedThrough last day whose fixed prices in `before` are billed; null = none is.
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

function recurringDifferences(
  before: readonly BillingEvent[],
  after: readonly BillingEvent[],
): readonly PriceDifference[] {
  const differences: PriceDifference[] = [];
  let open: PriceDifference | undefined;
  for (const { at, old, now } of eventPairs(before, after)) {
    const difference = recurringDifference(at, old, now);
    if (difference !== undefined && !isSame(open, difference)) differences.push(difference);
    open = difference;
  }
  return differences;
}

function recurringDifference(
  at: Instant,
  old: BillingEvent | undefined,
  now: BillingEvent | undefined,
): PriceDifference | undefined {
  if (!old?.planName || !now?.planName || now.phaseName === null) return undefined;
  const [oldPrice, newPrice] = [old.recurringPrice, now.recurringPrice];
  const isFree = isZero(oldPrice) && isZero(newPrice);
  if (isFree || (isSamePrice(oldPrice, newPrice) && old.billingPeriod === now.billingPeriod))
    return undefined;
  return {
    subscriptionId: now.subscriptionId,
    bundleId: now.bundleId,
    planName: now.planName,
    phaseName: now.phaseName,
    priceType: PriceType.RECURRING,
    usage: null,
    from: { at, date: now.effectiveDate === at ? now.localDate : old.localDate },
    oldPrice,
    newPrice,
    difference: differenceOf(oldPrice, newPrice),
    oldBillingPeriod: old.billingPeriod,
    newBillingPeriod: now.billingPeriod,
    catalogEffectiveDate: now.catalogEffectiveDate,
  };
}

function fixedDifferences(
  before: readonly BillingEvent[],
  after: readonly BillingEvent[],
  billedThrough: LocalDate | null,
): readonly PriceDifference[] {
  if (before.length === 0 || after.length === 0) return [];
  const [old, now] = [fixedCharges(before), fixedCharges(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const [was, is] = [old.get(key), now.get(key)];
    return staysAsBilled(was, is, billedThrough) ? [] : (fixedDifference(was, is) ?? []);
  });
}

/** True if the charge is billed and the other stream has none, or has it on the same day. */
function staysAsBilled(
  old: BillingEvent | undefined,
  now: BillingEvent | undefined,
  billedThrough: LocalDate | null,
): boolean {
  if (old === undefined || billedThrough === null || old.localDate > billedThrough) return false;
  return now === undefined || (now.localDate === old.localDate && now.planName === old.planName);
}

/**
 * The events that charge a fixed price, by phase and by how many times the phase has charged one: a phase may begin on
 * another day.
 */
function fixedCharges(events: readonly BillingEvent[]): ReadonlyMap<string, BillingEvent> {
  const charges = events.filter(({ fixedPrice }) => !isZero(fixedPrice));
  return new Map(
    [...Map.groupBy(charges, ({ phaseName }) => phaseName)].flatMap(([phaseName, charged]) =>
      charged.map((event, index) => [`${phaseName} ${index}`, event] as const),
    ),
  );
}

function fixedDifference(
  old: BillingEvent | undefined,
  now: BillingEvent | undefined,
): PriceDifference | undefined {
  const event = now ?? old;
  if (!event?.planName || event.phaseName === null) return undefined;
  const [oldPrice, newPrice] = [old?.fixedPrice ?? null, now?.fixedPrice ?? null];
  if (isSamePrice(oldPrice, newPrice)) return undefined;
  return {
    subscriptionId: event.subscriptionId,
    bundleId: event.bundleId,
    planName: event.planName,
    phaseName: event.phaseName,
    priceType: PriceType.FIXED,
    usage: null,
    from: { at: event.effectiveDate, date: event.localDate },
    oldPrice,
    newPrice,
    difference: differenceOf(oldPrice, newPrice),
    oldBillingPeriod: null,
    newBillingPeriod: null,
    catalogEffectiveDate: event.catalogEffectiveDate,
  };
}

function isSame(one: PriceDifference | undefined, other: PriceDifference): boolean {
  return (
    one !== undefined &&
    one.phaseName === other.phaseName &&
    isSamePrice(one.oldPrice, other.oldPrice) &&
    isSamePrice(one.newPrice, other.newPrice) &&
    one.oldBillingPeriod === other.oldBillingPeriod &&
    one.newBillingPeriod === other.newBillingPeriod
  );
}

function isSamePrice(one: Decimal | null, other: Decimal | null): boolean {
  return differenceOf(one, other).isZero();
}

function isZero(price: Decimal | null): boolean {
  return price?.isZero() ?? true;
}
