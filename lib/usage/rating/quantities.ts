import type { UsageSection } from '../../records/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';

/** The quantity of each unit. Units without usage are omitted. */
export type Quantities = ReadonlyMap<string, Decimal>;

export const NO_USAGE: Quantities = new Map();

/** Points of one unit that are added up. They are either all points of a day or a single point. */
export interface UsageSum {
  readonly unit: string;
  readonly sum: Decimal;
  /** The largest single amount. */
  readonly max: Decimal;
}

/**
 * Returns the quantities that a section charges: the sum for CONSUMABLE, the peak for CAPACITY (§6.4). Omits units that
 * the section does not charge.
 */
export function quantitiesOf(section: UsageSection, sums: Iterable<UsageSum>): Quantities {
  const units = new Set(unitsOf(section));
  const quantities = new Map<string, Decimal>();
  for (const { unit, sum, max } of sums) {
    if (units.has(unit)) addTo(quantities, section, { unit, quantity: isPeak(section) ? max : sum });
  }
  return quantities;
}

/** Returns the combination of two quantities: the sum for CONSUMABLE, the higher peak for CAPACITY. */
export function together(section: UsageSection, a: Quantities, b: Quantities): Quantities {
  const all = new Map(a);
  for (const [unit, quantity] of b) addTo(all, section, { unit, quantity });
  return all;
}

export function quantityOf(quantities: Quantities, unit: string): Decimal {
  return quantities.get(unit) ?? ZERO;
}

/** Returns the units that a section charges, in the order in which its lines are listed (§5.3, §5.4). */
export function unitsOf(section: UsageSection): readonly string[] {
  const steps =
    section.usageType === 'CAPACITY'
      ? section.tiers.flatMap(({ limits }) => limits)
      : section.tiers.flatMap(({ blocks }) => blocks);
  return [...new Set(steps.map(({ unit }) => unit))].sort(compareText);
}

function addTo(
  quantities: Map<string, Decimal>,
  section: UsageSection,
  { unit, quantity }: { readonly unit: string; readonly quantity: Decimal },
): void {
  const before = quantities.get(unit);
  if (before === undefined) quantities.set(unit, quantity);
  else if (!isPeak(section)) quantities.set(unit, before.plus(quantity));
  else if (quantity.greaterThan(before)) quantities.set(unit, quantity);
}

function isPeak({ usageType }: UsageSection): boolean {
  return usageType === 'CAPACITY';
}

export function lesser(a: Decimal, b: Decimal): Decimal {
  return a.lessThan(b) ? a : b;
}

/** Compares two strings by code point, independent of the locale. */
export function compareText(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (const [index, character] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (character !== other) return (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
  }
  return left.length - right.length;
}
