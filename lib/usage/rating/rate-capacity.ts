import type { CapacitySection, CapacityTier } from '../../records/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import { type Quantities, quantityOf, unitsOf } from './quantities.ts';
import type { Overflow, PeakLine } from './rated-usage.ts';
import { compareText } from './text-order.ts';

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
