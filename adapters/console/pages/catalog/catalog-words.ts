import type { ResultOf } from '../../core/api.ts';
import { money, quantity, words } from '../../core/format.ts';
import { texts } from '../../texts.ts';

export type Catalog = ResultOf<'catalogs', 'current'>;
export type CatalogVersion = Catalog['versions'][number];
export type Plan = CatalogVersion['plans'][number];
export type Phase = Plan['phases'][number];
type Usage = Phase['usages'][number];
type PriceSet = NonNullable<Phase['fixed']>['price'];
type Setting = NonNullable<Plan['features']>[number];
type RuleCases = CatalogVersion['rules'][keyof CatalogVersion['rules']];

/** Returns the duration of a phase, such as `14 days`. */
export function durationText({ duration }: Phase): string {
  if (duration.unit === 'UNLIMITED') return texts.catalog.forever;
  const unit = duration.unit.toLowerCase();
  return `${duration.number} ${duration.number === 1 ? unit.replace(/s$/, '') : unit}`;
}

/** Returns the prices of a phase in a currency, such as `€45.00 monthly`. */
export function phasePrices(phase: Phase, currency: string): readonly string[] {
  const { fixed, recurring } = phase;
  return [
    ...(fixed === null ? [] : [texts.catalog.once(priceText(fixed.price, currency))]),
    ...(recurring?.price
      ? [
          texts.catalog.each(
            priceText(recurring.price, currency),
            words(recurring.billingPeriod).toLowerCase(),
          ),
        ]
      : []),
    ...phase.usages.flatMap((usage) => usagePrices(usage, currency)),
  ];
}

function priceText(price: PriceSet, currency: string): string {
  if (price.prices.length === 0) return texts.catalog.free;
  const found = price.prices.find((each) => each.currency === currency);
  return found?.amount ? money(found.amount.text, currency) : texts.catalog.notSold;
}

function usagePrices(usage: Usage, currency: string): readonly string[] {
  return usage.tiers.flatMap((tier, index) => {
    const name = usage.tiers.length === 1 ? usage.name : texts.catalog.tier(usage.name, index + 1);
    if (usage.usageType === 'CAPACITY')
      return [
        `${name}: ${tier.recurringPrice === null ? texts.catalog.free : priceText(tier.recurringPrice, currency)}`,
      ];
    return tier.blocks.map(({ unit, size, prices, max }) => {
      const block = size.text === '1' ? unit : `${quantity(size.text)} ${unit}`;
      const limit = Number(max.text) < 0 ? '' : texts.catalog.upTo(quantity(max.text));
      return `${name}: ${texts.catalog.per(priceText(prices, currency), block)}${limit}`;
    });
  });
}

/** Returns the value of a feature, such as `1,000 per month, then billed`. */
export function settingText({ value, per, perQuantity, overage }: Setting): string {
  const amount =
    value === 'true' ? texts.common.yes : value === 'false' ? texts.common.no : numberOrText(value);
  return [
    amount,
    ...(perQuantity ? [texts.catalog.perSeat] : []),
    ...(per ? [texts.catalog.perPeriod(words(per).toLowerCase())] : []),
    ...(overage ? [texts.catalog.overage[overage]] : []),
  ].join(', ');
}

function numberOrText(value: string | null | undefined): string {
  return value && /^[0-9.]+$/.test(value) ? quantity(value) : (value ?? texts.catalog.unlimited);
}

/** Returns a rule as a sentence, such as `from product Team, to product Starter: End of term`. */
export function ruleTexts(cases: RuleCases): readonly string[] {
  return cases.map(({ conditions, result }) => {
    const named = Object.entries(conditions)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${words(name.replaceAll(/([A-Z])/g, ' $1')).toLowerCase()} ${value}`);
    return `${named.length === 0 ? texts.catalog.otherwise : named.join(', ')}: ${words(result)}`;
  });
}
