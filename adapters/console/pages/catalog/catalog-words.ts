import type { ResultOf } from '../../core/data.ts';
import { label, money, quantity, valueText, words } from '../../core/format.ts';
import { texts } from '../../texts.ts';

const t = texts.catalog;

export type Catalog = ResultOf<'catalogs', 'current'>;
export type CatalogVersion = Catalog['versions'][number];
export type Plan = CatalogVersion['plans'][number];
export type Phase = Plan['phases'][number];
type Usage = Phase['usages'][number];
type PriceSet = NonNullable<Phase['fixed']>['price'];
type Setting = NonNullable<Plan['features']>[number];

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
 * Returns the path of each member that differs between two versions, with its values in both versions. A value is null
 * if the version does not contain the member.
 */
export function differences(before: CatalogVersion, after: CatalogVersion) {
  const old = new Map(membersOf(before));
  const now = new Map(membersOf(after));
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((subject) => ({ subject, before: old.get(subject) ?? null, after: now.get(subject) ?? null }))
    .filter((each) => each.before !== each.after);
}

/** Members that repeat others. */
const REPEATED: readonly string[] = ['title', 'finalPhase', 'initialPhases'];

/** Returns the members of a catalog part as pairs of path and text. Names identify the elements of a list. */
function membersOf(part: unknown, path: readonly string[] = []): readonly (readonly [string, string])[] {
  if (part === null || part === undefined || typeof part === 'function') return [];
  if (typeof part !== 'object' || part instanceof Date) return [[path.join(' › '), valueText(part)]];
  if ('text' in part) return membersOf(part.text, path);
  return Object.entries(part)
    .filter(([key]) => !REPEATED.includes(key))
    .flatMap(([key, member]) => {
      const isElement = Array.isArray(part);
      const name = isElement ? (member?.name ?? member?.currency ?? member?.unit ?? key) : words(key);
      return membersOf(member, [...path, String(name)]);
    });
}
