import { type PhaseType, UsageType } from '../../records/index.ts';
import { formatDecimal } from '../../values/money/index.ts';
import type { InternationalPrice, Plan, PlanPhase, TieredBlock, Usage } from '../model/catalog-model.ts';

/**
 * One price of a plan that can be overridden (§10 rule 2), as a text that equal targets share: the JSON list `FIXED`
 * phase type, `RECURRING` phase type, `BLOCK` phase type, usage, unit, size, max, occurrence, or `TIER` phase type,
 * usage, position. Phases are named by type, so that a target is the same in every version and in an override plan.
 */
export type PriceTarget = string & { readonly __brand: 'PriceTarget' };

/** A tiered block, compared by value; `occurrence` counts equal blocks of its section from 0. */
export interface BlockIdentity {
  readonly unit: string;
  readonly size: string;
  readonly max: string;
}

export const PriceTarget = {
  fixed: (phase: PhaseType): PriceTarget => targetOf('FIXED', phase),
  recurring: (phase: PhaseType): PriceTarget => targetOf('RECURRING', phase),
  block: (usage: UsageOfPhase, block: BlockIdentity, occurrence: number): PriceTarget =>
    targetOf('BLOCK', usage.phase, usage.usageName, block.unit, block.size, block.max, occurrence),
  /** The price of a CAPACITY tier, by its position from 0. */
  tier: (usage: UsageOfPhase, position: number): PriceTarget =>
    targetOf('TIER', usage.phase, usage.usageName, position),
} as const;

export interface UsageOfPhase {
  readonly phase: PhaseType;
  readonly usageName: string;
}

/** The parts of a target, as they are stored. */
export type TargetParts = readonly (string | number)[];

export function targetOf(...parts: TargetParts): PriceTarget {
  return JSON.stringify(parts) as PriceTarget;
}

export function partsOf(target: PriceTarget): TargetParts {
  return JSON.parse(target) as TargetParts;
}

/** Replaces a price; returning the same one changes nothing. */
export type PriceChange = (target: PriceTarget, price: InternationalPrice) => InternationalPrice;

/** The phase with every overridable price replaced; the rest stays. */
export function mapPrices(phase: PlanPhase, change: PriceChange): PlanPhase {
  const { type, fixed, recurring } = phase;
  return {
    ...phase,
    fixed: fixed && { ...fixed, price: change(PriceTarget.fixed(type), fixed.price) },
    recurring: recurring && {
      ...recurring,
      price: recurring.price && change(PriceTarget.recurring(type), recurring.price),
    },
    usages: phase.usages.map((usage) => mapUsagePrices(usage, type, change)),
  };
}

/** Every price of the plan that can be overridden. */
export function priceTargetsOf(plan: Plan): ReadonlySet<PriceTarget> {
  const targets = new Set<PriceTarget>();
  for (const phase of plan.phases) {
    mapPrices(phase, (target, price) => {
      targets.add(target);
      return price;
    });
  }
  return targets;
}

/** Counts equal blocks of a section in their order of appearance, from 0. */
export class BlockCounter {
  readonly #seen = new Map<string, number>();

  next({ unit, size, max }: BlockIdentity): number {
    const key = JSON.stringify([unit, size, max]);
    const occurrence = this.#seen.get(key) ?? 0;
    this.#seen.set(key, occurrence + 1);
    return occurrence;
  }
}

function mapUsagePrices(usage: Usage, phase: PhaseType, change: PriceChange): Usage {
  const section: UsageOfPhase = { phase, usageName: usage.name };
  const blocks = new BlockCounter();
  const changeBlock = (block: TieredBlock): TieredBlock => {
    const identity = identityOf(block);
    return {
      ...block,
      prices: change(PriceTarget.block(section, identity, blocks.next(identity)), block.prices),
    };
  };
  const isCapacity = usage.usageType === UsageType.CAPACITY;
  return {
    ...usage,
    tiers: usage.tiers.map((tier, position) => ({
      ...tier,
      blocks: tier.blocks.map(changeBlock),
      recurringPrice:
        isCapacity && tier.recurringPrice
          ? change(PriceTarget.tier(section, position), tier.recurringPrice)
          : tier.recurringPrice,
    })),
  };
}

function identityOf(block: TieredBlock): BlockIdentity {
  return { unit: block.unit, size: formatDecimal(block.size.value), max: formatDecimal(block.max.value) };
}
