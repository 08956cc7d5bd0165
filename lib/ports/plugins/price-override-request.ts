import type { Decimal } from '../../values/money/index.ts';

/**
 * Prices of one phase that a caller wants instead of the plan's, in the account's currency (catalog §10 rule 1). The
 * phase is named by `phaseName`, else by `phaseType`. Absent and null members override nothing; one price must be given.
 */
export interface PriceOverrideRequest {
  /** If given, it must be the plan that is overridden. */
  readonly planName?: string | null | undefined;
  readonly phaseName?: string | null | undefined;
  readonly phaseType?: string | null | undefined;
  readonly fixedPrice?: Decimal | null | undefined;
  readonly recurringPrice?: Decimal | null | undefined;
  readonly usagePrices?: readonly UsagePriceOverride[] | null | undefined;
}

/** Prices of the usage section `usageName`; type, mode and policy are informative. */
export interface UsagePriceOverride {
  readonly usageName?: string | null | undefined;
  readonly usageType?: string | null | undefined;
  readonly billingMode?: string | null | undefined;
  readonly tierBlockPolicy?: string | null | undefined;
  readonly tierPrices?: readonly TierPriceOverride[] | null | undefined;
}

/** Prices of a tier: of its blocks, or of a CAPACITY tier, which is matched by its position in `tierPrices`. */
export interface TierPriceOverride {
  readonly blockPrices?: readonly BlockPriceOverride[] | null | undefined;
  readonly recurringPrice?: Decimal | null | undefined;
}

/**
 * The price of the tiered block with this unit, size and max (−1 = unbounded), compared by value; equal blocks are
 * addressed in their order of appearance, and one without a price keeps the plan's.
 */
export interface BlockPriceOverride {
  readonly unitName?: string | null | undefined;
  readonly size?: Decimal | null | undefined;
  readonly max?: Decimal | null | undefined;
  readonly price?: Decimal | null | undefined;
}
