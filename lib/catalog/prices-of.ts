import type { InternationalPrice, PlanPhase, Usage } from './model.ts';

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

function present(prices: readonly (InternationalPrice | null)[]): readonly InternationalPrice[] {
  return prices.filter((price) => price !== null);
}
