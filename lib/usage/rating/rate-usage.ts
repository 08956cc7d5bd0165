import type { UsageSection } from '../../records/index.ts';
import { type Currency, roundToCurrency, sum } from '../../values/money/index.ts';
import type { Quantities } from './quantities.ts';
import { rateCapacity } from './rate-capacity.ts';
import { rateConsumable } from './rate-consumable.ts';
import type { OverflowPolicy, RatedUsage } from './rated-usage.ts';

export interface RatingInput {
  readonly section: UsageSection;
  readonly quantities: Quantities;
  readonly currency: Currency;
  readonly overflow: OverflowPolicy;
}

/**
 * What a section charges for the usage of one interval (§5). Runs, dry runs, previews and explanations have every amount
 * from here.
 */
export function rateUsage({ section, quantities, currency, overflow }: RatingInput): RatedUsage {
  if (section.usageType === 'CAPACITY') {
    const { price, ...rated } = rateCapacity(section, quantities);
    return { kind: 'CAPACITY', exact: price, amount: roundToCurrency(price, currency), ...rated };
  }
  const rated = rateConsumable(section, quantities, overflow);
  const exact = sum(rated.lines.map(({ amount }) => amount));
  return { kind: section.tierBlockPolicy, exact, amount: roundToCurrency(exact, currency), ...rated };
}
