import { BillingMode, UsageType } from '../../records/index.ts';
import type { Limit, PlanPhase, Tier, TieredBlock, Usage } from '../model/catalog-model.ts';

/** Returns the bounds of a tier. They are its limits for CAPACITY, and its blocks for CONSUMABLE. */
export function steps(usage: Usage, tier: Tier): readonly (Limit | TieredBlock)[] {
  return usage.usageType === UsageType.CAPACITY ? tier.limits : tier.blocks;
}

/** Returns the units that the usage sections of these phases bill. */
export function pricedUnits(phases: readonly Pick<PlanPhase, 'usages'>[]): ReadonlySet<string> {
  const billed = phases
    .flatMap(({ usages }) => usages)
    .filter(({ billingMode }) => billingMode === BillingMode.IN_ARREAR);
  return new Set(
    billed.flatMap((usage) => usage.tiers.flatMap((tier) => steps(usage, tier).map(({ unit }) => unit))),
  );
}
