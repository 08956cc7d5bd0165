import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createVersion, readCatalogXml } from '../../../lib/catalog/index.ts';
import {
  catalogXml,
  lists,
  parse,
  phase,
  plan,
  price,
  product,
  TRIAL,
  version,
} from '../../support/catalogs/catalog-document.ts';
import { catalogJson } from '../../support/catalogs/catalog-json.ts';
import { fixture } from '../../support/files.ts';

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

/** Returns the members with this name of all these objects, with lists joined. */
function within(owners: readonly object[], name: string): readonly object[] {
  return owners.flatMap((owner) => Reflect.get(owner, name) ?? []);
}

describe('JSON catalog', () => {
  const shown = version({
    currencies: ['USD', 'EUR'],
    units: ['u'],
    products: product('Z') + product('P', { included: ['A'] }) + product('A', { category: 'ADD_ON' }),
    plans:
      plan('p-m', 'P', { initialPhases: TRIAL, price: price('USD', '10.50') + price('EUR', '9') }) +
      plan('p-fee', 'P', {
        finalPhase: phase('EVERGREEN', {
          fixed: '5',
          usages: `<usage name="calls" billingMode="IN_ARREAR" usageType="CONSUMABLE"><billingPeriod>MONTHLY</billingPeriod>
            <tiers><tier><blocks><tieredBlock><unit>u</unit><size>100.0</size><prices>${price('USD', '0.10')}</prices>
            <max>-1</max></tieredBlock></blocks></tier></tiers></usage>`,
        }),
        more: '<effectiveDateForExistingSubscriptions>2024-02-01</effectiveDateForExistingSubscriptions>',
      }),
    priceLists: lists({ DEFAULT: ['p-m'], VIP: ['p-m', 'p-fee'] }),
    rules: `
      <changePolicy><changePolicyCase><phaseType>TRIAL</phaseType><toProduct>P</toProduct><policy>IMMEDIATE</policy></changePolicyCase>
        <changePolicyCase><policy>END_OF_TERM</policy></changePolicyCase></changePolicy>
      <cancelPolicy><cancelPolicyCase><policy>IMMEDIATE</policy></cancelPolicyCase></cancelPolicy>
      <priceList><priceListCase><fromPriceList>VIP</fromPriceList><toPriceList>VIP</toPriceList></priceListCase></priceList>`,
  });
  const evergreen = { unit: 'UNLIMITED', number: -1 };
  const block = { unit: 'u', size: '100.0', max: '-1', prices: [{ currency: 'USD', value: '0.1' }] };
  const tier = { blocks: [block], limits: [], fixedPrice: [], recurringPrice: [] };

  it('has exactly the fields of Kill Bill in dialect K', () =>
    expect(catalogJson(shown, 'K')).to.eql({
      name: 'Test',
      effectiveDate: '2024-01-01T00:00:00.000Z',
      currencies: ['USD', 'EUR'],
      units: [{ name: 'u', prettyName: 'u' }],
      products: [
        { type: 'ADD_ON', name: 'A', prettyName: 'A', plans: [], included: [], available: [] },
        {
          type: 'BASE',
          name: 'P',
          prettyName: 'P',
          plans: [
            {
              name: 'p-fee',
              prettyName: 'p-fee',
              recurringBillingMode: 'IN_ADVANCE',
              billingPeriod: 'NO_BILLING_PERIOD',
              phases: [
                {
                  type: 'EVERGREEN',
                  prices: [],
                  fixedPrices: [{ currency: 'USD', value: '5' }],
                  duration: evergreen,
                  usages: [{ billingPeriod: 'MONTHLY', tiers: [tier] }],
                },
              ],
            },
            {
              name: 'p-m',
              prettyName: 'p-m',
              recurringBillingMode: 'IN_ADVANCE',
              billingPeriod: 'MONTHLY',
              phases: [
                {
                  type: 'TRIAL',
                  prices: [],
                  fixedPrices: [],
                  duration: { unit: 'DAYS', number: 30 },
                  usages: [],
                },
                {
                  type: 'EVERGREEN',
                  prices: [
                    { currency: 'USD', value: '10.5' },
                    { currency: 'EUR', value: '9' },
                  ],
                  fixedPrices: [],
                  duration: evergreen,
                  usages: [],
                },
              ],
            },
          ],
          included: ['A'],
          available: [],
        },
        { type: 'BASE', name: 'Z', prettyName: 'Z', plans: [], included: [], available: [] },
      ],
      priceLists: [
        { name: 'DEFAULT', plans: ['p-m'] },
        { name: 'VIP', plans: ['p-fee', 'p-m'] },
      ],
    }));

  it('also contains rules, names and terms in dialect D', () => {
    const json = catalogJson(shown, 'D');
    expect(json.rules.changePolicy).to.eql([
      {
        phaseType: 'TRIAL',
        fromProduct: null,
        fromProductCategory: null,
        fromBillingPeriod: null,
        fromPriceList: null,
        toProduct: 'P',
        toProductCategory: null,
        toBillingPeriod: null,
        toPriceList: null,
        policy: 'IMMEDIATE',
      },
      {
        phaseType: null,
        fromProduct: null,
        fromProductCategory: null,
        fromBillingPeriod: null,
        fromPriceList: null,
        toProduct: null,
        toProductCategory: null,
        toBillingPeriod: null,
        toPriceList: null,
        policy: 'END_OF_TERM',
      },
    ]);
    expect(json.rules.priceList).to.eql([
      {
        fromProduct: null,
        fromProductCategory: null,
        fromBillingPeriod: null,
        fromPriceList: 'VIP',
        toPriceList: 'VIP',
      },
    ]);
    const [fee, monthly] = json.products[1].plans;
    expect(fee).to.include({
      product: 'P',
      priceList: 'VIP',
      plansAllowedInBundle: -1,
      effectiveDateForExistingSubscriptions: '2024-02-01T00:00:00.000Z',
    });
    expect(monthly).to.include({ priceList: 'DEFAULT', effectiveDateForExistingSubscriptions: null });
    expect(
      within([monthly], 'phases').map((each) => [
        Reflect.get(each, 'name'),
        Reflect.get(each, 'prettyName'),
        Reflect.get(each, 'recurringBillingPeriod'),
      ]),
    ).to.eql([
      ['p-m-trial', 'p-m-trial', null],
      ['p-m-evergreen', 'p-m-evergreen', 'MONTHLY'],
    ]);
    expect(fee.phases[0].usages[0]).to.deep.include({
      name: 'calls',
      prettyName: 'calls',
      billingMode: 'IN_ARREAR',
      usageType: 'CONSUMABLE',
      tierBlockPolicy: 'ALL_TIERS',
      limits: [],
      blocks: [],
    });
    expect(json.priceLists[1]).to.eql({ name: 'VIP', plans: ['p-fee', 'p-m'], prettyName: 'VIP' });
  });

  it('contains only the fields of json-models §5 in dialect K, plus the fields of §15 in dialect D', () => {
    const shapes: Readonly<Record<string, readonly [inK: string, addedInD: string]>> = {
      catalog: ['currencies effectiveDate name priceLists products units', 'features rules'],
      unit: ['name prettyName', ''],
      product: ['available included name plans prettyName type', 'features'],
      plan: [
        'billingPeriod name phases prettyName recurringBillingMode',
        'effectiveDateForExistingSubscriptions features plansAllowedInBundle priceList product',
      ],
      phase: ['duration fixedPrices prices type usages', 'features name prettyName recurringBillingPeriod'],
      duration: ['number unit', ''],
      price: ['currency value', ''],
      usage: ['billingPeriod tiers', 'billingMode blocks limits name prettyName tierBlockPolicy usageType'],
      tier: ['blocks fixedPrice limits recurringPrice', ''],
      tieredBlock: ['max prices size unit', ''],
      limit: ['max min unit', ''],
      priceList: ['name plans', 'prettyName'],
    };
    const [parsed] = readCatalogXml(readFileSync(fixture('catalogs/every-element.xml'))).versions;
    if (!parsed) throw new Error('no version');
    const everything = createVersion(parsed.content);
    for (const dialect of ['K', 'D'] as const) {
      const json = catalogJson(everything, dialect);
      const plans = within(json.products, 'plans');
      const phases = within(plans, 'phases');
      const usages = within(phases, 'usages');
      const tiers = within(usages, 'tiers');
      const blocks = within(tiers, 'blocks');
      const found: Readonly<Record<string, readonly object[]>> = {
        catalog: [json],
        unit: json.units,
        product: json.products,
        plan: plans,
        phase: phases,
        duration: within(phases, 'duration'),
        price: [...within(phases, 'prices'), ...within(blocks, 'prices')],
        usage: usages,
        tier: tiers,
        tieredBlock: blocks,
        limit: within([...tiers, ...usages], 'limits'),
        priceList: json.priceLists,
      };
      for (const [name, [inK, addedInD]] of Object.entries(shapes)) {
        const fields = `${inK} ${dialect === 'D' ? addedInD : ''}`.trim().split(' ').toSorted();
        // The limits in the document are those of a usage, which dialect K does not show.
        if (name !== 'limit' || dialect === 'D') expect(found[name]?.length, name).to.be.greaterThan(0);
        for (const object of found[name] ?? []) expect(Object.keys(object).toSorted(), name).to.eql(fields);
      }
    }
  });

  it('preserves the spelling of limit and block numbers, and contains -1 for a missing bound', () => {
    const tiers = ['100.0', '-1'].map(
      (max) => `<tier><limits><limit><unit>u</unit><max>${max}</max><min>1.50</min></limit></limits>
        <recurringPrice>${price('USD', '5')}</recurringPrice></tier>`,
    );
    const usages = `
      <usage name="seats" billingMode="IN_ARREAR" usageType="CAPACITY"><billingPeriod>MONTHLY</billingPeriod>
        <limits><limit><unit>u</unit><max>7</max></limit></limits><tiers>${tiers.join('')}</tiers></usage>
      <usage name="credit" billingMode="IN_ADVANCE" usageType="CONSUMABLE"><billingPeriod>MONTHLY</billingPeriod>
        <blocks><block type="TOP_UP"><unit>u</unit><size>10.0</size><prices/><minTopUpCredit>5.00</minTopUpCredit></block></blocks></usage>`;
    const finalPhase = phase('EVERGREEN', { usages });
    const { content } = parse(catalogXml({ units: ['u'], plans: plan('p-m', 'P', { finalPhase }) }));
    const [seats, credit] = catalogJson(createVersion(content), 'D').products[0].plans[0].phases[0].usages;
    expect(seats.limits).to.eql([{ unit: 'u', max: '7', min: '-1' }]);
    expect(within(seats.tiers, 'limits')).to.eql([
      { unit: 'u', max: '100.0', min: '1.50' },
      { unit: 'u', max: '-1', min: '1.50' },
    ]);
    expect(credit.blocks).to.eql([
      { type: 'TOP_UP', unit: 'u', size: '10.0', prices: [], minTopUpCredit: '5.00' },
    ]);
  });

  it('contains null for a null price', () => {
    const { content } = parse(
      catalogXml({ plans: plan('p-m', 'P', { price: price('USD', null) }) }).replace(
        '<catalog>',
        `<catalog ${XSI}>`,
      ),
    );
    const [shownPlan] = catalogJson(createVersion(content), 'K').products[0].plans;
    expect(shownPlan.phases[0].prices).to.eql([{ currency: 'USD', value: null }]);
  });
});
