import type { Decimal } from '../../values/money/index.ts';
import type { BillingPeriod, Instant } from '../../values/time/index.ts';
import type { TierBlockPolicy } from '../catalog/catalog-enumerations.ts';

/** A usage section that is billed in arrears, with its prices in the account's currency (usage §4). */
export type UsageSection = ConsumableSection | CapacitySection;

export interface SectionFacts {
  readonly name: string;
  readonly prettyName: string;
  readonly billingPeriod: BillingPeriod;
  /**
   * Effective date of the section's catalog version. For an override plan, this is the version of the overridden
   * plan.
   */
  readonly versionDate: Instant;
  /**
   * Identity of the prices. Sections with the same name, version and prices have the same identity (usage §4.1 rule 5).
   */
  readonly priceIdentity: string;
}

/** Charges blocks of consumed units. */
export interface ConsumableSection extends SectionFacts {
  readonly usageType: 'CONSUMABLE';
  readonly tierBlockPolicy: TierBlockPolicy;
  /** Tiers of the section, at least one. Each tier contains each unit of the section once. */
  readonly tiers: readonly ConsumableTier[];
}

export interface ConsumableTier {
  readonly blocks: readonly UsageBlock[];
  /** Flat fee. It is charged if the tenant's usage terms require it. Defaults to null. */
  readonly flatFee?: Decimal | null;
}

export interface UsageBlock {
  readonly unit: string;
  /** Number of units per block. It is above 0 and may be a fraction. */
  readonly size: Decimal;
  /** Number of blocks in the tier. Null means unlimited. */
  readonly max: Decimal | null;
  /** Price of a block. */
  readonly price: Decimal;
}

/** A section that charges the price of the tier that covers the peaks of all units. */
export interface CapacitySection extends SectionFacts {
  readonly usageType: 'CAPACITY';
  readonly tiers: readonly CapacityTier[];
}

export interface CapacityTier {
  readonly limits: readonly UsageLimit[];
  readonly price: Decimal;
}

export interface UsageLimit {
  readonly unit: string;
  /** Limit of the unit. Null means unlimited. */
  readonly max: Decimal | null;
}
