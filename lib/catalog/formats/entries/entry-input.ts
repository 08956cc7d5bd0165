import type {
  BillingMode,
  PhaseType,
  ProductCategory,
  TierBlockPolicy,
  UsageType,
} from '../../../records/index.ts';
import type { Decimal } from '../../../values/money/index.ts';
import type { BillingPeriod, Instant, TimeUnit } from '../../../values/time/index.ts';

// What callers of the entry API give, with the names of json-models §13. What is absent, null or "" is the same.

export interface PriceInput {
  readonly currency?: string | null;
  readonly value?: Decimal | null;
}

export interface BlockInput {
  /** Name of the unit. */
  readonly billingMeterCode?: string | null;
  readonly size?: number | null;
  /** Number of blocks; default −1, unbounded. */
  readonly max?: number | null;
  readonly prices?: readonly PriceInput[] | null;
}

export interface TierInput {
  /** Default its place in the list, from 1. */
  readonly tierNumber?: number | null;
  readonly blocks?: readonly BlockInput[] | null;
}

export interface UsageInput {
  readonly usageName?: string | null;
  readonly prettyName?: string | null;
  readonly usageType?: UsageType | null;
  readonly billingPeriod?: BillingPeriod | null;
  /** Default ALL_TIERS. */
  readonly tierBlockPolicy?: TierBlockPolicy | null;
  readonly tiers?: readonly TierInput[] | null;
}

export interface PhaseInput {
  readonly prettyName?: string | null;
  readonly type?: PhaseType | null;
  readonly durationUnit?: TimeUnit | null;
  /** −1 or absent with UNLIMITED. */
  readonly durationLength?: number | null;
  /** Of a TRIAL: none = free. */
  readonly fixedPrices?: readonly PriceInput[] | null;
  readonly recurringPrices?: {
    readonly billingPeriod?: BillingPeriod | null;
    readonly prices?: readonly PriceInput[] | null;
  } | null;
  readonly usages?: readonly UsageInput[] | null;
}

/** A plan; the last phase is its final one. */
export interface PlanEntryInput {
  readonly name?: string | null;
  readonly prettyName?: string | null;
  /** Only IN_ADVANCE. */
  readonly recurringBillingMode?: BillingMode | null;
  readonly effectiveDate?: Instant | null;
  readonly effectiveDateForExistingSubscriptions?: Instant | null;
  readonly productName?: string | null;
  readonly pricelistName?: string | null;
  readonly phases?: readonly PhaseInput[] | null;
}

export interface ProductEntryInput {
  readonly name?: string | null;
  readonly prettyName?: string | null;
  readonly category?: ProductCategory | null;
  readonly availableForBps?: readonly string[] | null;
  readonly availableAddons?: readonly string[] | null;
}

export interface CatalogEntriesInput {
  /** Kept from the first call that gives one; it names the catalog of a tenant without an XML catalog. */
  readonly catalogName?: string | null;
  readonly plans?: readonly PlanEntryInput[] | null;
  readonly products?: readonly ProductEntryInput[] | null;
}
