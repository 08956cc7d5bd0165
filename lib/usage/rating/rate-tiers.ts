import type { CapacitySection, CapacityTier, ConsumableSection, UsageBlock } from '../../records/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import { compareText, type Quantities, quantityOf, unitsOf } from './quantities.ts';
import { type BlockLine, type Overflow, OverflowPolicy, type PeakLine } from './rated-usage.ts';

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

/** `ceilDiv` of §5: how many blocks of `size` hold `units`, whole ones; 0 where nothing was used. */
export function blocksNeeded(units: Decimal, size: Decimal): Decimal {
  if (units.lessThanOrEqualTo(ZERO)) return ZERO;
  const full = units.dividedToIntegerBy(size);
  // Not a rounded quotient: what is left of a block decides, however small it is.
  return units.modulo(size).isZero() ? full : full.plus(1);
}

export interface RatedPeaks {
  /** Of the section as a whole (§5.4 rule 5). */
  readonly price: Decimal;
  readonly lines: readonly PeakLine[];
  readonly overflow: readonly Overflow[];
}

/** The tier that all peaks fit into, and for each unit the one that it needs by itself (§5.4). */
export function rateCapacity(section: CapacitySection, peaks: Quantities): RatedPeaks {
  const { tiers } = section;
  const units = unitsOf(section);
  const fits = (tier: CapacityTier) => units.every((unit) => holds(tier, unit, peaks));
  const complying = tiers.find(fits);
  const isIdle = units.every((unit) => peakOf(peaks, unit).isZero());
  return {
    price: isIdle ? ZERO : ((complying ?? tiers.at(-1))?.price ?? ZERO),
    lines: units
      .map((unit) => peakLine(tiers, unit, peaks))
      .sort((a, b) => a.tier - b.tier || compareText(a.unit, b.unit)),
    overflow: complying === undefined ? units.flatMap((unit) => beyondLast(tiers, unit, peaks)) : [],
  };
}

/** Amounts below 0 correct others, and are no usage. */
function peakOf(peaks: Quantities, unit: string): Decimal {
  const peak = quantityOf(peaks, unit);
  return peak.isNegative() ? ZERO : peak;
}

function peakLine(tiers: readonly CapacityTier[], unit: string, peaks: Quantities): PeakLine {
  const index = tiers.findIndex((tier) => holds(tier, unit, peaks));
  const place = index < 0 ? tiers.length - 1 : index;
  return { tier: place + 1, unit, price: tiers[place]?.price ?? ZERO, quantity: peakOf(peaks, unit) };
}

function holds(tier: CapacityTier, unit: string, peaks: Quantities): boolean {
  const max = maxOf(tier, unit);
  return max === null || peakOf(peaks, unit).lessThanOrEqualTo(max);
}

/** How far the peak of a unit lies above the last limit. */
function beyondLast(tiers: readonly CapacityTier[], unit: string, peaks: Quantities): readonly Overflow[] {
  const last = tiers.at(-1);
  const max = last === undefined ? null : maxOf(last, unit);
  const peak = peakOf(peaks, unit);
  return max !== null && peak.greaterThan(max) ? [{ unit, quantity: peak.minus(max) }] : [];
}

function maxOf({ limits }: CapacityTier, unit: string): Decimal | null {
  return limits.find((limit) => limit.unit === unit)?.max ?? null;
}
