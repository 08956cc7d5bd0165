import type { UsageSection } from '../../records/index.ts';
import { type Currency, roundToCurrency } from '../../values/money/index.ts';
import type { SectionTerms } from '../terms/section-terms.ts';
import { amountOf, flatFees, sectionPriceLine, spendLines, withoutFreeQuantities } from './apply-terms.ts';
import type { Quantities } from './quantities.ts';
import { rateCapacity } from './rate-capacity.ts';
import { rateConsumable } from './rate-consumable.ts';
import type { OverflowPolicy, RatedUsage } from './rated-usage.ts';

export interface RatingInput {
  readonly section: UsageSection;
  readonly quantities: Quantities;
  readonly currency: Currency;
  readonly overflow: OverflowPolicy;
  /** What is agreed beyond the prices (§12); default nothing. */
  readonly terms?: SectionTerms | null;
  /** Whether the terms' minimum holds; default true. */
  readonly hasMinimum?: boolean;
}

/**
 * What a section charges for the usage of one interval (§5, §12). Runs, dry runs, previews and explanations have every amount
 * from here.
 */
export function rateUsage(input: RatingInput): RatedUsage {
  const { section, currency, overflow, terms = null, hasMinimum = true } = input;
  const free = terms && withoutFreeQuantities(section, input.quantities, terms);
  const { quantities } = free ?? input;
  if (section.usageType === 'CAPACITY') {
    const { price, lines: peaks, overflow: over } = rateCapacity(section, quantities);
    const spend = terms === null ? [] : spendLines(price, terms, { currency, hasMinimum });
    const exact = price.plus(amountOf(spend));
    const agreed = [...(free?.lines ?? []), ...spend];
    const lines = agreed.length === 0 ? peaks : [...peaks, sectionPriceLine(price), ...agreed];
    return { kind: 'CAPACITY', exact, amount: roundToCurrency(exact, currency), lines, overflow: over };
  }
  const { lines: blocks, overflow: over } = rateConsumable(section, quantities, overflow);
  const charged =
    terms === null ? blocks : [...blocks, ...(free?.lines ?? []), ...flatFees(section, blocks, terms)];
  const spend = terms === null ? [] : spendLines(amountOf(charged), terms, { currency, hasMinimum });
  const lines = spend.length === 0 ? charged : [...charged, ...spend];
  const exact = amountOf(lines);
  const { tierBlockPolicy: kind } = section;
  return { kind, exact, amount: roundToCurrency(exact, currency), lines, overflow: over };
}
