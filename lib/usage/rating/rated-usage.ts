import type { Decimal } from '../../values/money/index.ts';
import type { PeriodShare } from '../intervals/period-share.ts';

/** What happens to units beyond the last tier of ALL_TIERS (§5.1 rule 4): `invoice.usage.overflow`. */
export const OverflowPolicy = { CAP: 'CAP', LAST_TIER: 'LAST_TIER' } as const;
export type OverflowPolicy = (typeof OverflowPolicy)[keyof typeof OverflowPolicy];

/** Blocks of one unit in one tier. */
export interface BlockLine {
  /** From 1. */
  readonly tier: number;
  readonly unit: string;
  /** Of one block. */
  readonly price: Decimal;
  readonly blockSize: Decimal;
  /** Blocks. */
  readonly quantity: Decimal;
  /** Quantity × price, not rounded. */
  readonly amount: Decimal;
}

/** The peak of one unit, and the first tier that it fits into by itself. */
export interface PeakLine {
  readonly tier: number;
  readonly unit: string;
  /** Of that tier, which may be another than the one that the section is charged. */
  readonly price: Decimal;
  readonly quantity: Decimal;
}

/** Units that no tier takes. */
export interface Overflow {
  readonly unit: string;
  readonly quantity: Decimal;
}

export interface ProratedMinimum extends PeriodShare {
  /** Of a whole period. */
  readonly base: Decimal;
}

interface RatedFacts {
  /** What the whole usage costs, not rounded. */
  readonly exact: Decimal;
  /** F of §7.3: the same, rounded to the currency (§5.5). */
  readonly amount: Decimal;
  /** The minimum of the terms and its share, where it is prorated. */
  readonly minimum: ProratedMinimum | null;
  /** Empty where every unit has a tier. */
  readonly overflow: readonly Overflow[];
}

export interface RatedConsumable extends RatedFacts {
  readonly kind: 'ALL_TIERS' | 'TOP_TIER';
  /** By unit, then tier (§5.3). */
  readonly lines: readonly BlockLine[];
}

export interface RatedCapacity extends RatedFacts {
  readonly kind: 'CAPACITY';
  /** By tier, then unit (§5.4); after them those of terms, which add up to the price of the section. */
  readonly lines: readonly (PeakLine | BlockLine)[];
}

/** What a section charges for the usage of one interval. */
export type RatedUsage = RatedConsumable | RatedCapacity;
