import { money, quantity, type ResultOf, words } from '../../core/index.ts';
import { texts } from '../../texts.ts';

const t = texts.catalog;

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
  if (duration.unit === 'UNLIMITED') return t.forever;
  const unit = duration.unit.toLowerCase();
  return `${duration.number} ${duration.number === 1 ? unit.replace(/s$/, '') : unit}`;
}

/** Returns the prices of a phase in a currency, such as `€45.00 monthly`. */
export function phasePrices(phase: Phase, currency: string): readonly string[] {
  const { fixed, recurring } = phase;
  return [
    ...(fixed === null ? [] : [t.once(priceText(fixed.price, currency))]),
    ...(recurring?.price
      ? [texts.timeline.price(priceText(recurring.price, currency), recurring.billingPeriod)]
      : []),
    ...phase.usages.flatMap((usage) => usagePrices(usage, currency)),
  ];
}

function priceText(price: PriceSet, currency: string): string {
  if (price.prices.length === 0) return t.free;
  const found = price.prices.find((each) => each.currency === currency);
  return found?.amount ? money(found.amount.text, currency) : t.notSold;
}

function usagePrices(usage: Usage, currency: string): readonly string[] {
  return usage.tiers.flatMap((tier, index) => {
    const name = usage.tiers.length === 1 ? usage.name : t.tier(usage.name, index + 1);
    if (usage.usageType === 'CAPACITY')
      return [`${name}: ${tier.recurringPrice === null ? t.free : priceText(tier.recurringPrice, currency)}`];
    return tier.blocks.map(({ unit, size, prices, max }) => {
      const block = size.text === '1' ? unit : `${quantity(size.text)} ${unit}`;
      const limit = Number(max.text) < 0 ? '' : t.upTo(quantity(max.text));
      return `${name}: ${t.per(priceText(prices, currency), block)}${limit}`;
    });
  });
}

/** Returns the value of a feature, such as `1,000 per month, then billed`. */
export function settingText({ value, per, perQuantity, overage }: Setting): string {
  const amount =
    value === 'true' ? texts.common.yes : value === 'false' ? texts.common.no : numberOrText(value);
  return [
    amount,
    ...(perQuantity ? [t.perSeat] : []),
    ...(per ? [t.perPeriod(words(per).toLowerCase())] : []),
    ...(overage ? [t.overage[overage]] : []),
  ].join(', ');
}

function numberOrText(value: string | null | undefined): string {
  return value && /^[0-9.]+$/.test(value) ? quantity(value) : (value ?? t.unlimited);
}

/** Returns a rule as a sentence, such as `from product Team, to product Starter: End of term`. */
export function ruleTexts(cases: RuleCases): readonly string[] {
  return cases.map(({ conditions, result }) => {
    const named = Object.entries(conditions)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${words(name.replaceAll(/([A-Z])/g, ' $1')).toLowerCase()} ${value}`);
    return `${named.length === 0 ? t.otherwise : named.join(', ')}: ${words(result)}`;
  });
}
