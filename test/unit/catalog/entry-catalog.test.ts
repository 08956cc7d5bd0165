import { accountCatalog, tenantCatalog } from '../../../lib/catalog/formats/entries/entry-catalog.ts';
import { type Catalog, canonicalXml, createCatalog, validateVersion } from '../../../lib/catalog/index.ts';
import type { CatalogEntry, PlanRow } from '../../../lib/records/catalog/catalog-entry.ts';
import {
  at,
  DEFAULT_RULES,
  lists,
  parse,
  phase,
  plan,
  price,
  version,
} from '../../support/catalogs/catalog-document.ts';
import { newId } from '../../support/storage/stored-records.ts';
import { decimal, expect, formatInstant } from '../../support/unit.ts';

const productId = newId();

function entry(own: Pick<CatalogEntry, 'kind' | 'name'> & Partial<CatalogEntry>): CatalogEntry {
  return {
    id: newId(),
    recordId: 1,
    accountId: null,
    accountRecordId: null,
    parentId: null,
    product: null,
    plan: null,
    createdDate: at('2024-01-01'),
    ...own,
  };
}

const pot = entry({
  id: productId,
  kind: 'PRODUCT',
  name: 'Pot',
  product: { prettyName: '', category: 'BASE', availableForBps: [], availableAddons: [] },
});

function planEntry(name: string, pricelistName = 'DEFAULT'): CatalogEntry {
  return entry({
    kind: 'PLAN',
    name,
    parentId: productId,
    plan: {
      prettyName: '',
      recurringBillingMode: 'IN_ADVANCE',
      productName: 'Pot',
      pricelistName,
      xmlProduct: null,
    },
  });
}

interface RowParts {
  readonly date: string;
  readonly price?: string;
  readonly existingFrom?: string;
  readonly retired?: boolean;
}

function rowsOf(planName: string, rows: readonly RowParts[]): readonly PlanRow[] {
  return rows.map(({ date, price = '10', existingFrom, retired = false }, index) => ({
    id: newId(),
    recordId: index + 1,
    planName,
    accountRecordId: null,
    effectiveDate: at(date),
    createdOrder: index + 1,
    effectiveDateForExistingSubscriptions: existingFrom === undefined ? null : at(existingFrom),
    retired,
    sinceRevision: index + 1,
    phases: [
      {
        prettyName: '',
        type: 'EVERGREEN',
        duration: { unit: 'UNLIMITED', number: -1 },
        fixedPrices: [],
        recurringPrices: { billingPeriod: 'MONTHLY', prices: [{ currency: 'USD', value: decimal(price) }] },
        usages: [],
      },
    ],
    createdDate: at('2024-01-01'),
  }));
}

function catalogOf(plans: Readonly<Record<string, readonly RowParts[]>>, xml = createCatalog([])): Catalog {
  const entries = [pot, ...Object.keys(plans).map((name) => planEntry(name))];
  const rows = Object.entries(plans).flatMap(([name, parts]) => rowsOf(name, parts));
  return tenantCatalog({ xml, scope: { entries, rows }, tenantEntries: entries, revision: 9 });
}

function contents({ versions }: Catalog): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    versions.map(({ effectiveDate, plans }) => [
      formatInstant(effectiveDate).slice(0, 10),
      plans.map((plan) => `${plan.name} ${plan.finalPhase.recurring?.price?.prices[0]?.amount?.value}`),
    ]),
  );
}

describe('catalog made of entries', () => {
  it('contains, for each date with a row, the latest row of every plan that is not retired', () => {
    const catalog = catalogOf({
      a: [
        { date: '2024-01-01', price: '1' },
        { date: '2024-03-01', price: '2' },
        { date: '2024-05-01', price: '3' },
        { date: '2024-07-01', retired: true },
      ],
      b: [
        { date: '2024-02-01', price: '5' },
        { date: '2024-06-01', retired: true },
      ],
    });
    expect(contents(catalog)).to.eql({
      '2024-01-01': ['a 1'],
      '2024-02-01': ['a 1', 'b 5'],
      '2024-03-01': ['a 2', 'b 5'],
      '2024-05-01': ['a 3', 'b 5'],
      '2024-06-01': ['a 3'],
      '2024-07-01': [],
    });
  });

  it('contains usages in arrears, their tiers in order, and products without plans', () => {
    const block = (max: number, value: string) => ({
      billingMeterCode: 'litre',
      size: 1,
      max,
      prices: [{ currency: 'USD' as const, value: decimal(value) }],
    });
    const usage = {
      usageName: 'water',
      prettyName: '',
      usageType: 'CONSUMABLE',
      billingPeriod: 'MONTHLY',
      tierBlockPolicy: 'TOP_TIER',
      tiers: [
        { tierNumber: 2, blocks: [block(-1, '0.5')] },
        { tierNumber: 1, blocks: [block(100, '1.25')] },
      ],
    } as const;
    const lid = entry({
      kind: 'PRODUCT',
      name: 'Lid',
      product: { prettyName: 'A lid', category: 'STANDALONE', availableForBps: [], availableAddons: [] },
    });
    const rows = rowsOf('p', [{ date: '2024-01-01' }, { date: '2024-02-01', retired: true }]).map((row) => ({
      ...row,
      phases: row.phases.map((each) => ({ ...each, usages: [usage] })),
    }));
    const scope = { entries: [pot, lid, planEntry('p')], rows };
    const catalog = tenantCatalog({
      xml: createCatalog([]),
      scope,
      tenantEntries: scope.entries,
      revision: 9,
    });
    const [first, second] = catalog.versions;
    const plan = first?.findPlan('p');
    expect(plan).to.include({ plansAllowedInBundle: -1, recurringBillingMode: 'IN_ADVANCE' });
    const [shown] = plan?.finalPhase.usages ?? [];
    expect(shown).to.include({ billingMode: 'IN_ARREAR', tierBlockPolicy: 'TOP_TIER', prettyName: 'water' });
    expect(shown?.tiers.flatMap(({ blocks }) => blocks.map(({ max }) => max.text))).to.eql(['100', '-1']);
    expect(first?.units.map(({ name }) => name)).to.eql(['litre']);
    expect(second?.plans).to.eql([]);
    expect(second?.products.map(({ name, category }) => `${name} ${category}`)).to.eql([
      'Lid STANDALONE',
      'Pot BASE',
    ]);
  });

  it('uses the most recently created row if two rows have the same date', () => {
    const rows = [
      { date: '2024-01-01', price: '1' },
      { date: '2024-01-01', price: '2' },
    ];
    expect(contents(catalogOf({ a: rows }))).to.eql({ '2024-01-01': ['a 2'] });
  });

  it('leaves existing subscriptions unchanged at the first row of a plan, even if the row sets a date for them', () => {
    const rows = [
      { date: '2024-03-01', price: '10', existingFrom: '2024-06-01' },
      { date: '2024-08-01', price: '12', existingFrom: '2024-09-01' },
    ];
    const catalog = catalogOf({ p: rows }, createCatalog([version({ effectiveDate: '2024-01-01' })]));
    const priceAt = (date: string): string | undefined =>
      catalog
        .resolvePlan('p', at(date), at('2024-02-01'))
        .plan.finalPhase.recurring?.price?.prices[0]?.amount?.value.toString();
    expect(priceAt('2024-04-01')).to.equal('10');
    expect(priceAt('2024-09-01')).to.equal('12');
    const changes = catalog.plansChangedAfter({ planName: 'p', effective: { at: at('2024-02-01') } });
    expect(changes.map(({ plan }) => plan.effectiveDateForExistingSubscriptions)).to.eql([at('2024-09-01')]);
  });

  it('adds lists and currencies to the current XML version, and uses the name and rules of that version', () => {
    const rules = `${DEFAULT_RULES}<priceList><priceListCase><fromPriceList>VIP</fromPriceList>
      <toPriceList>VIP</toPriceList></priceListCase></priceList>`;
    const plans =
      plan('x', 'P') + plan('v', 'P', { finalPhase: phase('EVERGREEN', { price: price('EUR', '4') }) });
    const xml = createCatalog([
      version({
        effectiveDate: '2024-02-01',
        currencies: ['EUR', 'USD'],
        rules,
        plans,
        priceLists: lists({ DEFAULT: ['x'], VIP: ['v'] }),
      }),
    ]);
    const entries = [pot, planEntry('a', 'VIP'), planEntry('b', 'Spring'), planEntry('c')];
    const rows = ['a', 'b', 'c'].flatMap((name) =>
      rowsOf(name, [{ date: '2024-01-01' }, { date: '2024-03-01' }]),
    );
    const scope = { entries, rows };
    const catalog = tenantCatalog({ xml, scope, tenantEntries: entries, revision: 9 });
    expect(
      catalog.versions.map(({ catalogName, currencies, allPriceLists, rules: { priceList } }) => ({
        catalogName,
        currencies,
        lists: allPriceLists.map((list) => `${list.name} ${list.plans.join(' ')}`),
        cases: priceList.length,
      })),
    ).to.eql([
      { catalogName: 'Test', currencies: ['USD'], lists: ['DEFAULT c', 'Spring b', 'VIP a'], cases: 1 },
      ...Array.from({ length: 2 }, () => ({
        catalogName: 'Test',
        currencies: ['EUR', 'USD'],
        lists: ['DEFAULT c x', 'VIP a v', 'Spring b'],
        cases: 1,
      })),
    ]);
    expect(catalog.versions.flatMap((each) => validateVersion(parse(canonicalXml(each))).errors)).to.eql([]);
    const own = accountCatalog({ xml, scope, tenantEntries: [pot], revision: 9 }, xml);
    expect(own?.versions.map((each) => each.rules.priceList[0]?.result)).to.eql(['DEFAULT', 'VIP']);
    expect(own?.versions[1]?.allPriceLists.map((list) => list.name)).to.eql(['DEFAULT', 'Spring', 'VIP']);
    expect(own?.versions[1]?.planNamed('x')).to.equal(undefined);
    expect(own?.holderOf('x')).to.equal(xml);
  });

  it('contains an XML product once and unchanged, regardless of the number of entry plans that use it', () => {
    const xml = createCatalog([version({ effectiveDate: '2024-01-01' })]);
    const entries = ['a', 'b'].map((name) => {
      const { plan: terms, ...rest } = planEntry(name);
      const ofXml = { productName: 'P', xmlProduct: { prettyName: 'Old', category: 'BASE' } } as const;
      return { ...rest, parentId: null, plan: terms && { ...terms, ...ofXml } };
    });
    const rows = ['a', 'b'].flatMap((name) => rowsOf(name, [{ date: '2024-02-01' }]));
    const scope = { entries, rows };
    const [, overlaid] = tenantCatalog({ xml, scope, tenantEntries: entries, revision: 9 }).versions;
    expect(overlaid?.plans.map((each) => each.name)).to.eql(['a', 'b', 'p-m']);
    expect(overlaid?.products.map(({ name, prettyName }) => `${name} ${prettyName}`)).to.eql(['P P']);
  });

  it('reflects the rows of an earlier revision on request', () => {
    const catalog = catalogOf({
      p: [
        { date: '2024-01-01', price: '1' },
        { date: '2024-02-01', price: '2' },
      ],
    });
    expect(contents(catalog.asOf(1))).to.eql({ '2024-01-01': ['p 1'] });
    expect(contents(catalog.asOf(2))).to.eql({ '2024-01-01': ['p 1'], '2024-02-01': ['p 2'] });
  });

  it('builds each plan of a version once, on first use', () => {
    const dates = Array.from({ length: 120 }, (_, index) => at('2024-01-01') + index * 86_400_000);
    const catalog = catalogOf({
      p: dates.map((date) => ({ date: new Date(date).toISOString() })),
      q: [{ date: '2024-01-01' }],
    });
    expect(catalog.versions).to.have.length(120);
    const [first] = catalog.versions;
    const last = catalog.versions.at(-1);
    expect(first?.planNamed('q')).to.equal(last?.planNamed('q'));
    expect(first?.planNamed('p')).not.to.equal(last?.planNamed('p'));
  });
});
