import { type Catalog, createCatalog } from '../../../lib/catalog/index.ts';
import { at, expectCode, lists, plan, product, version } from '../../support/catalogs/catalog-document.ts';
import { ErrorCode, expect, formatInstant } from '../../support/unit.ts';

function priceChange(effectiveDate: string, price: string, forExisting?: string): ReturnType<typeof version> {
  const more =
    forExisting &&
    `<effectiveDateForExistingSubscriptions>${forExisting}</effectiveDateForExistingSubscriptions>`;
  return version({ effectiveDate, plans: plan('p-m', 'P', { price, more: more ?? '' }) });
}

function priceAt(catalog: Catalog, date: string, lastPlanChange: string): string | undefined {
  const { plan: resolved } = catalog.resolvePlan('p-m', at(date), at(lastPlanChange));
  return resolved.finalPhase.recurring?.price?.prices[0]?.amount?.text;
}

describe('catalog version choice', () => {
  it('returns the version in force at the requested instant (catalog W1 "Version choice")', () => {
    const catalog = createCatalog([
      version({ effectiveDate: '2025-01-01' }),
      version({ effectiveDate: '2024-01-01' }),
      version({ effectiveDate: '2024-06-01T10:00Z' }),
    ]);
    const chosen = (date: string): string => formatInstant(catalog.resolveVersion(at(date)).effectiveDate);

    expect(chosen('2023-05-05')).to.equal('2024-01-01T00:00:00.000Z');
    expect(chosen('2024-06-01')).to.equal('2024-01-01T00:00:00.000Z');
    expect(chosen('2024-06-01T09:59:59.999Z')).to.equal('2024-01-01T00:00:00.000Z');
    expect(chosen('2024-06-01T10:00Z')).to.equal('2024-06-01T10:00:00.000Z');
    expect(chosen('2024-09-09')).to.equal('2024-06-01T10:00:00.000Z');
    expect(chosen('2031-01-01')).to.equal('2025-01-01T00:00:00.000Z');
    expect(catalog.versions.map((each) => formatInstant(each.effectiveDate).slice(0, 10))).to.eql([
      '2024-01-01',
      '2024-06-01',
      '2025-01-01',
    ]);
  });

  it('finds no version before the first upload', () => {
    const empty = createCatalog([]);
    expect(empty.name).to.equal(null);
    expectCode(ErrorCode.CATALOG_NO_CATALOG_FOR_GIVEN_DATE, () => empty.resolveVersion(at('2024-01-01')));
    expectCode(ErrorCode.CATALOG_NO_CATALOG_FOR_GIVEN_DATE, () =>
      empty.resolvePlan('p-m', at('2024-01-01'), at('2024-01-01')),
    );
  });

  it('keeps a retired plan for existing subscriptions only (catalog W6 "Retirement")', () => {
    const oar = {
      products: product('Oar') + product('P'),
      plans: plan('oar-monthly', 'Oar') + plan('p-m', 'P'),
    };
    const rulesOfOar = `
      <changePolicy>
        <changePolicyCase><fromProduct>Oar</fromProduct><policy>END_OF_TERM</policy></changePolicyCase>
        <changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase>
      </changePolicy>
      <cancelPolicy><cancelPolicyCase><policy>IMMEDIATE</policy></cancelPolicyCase></cancelPolicy>`;
    const catalog = createCatalog([
      version({
        effectiveDate: '2024-01-01',
        ...oar,
        priceLists: lists({ DEFAULT: ['oar-monthly', 'p-m'] }),
      }),
      version({ effectiveDate: '2024-06-01', products: oar.products, rules: rulesOfOar }),
      version({ effectiveDate: '2024-09-01' }),
    ]);
    const select = (date: string, specifier: object) => () =>
      catalog.resolveVersion(at(date)).selectPlan(specifier);
    const byProduct = { productName: 'Oar', billingPeriod: 'MONTHLY' };

    expectCode(ErrorCode.CATALOG_PLAN_NOT_FOUND, select('2024-06-02', byProduct));
    expectCode(ErrorCode.CATALOG_NO_SUCH_PRODUCT, select('2024-09-02', byProduct));
    expectCode(ErrorCode.CATALOG_NO_SUCH_PLAN, select('2024-06-02', { planName: 'oar-monthly' }));
    expectCode(ErrorCode.CATALOG_NO_SUCH_PLAN, select('2024-09-02', { planName: 'oar-monthly' }));

    const running = catalog.resolvePlan('oar-monthly', at('2024-12-01'), at('2024-02-10'));
    expect(formatInstant(running.version.effectiveDate)).to.equal('2024-01-01T00:00:00.000Z');
    expect(running.plan.product).to.equal('Oar');

    const v2 = catalog.resolveVersion(at('2024-06-02'));
    const from = running.version.subscriptionContextOf(running.plan, 'EVERGREEN');
    expect(v2.evaluatePlanChange(from, { planName: 'p-m' }).policy).to.equal('END_OF_TERM');
  });

  it('keeps the version of the last plan change if later versions set no date for existing subscriptions', () => {
    const catalog = createCatalog([priceChange('2024-01-01', '30.00'), priceChange('2024-04-01', '36.00')]);

    expect(priceAt(catalog, '2024-03-05', '2024-03-05')).to.equal('30.00');
    expect(priceAt(catalog, '2030-01-01', '2024-03-05')).to.equal('30.00');
    expect(priceAt(catalog, '2024-04-05', '2024-04-05')).to.equal('36.00');
    expect(priceAt(catalog, '2024-04-01', '2024-04-01')).to.equal('36.00');
  });

  it('moves existing subscriptions to a later version on the date set by that version', () => {
    const catalog = createCatalog([
      priceChange('2024-01-01', '40.00'),
      priceChange('2024-04-01', '52.00', '2024-05-01'),
      priceChange('2024-07-01', '64.00', '2024-08-01'),
    ]);
    const since = '2024-03-15';

    expect(priceAt(catalog, '2024-04-30T23:59:59.999Z', since)).to.equal('40.00');
    expect(priceAt(catalog, '2024-05-01', since)).to.equal('52.00');
    expect(priceAt(catalog, '2024-07-31', since)).to.equal('52.00');
    expect(priceAt(catalog, '2024-08-01', since)).to.equal('64.00');
    expect(priceAt(catalog, '2024-07-02', '2024-07-02')).to.equal('64.00');
  });

  it('uses the latest version without a date for existing subscriptions if a subscription is older than the plan', () => {
    const other = { plans: plan('q-m', 'P'), priceLists: lists({ DEFAULT: ['q-m'] }) };
    const catalog = createCatalog([
      version({ effectiveDate: '2024-01-01', ...other }),
      priceChange('2024-02-01', '20.00'),
      priceChange('2024-03-01', '30.00'),
      priceChange('2024-04-01', '40.00', '2025-01-01'),
    ]);

    expect(priceAt(catalog, '2024-06-01', '2024-01-15')).to.equal('30.00');
    expectCode(ErrorCode.CATALOG_PLAN_NOT_FOUND, () =>
      catalog.resolvePlan('p-m', at('2024-01-20'), at('2024-01-15')),
    );
  });

  it('uses the first version for a subscription older than all versions', () => {
    const catalog = createCatalog([priceChange('2024-01-01', '30.00'), priceChange('2024-04-01', '36.00')]);
    expect(priceAt(catalog, '2023-01-01', '2023-01-01')).to.equal('30.00');
    expect(priceAt(catalog, '2024-06-01', '2023-01-01')).to.equal('30.00');
  });
});
