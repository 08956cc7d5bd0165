import type { BillingEvent, TierBlockPolicy } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import type { BillingPeriod, DatedInstant, Instant } from '../../values/time/index.ts';

/** RECURRING is charged for every billing period, FIXED once, USAGE for what was used. */
export const PriceType = { RECURRING: 'RECURRING', FIXED: 'FIXED', USAGE: 'USAGE' } as const;
export type PriceType = (typeof PriceType)[keyof typeof PriceType];

/** From `from` on (for a fixed price: at that date) a subscription pays another price than before. */
export interface PriceDifference {
  readonly subscriptionId: Uuid;
  readonly bundleId: Uuid;
  readonly planName: string;
  readonly phaseName: string;
  readonly priceType: PriceType;
  readonly from: DatedInstant;
  /** null for a price that is not one of usage. */
  readonly usage: UsagePriceTerms | null;
  /** Prices of a quantity of one, a recurring price for its billing period; null = none. */
  readonly oldPrice: Decimal | null;
  readonly newPrice: Decimal | null;
  /** New minus old. */
  readonly difference: Decimal;
  /** null for a fixed price. Of usage: how often it is billed. */
  readonly oldBillingPeriod: BillingPeriod | null;
  readonly newBillingPeriod: BillingPeriod | null;
  /** Date of the version that supplies the new price. */
  readonly catalogEffectiveDate: Instant | null;
}

/** Which price of a usage section it is, and what is had for it before and after. */
export interface UsagePriceTerms {
  readonly usageName: string;
  /** From 1. */
  readonly tier: number;
  /** The price is that of a block of the unit. null: that of the tier of a CAPACITY section, whatever its units. */
  readonly unitType: string | null;
  /** Units of a block; null for CAPACITY, and where there is no such price. */
  readonly oldBlockSize: Decimal | null;
  readonly newBlockSize: Decimal | null;
  /** How many blocks the tier holds or, of CAPACITY, its limit of the unit; null = any number. */
  readonly oldMax: Decimal | null;
  readonly newMax: Decimal | null;
  /** null for CAPACITY. */
  readonly oldTierBlockPolicy: TierBlockPolicy | null;
  readonly newTierBlockPolicy: TierBlockPolicy | null;
}

/** What is in force in each of two streams from an instant on. */
export interface EventPair {
  readonly at: Instant;
  readonly old: BillingEvent | undefined;
  readonly now: BillingEvent | undefined;
}

/** The instants at which either of the streams has an event. */
export function* eventPairs(
  before: readonly BillingEvent[],
  after: readonly BillingEvent[],
): Generator<EventPair> {
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

/** A missing price counts as 0. */
export function differenceOf(old: Decimal | null, now: Decimal | null): Decimal {
  return (now ?? ZERO).minus(old ?? ZERO);
}
