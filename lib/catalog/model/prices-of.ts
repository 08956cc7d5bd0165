import { BillingMode, UsageType } from '../../records/index.ts';
import type { InternationalPrice, PlanPhase, Usage } from './catalog-model.ts';

/** Every price of a usage section: its own, those of its blocks and tiers. */
export function pricesOfUsage(usage: Usage): readonly InternationalPrice[] {
  return present([
    usage.fixedPrice,
    usage.recurringPrice,
    ...usage.blocks.map((block) => block.prices),
    ...usage.tiers.flatMap((tier) => [
      tier.fixedPrice,
      tier.recurringPrice,
      ...tier.blocks.map((block) => block.prices),
    ]),
  ]);
}

/** Every price of a phase: fixed, recurring, then those of its usage sections. */
export function pricesOfPhase(
  phase: Pick<PlanPhase, 'fixed' | 'recurring' | 'usages'>,
): readonly InternationalPrice[] {
  return [
    ...present([phase.fixed?.price ?? null, phase.recurring?.price ?? null]),
    ...phase.usages.flatMap(pricesOfUsage),
  ];
}

/** The prices of a phase that invoices use: usage billed in advance is left out (§2 rule 3). */
export function billedPrices(
  phase: Pick<PlanPhase, 'fixed' | 'recurring' | 'usages'>,
): readonly InternationalPrice[] {
  return [
    ...present([phase.fixed?.price ?? null, phase.recurring?.price ?? null]),
    ...phase.usages.filter(({ billingMode }) => billingMode === BillingMode.IN_ARREAR).flatMap(ratedPrices),
  ];
}

function ratedPrices({ usageType, tiers }: Usage): readonly InternationalPrice[] {
  return usageType === UsageType.CAPACITY
    ? present(tiers.map(({ recurringPrice }) => recurringPrice))
    : tiers.flatMap(({ blocks }) => blocks.map(({ prices }) => prices));
}

function present(prices: readonly (InternationalPrice | null)[]): readonly InternationalPrice[] {
  return prices.filter((price) => price !== null);
}
