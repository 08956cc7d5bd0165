import type {
  CapacitySection,
  CapacityTier,
  ConsumableSection,
  UsageBlock,
  UsageSection,
} from '../../records/index.ts';
import {
  type Currency,
  type Decimal,
  decimal,
  prorate,
  roundToCurrency,
  sum,
  ZERO,
} from '../../values/money/index.ts';
import { compareText, lesser, type Quantities, quantityOf, unitsOf } from './quantities.ts';
import {
  type BlockLine,
  type Overflow,
  OverflowPolicy,
  type PeakLine,
  type PeriodShare,
  type RatedUsage,
} from './rated-usage.ts';
import type { SectionTerms } from './usage-terms.ts';

interface RatingInput {
  readonly section: UsageSection;
  readonly quantities: Quantities;
  readonly currency: Currency;
  readonly overflow: OverflowPolicy;
  /** Usage terms that apply in addition to the prices (§12). Defaults to none. */
  readonly terms?: SectionTerms | null;
  /**
   * The share of the period that is rated. It prorates the minimum of the terms. Null (the default) means a whole
   * period.
   */
  readonly share?: PeriodShare | null;
}

/**
 * Returns the charge of a section for the usage of one interval (§5, §12). Used for runs, dry runs, previews and
 * explanations.
 */
export function rateUsage(input: RatingInput): RatedUsage {
  const { section, currency, overflow, terms = null, share = null } = input;
  const base = terms?.minimumAmount.get(currency);
  const minimum = share === null || base === undefined ? null : { base, ...share };
  const free = terms && withoutFreeQuantities(section, input.quantities, terms);
  const { quantities } = free ?? input;
  if (section.usageType === 'CAPACITY') {
    const { price, lines: peaks, overflow: over } = rateCapacity(section, quantities);
    const spend = terms === null ? [] : spendLines(price, terms, { currency, share });
    const exact = price.plus(amountOf(spend));
    const agreed = [...(free?.lines ?? []), ...spend];
    const lines =
      agreed.length === 0 ? peaks : [...peaks, termLine(TermLine.SECTION_PRICE, { price }), ...agreed];
    return {
      kind: 'CAPACITY',
      exact,
      amount: roundToCurrency(exact, currency),
      lines,
      minimum,
      overflow: over,
    };
  }
  const { lines: blocks, overflow: over } = rateConsumable(section, quantities, overflow);
  const charged =
    terms === null ? blocks : [...blocks, ...(free?.lines ?? []), ...flatFees(section, blocks, terms)];
  const spend = terms === null ? [] : spendLines(amountOf(charged), terms, { currency, share });
  const lines = spend.length === 0 ? charged : [...charged, ...spend];
  const exact = amountOf(lines);
  const { tierBlockPolicy: kind } = section;
  return { kind, exact, amount: roundToCurrency(exact, currency), lines, minimum, overflow: over };
}

/**
 * Names of the lines for usage terms. They are used in place of unit names. They contain spaces, which catalogs do not
 * allow in unit names. The block size of such a line is 0, so that the line does not count as blocks.
 */
export const TermLine = {
  FREE: 'free of',
  FLAT_FEE: 'flat fee',
  SECTION_PRICE: 'section price',
  PERCENT_OFF: 'percent off',
  MINIMUM: 'minimum amount',
  MAXIMUM: 'maximum amount',
} as const;

/** Returns the quantity that remains to be charged, and a line for each unit that has a free quantity. */
function withoutFreeQuantities(
  section: UsageSection,
  quantities: Quantities,
  { freeQuantity }: SectionTerms,
): { readonly quantities: Quantities; readonly lines: readonly BlockLine[] } {
  const left = new Map(quantities);
  const lines: BlockLine[] = [];
  for (const unit of unitsOf(section)) {
    const used = quantityOf(quantities, unit);
    const free = lesser(used, freeQuantity.get(unit) ?? ZERO);
    if (!free.greaterThan(ZERO)) continue;
    left.set(unit, used.minus(free));
    lines.push(termLine(`${TermLine.FREE} ${unit}`, { price: ZERO, quantity: free }));
  }
  return { quantities: left, lines };
}

/** Returns a line for each used tier with a flat fee. For TOP_TIER, only the reached tier is charged. */
function flatFees({ tiers }: ConsumableSection, lines: readonly BlockLine[], { tierFlatFee }: SectionTerms) {
  if (!tierFlatFee) return [];
  const used = new Set(lines.filter(({ quantity }) => quantity.greaterThan(ZERO)).map(({ tier }) => tier));
  return tiers.flatMap(({ flatFee = null }, index): readonly BlockLine[] => {
    const tier = index + 1;
    if (flatFee === null || !used.has(tier)) return [];
    return [termLine(TermLine.FLAT_FEE, { tier, price: flatFee })];
  });
}

interface Spending {
  readonly currency: Currency;
  /** The share of the period. Null means the whole period. */
  readonly share: PeriodShare | null;
}

/**
 * Returns lines for a section's discount, minimum and maximum, in this order (§12). The minimum is rounded (§12.1).
 */
function spendLines(exact: Decimal, terms: SectionTerms, { currency, share }: Spending) {
  const { percentOff, maximumAmount } = terms;
  const off = percentOff === null ? ZERO : exact.times(percentOff).dividedBy(decimal(100));
  const lines = off.isZero() ? [] : [termLine(TermLine.PERCENT_OFF, { price: off.negated() })];
  const reduced = exact.minus(off);
  const maximum = maximumAmount.get(currency);
  const over = maximum !== undefined && reduced.greaterThan(maximum) ? reduced.minus(maximum) : ZERO;
  if (!over.isZero()) lines.push(termLine(TermLine.MAXIMUM, { price: over.negated() }));
  const limited = reduced.minus(over);
  const whole = terms.minimumAmount.get(currency) ?? ZERO;
  const minimum = share === null ? whole : prorate({ amount: whole, ...share, currency });
  if (limited.lessThan(minimum)) lines.push(termLine(TermLine.MINIMUM, { price: minimum.minus(limited) }));
  return lines;
}

function amountOf(lines: readonly BlockLine[]): Decimal {
  return sum(lines.map(({ amount }) => amount));
}

function termLine(
  unit: string,
  {
    tier = 0,
    price,
    quantity = decimal(1),
  }: { readonly tier?: number; readonly price: Decimal; readonly quantity?: Decimal },
): BlockLine {
  return { tier, unit, price, blockSize: ZERO, quantity, amount: price.times(quantity) };
}

interface RatedBlocks {
  readonly lines: readonly BlockLine[];
  readonly overflow: readonly Overflow[];
}

/** Returns the lines of a CONSUMABLE section. Each unit is rated separately, in the order of §5.3. */
function rateConsumable(section: ConsumableSection, quantities: Quantities, policy: OverflowPolicy) {
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

/** A block of one unit, and the number of the tier to which it belongs. */
interface TierBlock extends UsageBlock {
  readonly tier: number;
}

function blocksOf({ tiers }: ConsumableSection, unit: string): readonly TierBlock[] {
  return tiers.flatMap(({ blocks }, index) =>
    blocks.filter((block) => block.unit === unit).map((block) => ({ ...block, tier: index + 1 })),
  );
}

/** Returns the lines of a policy that fills each tier up to its maximum (§5.1). */
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

/** Returns the lines of a policy in which the reached tier prices all units (§5.2). */
function topTier(blocks: readonly TierBlock[], units: Decimal): readonly BlockLine[] {
  let rest = units;
  for (const block of blocks) {
    const { left } = fill(block, rest);
    if (left.isZero() || block === blocks.at(-1)) return [lineOf(block, blocksNeeded(units, block.size))];
    rest = left;
  }
  return [];
}

/** Returns the blocks that a tier takes from the remaining quantity, and the quantity that then remains. */
function fill({ size, max }: UsageBlock, rest: Decimal): { readonly used: Decimal; readonly left: Decimal } {
  const need = blocksNeeded(rest, size);
  if (max === null || need.lessThanOrEqualTo(max)) return { used: need, left: ZERO };
  return { used: max, left: rest.minus(max.times(size)) };
}

function lineOf({ tier, unit, price, size }: TierBlock, quantity: Decimal): BlockLine {
  return { tier, unit, price, blockSize: size, quantity, amount: quantity.times(price) };
}

/**
 * Returns `ceilDiv` of §5: the number of whole blocks of `size` that are needed for `units`. Returns 0 if there is no
 * usage.
 */
function blocksNeeded(units: Decimal, size: Decimal): Decimal {
  if (units.lessThanOrEqualTo(ZERO)) return ZERO;
  const full = units.dividedToIntegerBy(size);
  // Any remainder, however small, is charged as a full block. Rounding the quotient could lose the remainder.
  return units.modulo(size).isZero() ? full : full.plus(1);
}

interface RatedPeaks {
  /** Price of the whole section (§5.4 rule 5). */
  readonly price: Decimal;
  readonly lines: readonly PeakLine[];
  readonly overflow: readonly Overflow[];
}

/** Returns the tier that covers all peaks and, for each unit, the tier that covers the peak of that unit (§5.4). */
function rateCapacity(section: CapacitySection, peaks: Quantities): RatedPeaks {
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

/** Returns the peak of a unit. Ignores amounts below 0, which correct other amounts. */
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

/** Returns the amount by which the peak of a unit exceeds the limit of the last tier. */
function beyondLast(tiers: readonly CapacityTier[], unit: string, peaks: Quantities): readonly Overflow[] {
  const last = tiers.at(-1);
  const max = last === undefined ? null : maxOf(last, unit);
  const peak = peakOf(peaks, unit);
  return max !== null && peak.greaterThan(max) ? [{ unit, quantity: peak.minus(max) }] : [];
}

function maxOf({ limits }: CapacityTier, unit: string): Decimal | null {
  return limits.find((limit) => limit.unit === unit)?.max ?? null;
}
