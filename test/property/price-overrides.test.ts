import type { InternationalPrice, Plan, PriceOverrides, PriceTarget } from '../../lib/catalog/index.ts';
import { createVersion, defineOverrides, OverridePlan } from '../../lib/catalog/index.ts';
import { mapPrices, readOverrides, writeOverrides } from '../../lib/catalog/overrides/define-overrides.ts';
import { versionContent } from '../support/catalogs/catalog-arbitraries.ts';
import { decimal, expect, fc, forAll } from '../support/property.ts';

/** Valid plans: all phases have different types (V8), and all prices different currencies (V13). */
const plans = versionContent
  .map((content) => createVersion(content).plans)
  .map((all) =>
    all.filter(
      (plan) =>
        areDistinct(plan.phases.map(({ type }) => type)) &&
        [...pricesOf(plan).values()].every(({ prices }) =>
          areDistinct(prices.map(({ currency }) => currency)),
        ),
    ),
  )
  .filter((all) => all.length > 0);

function areDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

const amounts = fc.array(
  fc.integer({ min: 0, max: 10_000_000 }).map((cents) => decimal(cents).dividedBy(100)),
  { minLength: 1, maxLength: 20 },
);

function pricesOf(plan: Plan): ReadonlyMap<PriceTarget, InternationalPrice> {
  const prices = new Map<PriceTarget, InternationalPrice>();
  for (const phase of plan.phases) {
    mapPrices(phase, (target, price) => {
      prices.set(target, price);
      return price;
    });
  }
  return prices;
}

const overridden = fc
  .record({ plans, amounts, picks: fc.array(fc.boolean(), { minLength: 30 }) })
  .map((given) => {
    const [plan] = given.plans;
    if (plan === undefined) throw new Error('no plan');
    const targets = [...pricesOf(plan).keys()].filter((_, index) => given.picks[index % given.picks.length]);
    const overrides: PriceOverrides = new Map(
      targets.map((target, index) => [target, given.amounts[index % given.amounts.length] ?? decimal(0)]),
    );
    return { plan, overrides };
  });

describe('price overrides', () => {
  it('change only the chosen prices in one currency', () =>
    forAll([overridden], ({ plan, overrides }) => {
      const definition = { parentPlanName: plan.name, currency: 'USD', overrides } as const;
      const made = new OverridePlan(`${plan.name}-1`, definition).planFrom(plan);
      const before = pricesOf(plan);
      const after = pricesOf(made);
      expect([...after.keys()]).to.eql([...before.keys()]);
      for (const [target, price] of after) {
        const amount = overrides.get(target);
        const others = (of: InternationalPrice | undefined) =>
          of?.prices.filter(({ currency }) => currency !== 'USD');
        const dollars = price.prices.filter(({ currency }) => currency === 'USD');
        if (amount === undefined) expect(price).to.eql(before.get(target));
        else {
          expect(dollars.map((each) => each.amount?.value.toFixed())).to.eql([amount.toFixed()]);
          expect(others(price)).to.eql(others(before.get(target)));
        }
      }
      expect(made.phases.map(({ name }) => name)).to.eql(
        plan.phases.map(({ type }) => `${plan.name}-1-${type.toLowerCase()}`),
      );
      const same = new OverridePlan(plan.name, { ...definition, overrides: new Map() }).planFrom(plan);
      expect({ ...same, parentPlanName: undefined }).to.eql({ ...plan, parentPlanName: undefined });
    })).timeout(0);

  it('are unchanged after serialization, and are equal in any order', () =>
    forAll([overridden], ({ plan, overrides }) => {
      const text = writeOverrides(overrides);
      expect(writeOverrides(readOverrides(text))).to.equal(text);
      const chosen = new OverridePlan('x', {
        parentPlanName: plan.name,
        currency: 'USD',
        overrides: new Map([...overrides].toReversed()),
      });
      const merged = defineOverrides({
        plan: chosen.planFrom(plan),
        chosen,
        currency: 'USD',
        requests: [],
      });
      const straight = new OverridePlan('x', { parentPlanName: plan.name, currency: 'USD', overrides });
      const again = defineOverrides({
        plan: straight.planFrom(plan),
        chosen: straight,
        currency: 'USD',
        requests: [],
      });
      expect(writeOverrides(merged.overrides)).to.equal(writeOverrides(again.overrides));
    })).timeout(0);
});
