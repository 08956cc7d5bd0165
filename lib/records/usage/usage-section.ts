import type { Decimal } from '../../values/money/index.ts';
import type { BillingPeriod, Instant } from '../../values/time/index.ts';
import type { TierBlockPolicy } from '../catalog/catalog-enumerations.ts';

/**
 * A usage section of a phase that is billed in arrear, as a billing event carries it: prices in the account's currency
 * (usage §4).
 */
export type UsageSection = ConsumableSection | CapacitySection;

export interface SectionFacts {
  readonly name: string;
  readonly prettyName: string;
  readonly billingPeriod: BillingPeriod;
  /** Effective date of the catalog version that it comes from; of an override plan, that of the plan it overrides. */
  readonly versionDate: Instant;
  /** Equal for two of one name and version just where all prices are (usage §4.1 rule 5). */
  readonly priceIdentity: string;
}

/** Charges blocks of what was used up. */
export interface ConsumableSection extends SectionFacts {
  readonly usageType: 'CONSUMABLE';
  readonly tierBlockPolicy: TierBlockPolicy;
  /** At least one; each has every unit of the section once. */
  readonly tiers: readonly ConsumableTier[];
}

export interface ConsumableTier {
  readonly blocks: readonly UsageBlock[];
  /** Charged where the tenant's usage terms say so; null = none. Default null. */
  readonly flatFee?: Decimal | null;
}

export interface UsageBlock {
  readonly unit: string;
  /** How many units a block holds; above 0, may be a fraction. */
  readonly size: Decimal;
  /** How many blocks the tier holds; null = any number. */
  readonly max: Decimal | null;
  /** Of one block. */
  readonly price: Decimal;
}

/** Charges the tier that the peak of every unit fits into. */
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
  /** null = no bound. */
  readonly max: Decimal | null;
}
