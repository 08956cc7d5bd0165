import { parsePhaseName } from '../../../lib/catalog/index.ts';
import { expectCode, lists, plan, product, TRIAL, version } from '../../support/catalogs/catalog-document.ts';
import { ErrorCode, errorOf, expect } from '../../support/unit.ts';

describe('plan lookup', () => {
  const catalog = version({
    products: product('X') + product('Y'),
    plans:
      ['x-monthly', 'vip-x-monthly', 'vip-x2-monthly'].map((name) => plan(name, 'X')).join('') +
      plan('y-monthly', 'Y'),
    priceLists: lists({ DEFAULT: ['x-monthly', 'y-monthly'], VIP: ['vip-x-monthly', 'vip-x2-monthly'] }),
  });

  it('finds plans by product, period and list or by name, with an error for each failure (catalog W7 "Lookup")', () => {
    const find = (productName: string, billingPeriod: 'MONTHLY' | 'ANNUAL', priceListName?: string): string =>
      catalog.selectPlan({ productName, billingPeriod, priceListName: priceListName ?? null }).name;

    expect(find('X', 'MONTHLY')).to.equal('x-monthly');
    expect(find('Y', 'MONTHLY', 'VIP'), 'fallback to DEFAULT').to.equal('y-monthly');
    expectCode(ErrorCode.CATALOG_MULTIPLE_MATCHING_PLANS_FOR_PRICELIST, () => find('X', 'MONTHLY', 'VIP'));
    expectCode(ErrorCode.CATALOG_PLAN_NOT_FOUND, () => find('X', 'ANNUAL'));
    expectCode(ErrorCode.CATALOG_PRICE_LIST_NOT_FOUND, () => find('X', 'MONTHLY', 'GOLD'));
    expectCode(ErrorCode.CATALOG_NO_SUCH_PRODUCT, () => find('Z', 'MONTHLY'));
    expect(catalog.selectPlan({ planName: 'vip-x2-monthly' }).name).to.equal('vip-x2-monthly');
  });

  it('ignores the other fields when a plan name is given', () => {
    const specifier = { planName: 'y-monthly', productName: 'none', priceListName: 'none' };
    expect(catalog.selectPlan(specifier).name).to.equal('y-monthly');
    expectCode(ErrorCode.CATALOG_NO_SUCH_PLAN, () =>
      catalog.selectPlan({ planName: 'z-monthly', productName: 'X' }),
    );
  });

  it('reports the missing part of a specifier', () => {
    expectCode(ErrorCode.CATALOG_NULL_PRODUCT_NAME, () => catalog.selectPlan({ billingPeriod: 'MONTHLY' }));
    expectCode(ErrorCode.CATALOG_NULL_BILLING_PERIOD, () => catalog.selectPlan({ productName: 'X' }));
  });

  it('lists the existing plans when a plan is unknown', () =>
    expect(errorOf(() => catalog.findPlan('gold')).message).to.equal(
      'Plan "gold" is not in catalog "Test" effective 2024-01-01T00:00:00.000Z; there are vip-x-monthly, vip-x2-monthly, x-monthly, y-monthly',
    ));

  it('selects a plan by the billing period of its final phase', () => {
    const trial = version({ plans: plan('p-m', 'P', { initialPhases: TRIAL, period: 'ANNUAL' }) });
    expect(trial.selectPlan({ productName: 'P', billingPeriod: 'ANNUAL' }).name).to.equal('p-m');
  });

  it('assigns a plan in several lists to DEFAULT if DEFAULT contains the plan, and otherwise to the first of the lists', () => {
    const shared = version({
      plans: plan('p-m', 'P') + plan('q-m', 'P'),
      priceLists: `${lists({ B: ['q-m', 'p-m'], A: ['q-m'] })}${lists({ DEFAULT: ['p-m'] })}`,
    });
    expect(shared.priceListOf(shared.findPlan('p-m'))).to.equal('DEFAULT');
    expect(shared.priceListOf(shared.findPlan('q-m'))).to.equal('B');
    expect(shared.allPriceLists.map((list) => [list.name, ...list.plans])).to.eql([
      ['DEFAULT', 'p-m'],
      ['B', 'p-m', 'q-m'],
      ['A', 'q-m'],
    ]);
  });

  it('finds a phase by its name', () => {
    const phased = version({ plans: plan('p-m', 'P', { initialPhases: TRIAL }) });
    expect(phased.findPhase('p-m-trial').duration).to.eql({ unit: 'DAYS', number: 30 });
    expect(phased.findPhase('p-m-evergreen').type).to.equal('EVERGREEN');
    expectCode(ErrorCode.CATALOG_NO_SUCH_PHASE, () => phased.findPhase('p-m-discount'));
    expectCode(ErrorCode.CATALOG_NO_SUCH_PHASE, () => phased.findPhase('gold-trial'));
    for (const name of ['p-m', 'p-m-Trial', '-trial', 'trial', '', 'p-m-trial-'])
      expectCode(ErrorCode.CATALOG_BAD_PHASE_NAME, () => phased.findPhase(name));
    expect(parsePhaseName('a-trial-evergreen').planName).to.equal('a-trial');
  });

  it('sorts products and plans by the code units of their names', () => {
    const names = ['b', 'B', 'a', '_', 'é', 'A.1'];
    const many = version({
      plans: names.map((name) => plan(`${name}-plan`, 'P')).join(''),
      priceLists: lists({ DEFAULT: names.map((name) => `${name}-plan`) }),
    });
    const sorted = ['A.1-plan', 'B-plan', '_-plan', 'a-plan', 'b-plan', 'é-plan'];
    expect(many.plans.map(({ name }) => name)).to.eql(sorted);
    expect(many.priceLists.defaultPriceList.plans).to.eql(sorted);
  });

  it('uses a deeply frozen catalog', () => {
    const unfrozen = (value: unknown, path: string): string[] => {
      if (typeof value !== 'object' || value === null || 'toFixed' in value) return [];
      const here = Object.isFrozen(value) ? [] : [path];
      return [...here, ...Object.entries(value).flatMap(([key, part]) => unfrozen(part, `${path}.${key}`))];
    };
    const phased = version({ plans: plan('p-m', 'P', { initialPhases: TRIAL }) });
    expect(unfrozen(phased, 'version')).to.eql([]);
    const { currencies, units, products, plans, rules, priceLists, allPriceLists } = phased;
    const values = { currencies, units, products, plans, rules, priceLists, allPriceLists };
    expect(unfrozen(values, 'values')).to.eql(['values']);
    expect(() => Object.assign(phased.findPlan('p-m'), { product: 'Q' })).to.throw(TypeError);
  });
});
