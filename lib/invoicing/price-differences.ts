import type { Uuid } from '../ids/index.ts';
import { type Decimal, ZERO } from '../money/index.ts';
import type { DatedInstant, Instant } from '../time/index.ts';
import type { BillingEvent } from './billing-event.ts';

/** From `from` on a subscription pays another recurring price than before. */
export interface PriceDifference {
  readonly subscriptionId: Uuid;
  readonly bundleId: Uuid;
  readonly planName: string;
  readonly phaseName: string;
  readonly from: DatedInstant;
  /** Recurring prices of one, per billing period; null = none. */
  readonly oldPrice: Decimal | null;
  readonly newPrice: Decimal | null;
  /** New minus old. */
  readonly difference: Decimal;
  /** Date of the version that supplies the new price. */
  readonly catalogEffectiveDate: Instant | null;
}

/**
 * Where two streams of one subscription have different recurring prices in force: one entry for each stretch of time with
 * one pair of prices in one phase, in time order. What begins or ends in one stream only is no difference of prices.
 */
export function priceDifferences(
  before: readonly BillingEvent[],
  after: readonly BillingEvent[],
): readonly PriceDifference[] {
  const differences: PriceDifference[] = [];
  let open: PriceDifference | undefined;
  for (const { effectiveDate: at, localDate: date } of inTimeOrder(before, after)) {
    const difference = differenceAt({ at, date }, lastUpTo(before, at), lastUpTo(after, at));
    if (difference !== undefined && !isSame(open, difference)) differences.push(difference);
    open = difference;
  }
  return differences;
}

function inTimeOrder(...streams: readonly (readonly BillingEvent[])[]): readonly BillingEvent[] {
  return streams.flat().toSorted((one, other) => one.effectiveDate - other.effectiveDate);
}

function lastUpTo(events: readonly BillingEvent[], at: Instant): BillingEvent | undefined {
  return events.findLast((event) => event.effectiveDate <= at);
}

function differenceAt(
  from: DatedInstant,
  old: BillingEvent | undefined,
  now: BillingEvent | undefined,
): PriceDifference | undefined {
  if (!old?.planName || !now?.planName || now.phaseName === null) return undefined;
  const [oldPrice, newPrice] = [old.recurringPrice, now.recurringPrice];
  if (isSamePrice(oldPrice, newPrice)) return undefined;
  return {
    subscriptionId: now.subscriptionId,
    bundleId: now.bundleId,
    planName: now.planName,
    phaseName: now.phaseName,
    from,
    oldPrice,
    newPrice,
    difference: (newPrice ?? ZERO).minus(oldPrice ?? ZERO),
    catalogEffectiveDate: now.catalogEffectiveDate,
  };
}

function isSame(one: PriceDifference | undefined, other: PriceDifference): boolean {
  return (
    one !== undefined &&
    one.phaseName === other.phaseName &&
    isSamePrice(one.oldPrice, other.oldPrice) &&
    isSamePrice(one.newPrice, other.newPrice)
  );
}

function isSamePrice(one: Decimal | null, other: Decimal | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}
