import type { ConsumableSection, UsageSection } from '../../records/index.ts';
import {
  type Currency,
  type Decimal,
  decimal,
  prorate,
  roundToCurrency,
  sum,
  ZERO,
} from '../../values/money/index.ts';
import { type Quantities, quantityOf, unitsOf } from './quantities.ts';
import { rateCapacity, rateConsumable } from './rate-tiers.ts';
import type { BlockLine, OverflowPolicy, PeriodShare, RatedUsage } from './rated-usage.ts';
import type { SectionTerms } from './usage-terms.ts';

export interface RatingInput {
  readonly section: UsageSection;
  readonly quantities: Quantities;
  readonly currency: Currency;
  readonly overflow: OverflowPolicy;
  /** What is agreed beyond the prices (§12); default nothing. */
  readonly terms?: SectionTerms | null;
  /** The share of a period that is rated, by which the minimum of the terms is prorated; default null: a whole period. */
  readonly share?: PeriodShare | null;
}

/**
 * What a section charges for the usage of one interval (§5, §12). Runs, dry runs, previews and explanations have every amount
 * from here.
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
    const lines = agreed.length === 0 ? peaks : [...peaks, sectionPriceLine(price), ...agreed];
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
 * What the lines of terms are named by in the place of a unit; no unit of a catalog has a space. Their block size is 0, so
 * that nobody takes them for blocks.
 */
export const TermLine = {
  FREE: 'free of',
  FLAT_FEE: 'flat fee',
  SECTION_PRICE: 'section price',
  PERCENT_OFF: 'percent off',
  MINIMUM: 'minimum amount',
  MAXIMUM: 'maximum amount',
} as const;

/** What is left to be charged, and a line for each unit of which some is free. */
export function withoutFreeQuantities(
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

/** A line for each tier that is used and has a flat fee; of TOP_TIER the one that is reached. */
export function flatFees(
  { tiers }: ConsumableSection,
  lines: readonly BlockLine[],
  { tierFlatFee }: SectionTerms,
): readonly BlockLine[] {
  if (!tierFlatFee) return [];
  const used = new Set(lines.filter(({ quantity }) => quantity.greaterThan(ZERO)).map(({ tier }) => tier));
  return tiers.flatMap(({ flatFee = null }, index): readonly BlockLine[] => {
    const tier = index + 1;
    if (flatFee === null || !used.has(tier)) return [];
    return [termLine(TermLine.FLAT_FEE, { tier, price: flatFee })];
  });
}

export interface Spending {
  readonly currency: Currency;
  /** Of the period; null = the whole. */
  readonly share: PeriodShare | null;
}

/** The amount that the terms guarantee for a share of a period, rounded to the currency (§12.1). */
function minimumOf({ minimumAmount }: SectionTerms, { currency, share }: Spending): Decimal {
  const amount = minimumAmount.get(currency) ?? ZERO;
  return share === null ? amount : prorate({ amount, ...share, currency });
}

/** Lines that take the percentage off, and keep what a section comes to between its bounds; in this order (§12). */
export function spendLines(exact: Decimal, terms: SectionTerms, spending: Spending): readonly BlockLine[] {
  const { percentOff, maximumAmount } = terms;
  const { currency } = spending;
  const off = percentOff === null ? ZERO : exact.times(percentOff).dividedBy(decimal(100));
  const lines = off.isZero() ? [] : [termLine(TermLine.PERCENT_OFF, { price: off.negated() })];
  const reduced = exact.minus(off);
  const maximum = maximumAmount.get(currency);
  const over = maximum !== undefined && reduced.greaterThan(maximum) ? reduced.minus(maximum) : ZERO;
  if (!over.isZero()) lines.push(termLine(TermLine.MAXIMUM, { price: over.negated() }));
  const limited = reduced.minus(over);
  const minimum = minimumOf(terms, spending);
  if (limited.lessThan(minimum)) lines.push(termLine(TermLine.MINIMUM, { price: minimum.minus(limited) }));
  return lines;
}

/** The price of a section that has no blocks, as a line to add others to. */
export function sectionPriceLine(price: Decimal): BlockLine {
  return termLine(TermLine.SECTION_PRICE, { price });
}

export function amountOf(lines: readonly BlockLine[]): Decimal {
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

function lesser(a: Decimal, b: Decimal): Decimal {
  return a.lessThan(b) ? a : b;
}
