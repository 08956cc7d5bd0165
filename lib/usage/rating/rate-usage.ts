import type { UsageSection } from '../../records/index.ts';
import { type Currency, roundToCurrency } from '../../values/money/index.ts';
import type { PeriodShare } from '../intervals/period-share.ts';
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
