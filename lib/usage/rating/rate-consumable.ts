import type { ConsumableSection, UsageBlock } from '../../records/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import { blocksNeeded } from './blocks-needed.ts';
import { type Quantities, quantityOf, unitsOf } from './quantities.ts';
import { type BlockLine, type Overflow, OverflowPolicy } from './rated-usage.ts';

export interface RatedBlocks {
  readonly lines: readonly BlockLine[];
  readonly overflow: readonly Overflow[];
}

/** The lines of a CONSUMABLE section: each unit by itself, in the order of §5.3. */
export function rateConsumable(
  section: ConsumableSection,
  quantities: Quantities,
  policy: OverflowPolicy,
): RatedBlocks {
  const rated = unitsOf(section).map((unit): RatedBlocks => {
    const blocks = blocksOf(section, unit);
    const units = quantityOf(quantities, unit);
    return section.tierBlockPolicy === 'TOP_TIER'
      ? { lines: topTier(blocks, units), overflow: [] }
      : allTiers(blocks, units, policy);
  });
  return {
    lines: rated.flatMap(({ lines }) => lines),
    overflow: rated.flatMap(({ overflow }) => overflow),
  };
}

/** A block of one unit with the number of its tier. */
interface TierBlock extends UsageBlock {
  readonly tier: number;
}

function blocksOf({ tiers }: ConsumableSection, unit: string): readonly TierBlock[] {
  return tiers.flatMap(({ blocks }, index) =>
    blocks.filter((block) => block.unit === unit).map((block) => ({ ...block, tier: index + 1 })),
  );
}

/** Each tier takes what it holds (§5.1). */
function allTiers(blocks: readonly TierBlock[], units: Decimal, policy: OverflowPolicy): RatedBlocks {
  const last = policy === OverflowPolicy.LAST_TIER ? blocks.at(-1) : undefined;
  const lines: BlockLine[] = [];
  let rest = units;
  for (const block of blocks) {
    const { used, left } = fill(block === last ? { ...block, max: null } : block, rest);
    if (block.tier === 1 || used.greaterThan(ZERO)) lines.push(lineOf(block, used));
    rest = left;
  }
  const unit = blocks[0]?.unit;
  const isOver = unit !== undefined && rest.greaterThan(ZERO);
  return { lines, overflow: isOver ? [{ unit, quantity: rest }] : [] };
}

/** The tier that is reached prices all units (§5.2). */
function topTier(blocks: readonly TierBlock[], units: Decimal): readonly BlockLine[] {
  let rest = units;
  for (const block of blocks) {
    const { left } = fill(block, rest);
    if (left.isZero() || block === blocks.at(-1)) return [lineOf(block, blocksNeeded(units, block.size))];
    rest = left;
  }
  return [];
}

/** Blocks that a tier takes of what is left, and what it leaves. */
function fill({ size, max }: UsageBlock, rest: Decimal): { readonly used: Decimal; readonly left: Decimal } {
  const need = blocksNeeded(rest, size);
  if (max === null || need.lessThanOrEqualTo(max)) return { used: need, left: ZERO };
  return { used: max, left: rest.minus(max.times(size)) };
}

function lineOf({ tier, unit, price, size }: TierBlock, quantity: Decimal): BlockLine {
  return { tier, unit, price, blockSize: size, quantity, amount: quantity.times(price) };
}
