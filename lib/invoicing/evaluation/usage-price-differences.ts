import type { BillingEvent, TierBlockPolicy, UsageSection } from '../../records/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import {
  differenceOf,
  eventPairs,
  type PriceDifference,
  PriceType,
  type UsagePriceTerms,
} from './price-difference.ts';

/** A price of a section, or a limit that belongs to one. */
interface Line {
  readonly tier: number;
  readonly unit: string | null;
  readonly price: Decimal;
  readonly size: Decimal | null;
  readonly max: Decimal | null;
}

/**
 * Where two streams of one subscription charge usage differently, while both have a section of the name: an entry for each
 * block, tier and limit that is another, for each stretch of time.
 */
export function usageDifferences(
  before: readonly BillingEvent[],
  after: readonly BillingEvent[],
): readonly PriceDifference[] {
  const differences: PriceDifference[] = [];
  let open: ReadonlyMap<string, string> = new Map();
  for (const { at, old, now } of eventPairs(before, after)) {
    const found = differencesAt(at, old, now);
    differences.push(...found.filter(({ key, content }) => open.get(key) !== content).map(({ one }) => one));
    open = new Map(found.map(({ key, content }) => [key, content]));
  }
  return differences;
}

interface Found {
  readonly one: PriceDifference;
  readonly key: string;
  /** Equal for two that tell the same of different days. */
  readonly content: string;
}

function differencesAt(
  at: Instant,
  old: BillingEvent | undefined,
  now: BillingEvent | undefined,
): readonly Found[] {
  if (!old?.planName || !now?.planName || now.phaseName === null) return [];
  const { subscriptionId, bundleId, planName, phaseName } = now;
  const from = { at, date: now.effectiveDate === at ? now.localDate : old.localDate };
  const common = { subscriptionId, bundleId, planName, phaseName, from };
  return now.usages.flatMap((section): readonly Found[] => {
    const earlier = old.usages.find(({ name }) => name === section.name);
    if (earlier === undefined || earlier === section) return [];
    return sectionDifferences(earlier, section).map(({ usage, ...prices }) => {
      const periods = { oldBillingPeriod: earlier.billingPeriod, newBillingPeriod: section.billingPeriod };
      const told = { ...prices, ...periods, usage };
      return {
        one: {
          ...common,
          ...told,
          priceType: PriceType.USAGE,
          catalogEffectiveDate: section.versionDate,
        },
        key: JSON.stringify([usage.usageName, usage.tier, usage.unitType]),
        content: JSON.stringify([phaseName, told]),
      };
    });
  });
}

type SectionDifference = Pick<PriceDifference, 'oldPrice' | 'newPrice' | 'difference'> & {
  readonly usage: UsagePriceTerms;
};

function sectionDifferences(old: UsageSection, now: UsageSection): readonly SectionDifference[] {
  const [was, is] = [linesOf(old), linesOf(now)];
  const [oldPolicy, newPolicy] = [policyOf(old), policyOf(now)];
  const isChanged = oldPolicy !== newPolicy || old.billingPeriod !== now.billingPeriod;
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key): readonly SectionDifference[] => {
    const [one, other] = [was.get(key), is.get(key)];
    const line = other ?? one;
    if (line === undefined || (!isChanged && isSame(one, other))) return [];
    const [oldPrice, newPrice] = [one?.price ?? null, other?.price ?? null];
    const usage = {
      usageName: now.name,
      tier: line.tier,
      unitType: line.unit,
      oldBlockSize: one?.size ?? null,
      newBlockSize: other?.size ?? null,
      oldMax: one?.max ?? null,
      newMax: other?.max ?? null,
      oldTierBlockPolicy: oldPolicy,
      newTierBlockPolicy: newPolicy,
    };
    return [{ oldPrice, newPrice, difference: differenceOf(oldPrice, newPrice), usage }];
  });
}

function linesOf(section: UsageSection): ReadonlyMap<string, Line> {
  const lines: readonly Line[] =
    section.usageType === 'CAPACITY'
      ? section.tiers.flatMap(({ price, limits }, index) => {
          const tier = { tier: index + 1, price, size: null };
          return [
            { ...tier, unit: null, max: null },
            ...limits.map(({ unit, max }) => ({ ...tier, unit, max })),
          ];
        })
      : section.tiers.flatMap(({ blocks }, index) => blocks.map((block) => ({ ...block, tier: index + 1 })));
  return new Map(lines.map((line) => [JSON.stringify([line.tier, line.unit]), line]));
}

/** A limit is told where it is another; its tier's price has a line of its own. */
function isSame(one: Line | undefined, other: Line | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const isLimit = one.unit !== null && one.size === null && other.size === null;
  return (
    (isLimit || one.price.equals(other.price)) &&
    isSameNumber(one.size, other.size) &&
    isSameNumber(one.max, other.max)
  );
}

function isSameNumber(one: Decimal | null, other: Decimal | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

function policyOf(section: UsageSection): TierBlockPolicy | null {
  return section.usageType === 'CAPACITY' ? null : section.tierBlockPolicy;
}
