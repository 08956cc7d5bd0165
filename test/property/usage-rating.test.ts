import type { UsageSection } from '../../lib/records/index.ts';
import { rateUsage } from '../../lib/usage/rating/rate-usage.ts';
import type { OverflowPolicy, RatedUsage } from '../../lib/usage/rating/rated-usage.ts';
import { type Decimal, expect, fc, forAll, sum, ZERO } from '../support/property.ts';
import {
  meteredPoints,
  meteredSections,
  peakSections,
  quantities,
  sectionOf,
  thousandths,
} from '../support/usage/arbitrary-usage.ts';
import type { OraclePoint } from '../support/usage/pricing-oracle.ts';
import { pricedByMeter, pricedByPeaks, pricedByTopTier } from '../support/usage/pricing-oracle.ts';

const policies = fc.constantFrom<OverflowPolicy>('CAP', 'LAST_TIER');

function rate(
  section: UsageSection,
  points: readonly OraclePoint[],
  overflow: OverflowPolicy = 'CAP',
): RatedUsage {
  return rateUsage({ section, quantities: quantities(section, points), currency: 'USD', overflow });
}

function charged(section: UsageSection, points: readonly OraclePoint[]): readonly OraclePoint[] {
  const blocks = section.usageType === 'CAPACITY' ? section.tiers[0]?.limits : section.tiers[0]?.blocks;
  const units = new Set(blocks?.map(({ unit }) => unit));
  return points.filter(({ unit }) => units.has(unit));
}

/** Formats thousandths, the precision of prices, units and block prices. */
function price(amount: bigint): string {
  return thousandths(amount).toFixed();
}

describe('usage rating', () => {
  it('charges ALL_TIERS like a meter that fills one block after another (usage §5.1)', () =>
    forAll([meteredSections('ALL_TIERS'), meteredPoints, policies], ({ section, tiers }, points, policy) => {
      const rated = rate(section, points, policy);
      const oracle = pricedByMeter(tiers, charged(section, points), policy === 'LAST_TIER');
      expect(rated.exact.toFixed()).to.equal(price(oracle.amount));
      expect(sum(rated.overflow.map(({ quantity }) => quantity)).toFixed()).to.equal(price(oracle.beyond));
    }));

  it('charges all TOP_TIER blocks at the price of the tier that is reached (usage §5.2)', () =>
    forAll([meteredSections('TOP_TIER'), meteredPoints], ({ section, tiers }, points) => {
      const oracle = pricedByTopTier(tiers, charged(section, points));
      expect(rate(section, points).exact.toFixed()).to.equal(price(oracle));
    }));

  it('charges CAPACITY by the first tier with limits that no point exceeds (usage §5.4)', () =>
    forAll([peakSections({ isRising: false }), meteredPoints], ({ section, tiers }, points) => {
      const oracle = pricedByPeaks(tiers, charged(section, points));
      expect(rate(section, points).exact.toFixed()).to.equal(price(oracle));
    }));

  it('never charges less for more usage with ALL_TIERS, or with CAPACITY and rising tiers', () => {
    const sections = fc.oneof(meteredSections('ALL_TIERS'), peakSections({ isRising: true }));
    forAll(
      [sections, fc.tuple(meteredPoints, meteredPoints), policies],
      ({ section }, [points, more], policy) => {
        const before = rate(section, points, policy).exact;
        expect(rate(section, [...points, ...more], policy).exact.gte(before)).to.equal(true);
      },
    );
  });

  it('charges the sum of all full tiers and the last, partly filled tier (usage §5.1)', () =>
    forAll([meteredSections('ALL_TIERS'), meteredPoints, fc.nat(3)], ({ tiers, section }, points, place) => {
      const [head, tail] = [tiers.slice(0, place), tiers.slice(place)];
      if (head.length === 0 || tail.length === 0) return;
      const first = rate(sectionOf(head, 'ALL_TIERS'), points);
      const rest = first.overflow.map(({ unit, quantity }) => ({
        unit,
        amount: BigInt(quantity.times(1_000).toFixed(0)),
      }));
      const second = rate(sectionOf(tail, 'ALL_TIERS'), rest);
      const whole = rate(section, points);
      expect(first.exact.plus(second.exact).toFixed()).to.equal(whole.exact.toFixed());
      expect(second.overflow).to.eql(whole.overflow);
    }));

  it('creates lines that add up to the amount and whose blocks contain all units within the tiers (usage §5.5)', () => {
    const sections = fc.oneof(meteredSections('ALL_TIERS'), meteredSections('TOP_TIER'));
    forAll([sections, meteredPoints, policies], ({ section }, points, policy) => {
      const rated = rate(section, points, policy);
      if (rated.kind === 'CAPACITY') throw new Error('These sections are CONSUMABLE');
      for (const { amount, quantity, price: of } of rated.lines)
        expect(amount.toFixed()).to.equal(quantity.times(of).toFixed());
      expect(sum(rated.lines.map(({ amount }) => amount)).toFixed()).to.equal(rated.exact.toFixed());
      expect(rated.amount.toFixed(2)).to.equal(rated.exact.toFixed(2));
      for (const [unit, used] of quantities(section, points)) {
        const lines = rated.lines.filter((line) => line.unit === unit);
        const held = sum(lines.map(({ quantity, blockSize }) => quantity.times(blockSize)));
        const beyond = rated.overflow.find((rest) => rest.unit === unit)?.quantity ?? ZERO;
        const spare = held.minus(used.minus(beyond));
        const lastSize: Decimal = lines.at(-1)?.blockSize ?? ZERO;
        expect(spare.gte(ZERO) && spare.lt(lastSize), `${unit}: ${spare.toFixed()} spare`).to.equal(true);
      }
    });
  });

  it('yields the same quantity regardless of how the points are grouped (usage §6.4)', () =>
    forAll([meteredSections('ALL_TIERS'), meteredPoints, fc.nat(12)], ({ section }, points, place) => {
      const [a, b] = [points.slice(0, place), points.slice(place)];
      const parts = [quantities(section, a), quantities(section, b)];
      const sums = parts.flatMap((part) =>
        [...part].map(([unit, value]) => ({ unit, sum: value, max: value })),
      );
      const together = rateUsage({
        section,
        quantities: new Map(
          [...Map.groupBy(sums, ({ unit }) => unit)].map(([unit, all]) => [
            unit,
            sum(all.map((one) => one.sum)),
          ]),
        ),
        currency: 'USD',
        overflow: 'CAP',
      });
      expect(together).to.eql(rate(section, points));
    }));
});
