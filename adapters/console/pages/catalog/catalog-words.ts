import type { ResultOf } from '../../core/data.ts';
import { label, money, quantity, words } from '../../core/format.ts';
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
  return [
    value === 'true' || value === 'false' ? label(value) : numberOrText(value),
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
      .map(([name, value]) => `${words(name).toLowerCase()} ${value}`);
    return `${named.length === 0 ? t.otherwise : named.join(', ')}: ${words(result)}`;
  });
}

/** A difference between two versions. */
export interface Difference {
  /** What differs, such as `team-monthly, evergreen, EUR`. */
  readonly subject: string;
  /** Null if only the new version has the subject. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Returns what differs between two versions: plans with phases, prices and features, products, and rules. */
export function differences(before: CatalogVersion, after: CatalogVersion): readonly Difference[] {
  const old = factsOf(before);
  const now = factsOf(after);
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((subject) => ({ subject, before: old.get(subject) ?? null, after: now.get(subject) ?? null }))
    .filter((each) => each.before !== each.after);
}

/** The facts of a version in words, by their subject. */
function factsOf(version: CatalogVersion): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const plan of version.plans) addPlan(facts, plan, version.currencies);
  for (const { name, category, included, available, features = [] } of version.products) {
    const relations = [
      words(category),
      ...(included.length > 0 ? [t.includes(included.join(', '))] : []),
      ...(available.length > 0 ? [t.offers(available.join(', '))] : []),
    ];
    facts.set(t.productNamed(name), relations.join('; '));
    for (const setting of features)
      facts.set(`${t.productNamed(name)}, ${setting.name}`, settingText(setting));
  }
  for (const { name, kind } of version.features) facts.set(t.featureNamed(name), words(kind));
  for (const [name, cases] of Object.entries(version.rules))
    facts.set(t.ruleNamed(words(name).toLowerCase()), ruleTexts(cases).join('; ') || t.byDefault);
  return facts;
}

function addPlan(facts: Map<string, string>, plan: Plan, currencies: readonly string[]): void {
  facts.set(t.planNamed(plan.name), t.ofProduct(plan.product));
  for (const setting of plan.features ?? []) facts.set(`${plan.name}, ${setting.name}`, settingText(setting));
  for (const phase of plan.phases) {
    const name = `${plan.name}, ${words(phase.type).toLowerCase()}`;
    facts.set(`${name}, ${label('duration').toLowerCase()}`, durationText(phase));
    for (const currency of currencies)
      facts.set(`${name}, ${currency}`, phasePrices(phase, currency).join('; '));
  }
}
