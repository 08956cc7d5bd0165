import type { ResultOf } from '../../core/data.ts';
import { durationText, label, money, quantity, words } from '../../core/format.ts';
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

/** Returns the prices of a phase in a currency, such as `€45.00 monthly`. */
export function phasePrices({ fixed, recurring, usages }: Phase, currency: string): readonly string[] {
  const inPeriod = (price: PriceSet) =>
    texts.timeline.price(priceText(price, currency), recurring?.billingPeriod ?? '');
  return [
    ...(fixed === null ? [] : [t.once(priceText(fixed.price, currency))]),
    ...(recurring?.price ? [inPeriod(recurring.price)] : []),
    ...usages.flatMap((usage) => usagePrices(usage, currency)),
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
  const isSwitch = value === 'true' || value === 'false';
  const amount = value && /^[0-9.]+$/.test(value) ? quantity(value) : (value ?? t.unlimited);
  return [
    isSwitch ? label(value) : amount,
    perQuantity && t.perSeat,
    per && t.perPeriod(words(per).toLowerCase()),
    overage && t.overage[overage],
  ]
    .filter(Boolean)
    .join(', ');
}

/**
 * Returns the differences between two versions: each subject with its facts in both versions. The facts are null if a
 * version does not contain the subject.
 */
export function differences(before: CatalogVersion, after: CatalogVersion) {
  const old = factsOf(before);
  const now = factsOf(after);
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((subject) => ({ subject, before: old.get(subject) ?? null, after: now.get(subject) ?? null }))
    .filter((each) => each.before !== each.after);
}

/** The facts of a version in words, by their subject. */
function factsOf({ plans, products, features, rules, currencies }: CatalogVersion) {
  return new Map<string, string>([
    ...plans.flatMap((plan) => planFacts(plan, currencies)),
    ...products.flatMap(({ name, included, available, features: settings = [] }) => [
      [t.productNamed(name), t.relations(included.join(', '), available.join(', '))] as const,
      ...settings.map((each) => [`${t.productNamed(name)}, ${each.name}`, settingText(each)] as const),
    ]),
    ...features.map(({ name, kind }) => [t.featureNamed(name), words(kind)] as const),
    ...Object.entries(rules).map(([name, cases]) => [t.ruleNamed(words(name)), rulesText(cases)] as const),
  ]);
}

function planFacts({ name, product, features = [], phases }: Plan, currencies: readonly string[]) {
  return [
    [t.planNamed(name), t.ofProduct(product)] as const,
    ...features.map((setting) => [`${name}, ${setting.name}`, settingText(setting)] as const),
    ...phases.flatMap((phase) => [
      [`${name}, ${words(phase.type)}`, durationText(phase.duration)] as const,
      ...currencies.map(
        (currency) =>
          [`${name}, ${words(phase.type)}, ${currency}`, phasePrices(phase, currency).join('; ')] as const,
      ),
    ]),
  ];
}

/** Returns rules in words, such as `from product Team, to product Starter: End of term`. */
function rulesText(cases: RuleCases): string {
  const sentences = cases.map(({ conditions, result }) => {
    const given = Object.entries(conditions).filter(([, value]) => value !== null);
    const named = given.map(([name, value]) => `${words(name).toLowerCase()} ${value}`).join(', ');
    return `${named || t.otherwise}: ${words(result)}`;
  });
  return sentences.join('; ') || t.byDefault;
}
