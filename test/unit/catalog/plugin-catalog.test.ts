import { expect } from 'chai';
import { compilePluginCatalog } from '../../../lib/catalog/formats/definition/compile-plugin-catalog.ts';
import {
  BillingError,
  type Catalog,
  canonicalXml,
  createVersion,
  type PluginCatalog,
  readCatalogXml,
} from '../../../lib/index.ts';
import { boatPlan, harbour } from '../../support/catalogs/plugin-catalog.ts';

const origin = { tenantId: 'T', pluginName: 'dock' };

function compile(given: PluginCatalog): Catalog {
  return compilePluginCatalog(given, origin);
}

function problemsOf(given: unknown): readonly string[] {
  try {
    compile(given as PluginCatalog);
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    expect(error.code).to.equal(2080);
    expect(error.message).to.match(
      /^Invalid catalog for tenant : T: catalog plugin "dock" gives one with errors: /,
    );
    return (error.problems ?? []).map((problem) => problem.message);
  }
  return [];
}

describe('catalogs of plugins', () => {
  it('fill in what may be left out: pretty names, rules, an empty DEFAULT, no limits, no end', () => {
    const [version] = compile(
      harbour([{ ...boatPlan('boat-monthly', '30.00'), priceList: 'Pier' }]),
    ).versions;
    if (version === undefined) throw new Error('no version');
    const plan = version.findPlan('boat-monthly');
    expect(plan).to.deep.include({
      prettyName: 'boat-monthly',
      recurringBillingMode: 'IN_ADVANCE',
      plansAllowedInBundle: -1,
      effectiveDateForExistingSubscriptions: null,
    });
    expect(plan.finalPhase.duration).to.deep.equal({ unit: 'UNLIMITED', number: -1 });
    expect(version.allPriceLists.map(({ name, plans }) => [name, plans])).to.deep.equal([
      ['DEFAULT', []],
      ['Pier', ['boat-monthly']],
    ]);
    const context = version.subscriptionContextOf(plan, 'EVERGREEN');
    expect(version.cancelPolicy(context)).to.equal('IMMEDIATE');
    expect(version.billingAlignment(context)).to.equal('ACCOUNT');
    expect(version.evaluatePlanChange(context, { planName: 'boat-monthly' }).policy).to.equal('IMMEDIATE');
  });

  it('say the same as the XML of the same content', () => {
    const given = harbour(
      [
        {
          ...boatPlan('boat-monthly', '30.00'),
          prettyName: 'A boat',
          effectiveDateForExistingSubscriptions: new Date('2010-02-01T00:00:00Z'),
          plansAllowedInBundle: 3,
          initialPhases: [{ type: 'TRIAL', duration: { unit: 'DAYS', number: 10 }, fixedPrice: [] }],
        },
        {
          name: 'fuel',
          product: 'Fuel',
          recurringBillingMode: 'IN_ARREAR',
          finalPhase: {
            type: 'EVERGREEN',
            usages: [
              {
                name: 'litres',
                usageType: 'CONSUMABLE',
                billingPeriod: 'MONTHLY',
                tiers: [
                  {
                    blocks: [
                      { unit: 'litre', size: '1', prices: [{ currency: 'USD', value: '1.50' }], max: '100' },
                    ],
                  },
                  { blocks: [{ unit: 'litre', size: '1', prices: [{ currency: 'USD', value: '1.20' }] }] },
                ],
              },
            ],
          },
        },
      ],
      {
        units: [{ name: 'litre' }],
        products: [
          { name: 'Boat', category: 'BASE', available: ['Fuel'], limits: [{ unit: 'litre', max: '5' }] },
          { name: 'Fuel', category: 'ADD_ON' },
        ],
        rules: {
          changePolicy: [{ phaseType: 'TRIAL', policy: 'IMMEDIATE' }, { policy: 'END_OF_TERM' }],
          priceList: [{ fromPriceList: 'Winter', toPriceList: 'Winter' }],
        },
        childPriceLists: [{ name: 'Winter', plans: ['boat-monthly'] }],
        defaultPriceList: { prettyName: 'All', plans: ['boat-monthly'] },
      },
    );
    const [version] = compile(given).versions;
    if (version === undefined) throw new Error('no version');
    const [read] = readCatalogXml(canonicalXml(version)).versions;
    if (read === undefined) throw new Error('no version read');
    expect(canonicalXml(createVersion(read.content))).to.equal(canonicalXml(version));
    expect(version.rules.changePolicy.map((each) => each.result)).to.deep.equal(['IMMEDIATE', 'END_OF_TERM']);
    expect(version.priceListOf(version.findPlan('fuel'))).to.equal('DEFAULT');
    expect(version.findPlan('fuel').finalPhase.usages[0]?.tiers[1]?.blocks[0]?.max.text).to.equal('-1');
  });

  const bad: readonly (readonly [what: string, given: unknown, message: RegExp])[] = [
    ['an amount that is a number', harbour([boatPlan('b', 30 as never)]), /30 is not a decimal number/],
    ['an amount with an exponent', harbour([boatPlan('b', '1e3')]), /"1e3" is not a decimal number/],
    ['a negative amount', harbour([boatPlan('b', '-1')]), /negative/],
    ['an unknown currency', harbour(undefined, { currencies: ['USD', 'XYZ'] }), /"XYZ" is not a currency/],
    ['a date that is none', harbour(undefined, { effectiveDate: new Date('never') }), /is not a Date/],
    ['a date in text', harbour(undefined, { effectiveDate: '2010-01-01' as never }), /is not a Date/],
    [
      'an unknown category',
      harbour(undefined, { products: [{ name: 'Boat', category: 'BASIS' as never }] }),
      /"BASIS" is not one of BASE/,
    ],
    [
      'a condition that does not exist',
      harbour(undefined, { rules: { cancelPolicy: [{ plan: 'x', policy: 'IMMEDIATE' } as never] } }),
      /there is no condition "plan"/,
    ],
    ['a missing product', harbour([{ ...boatPlan('b', '1'), product: 'Ship' }]), /"Ship" does not exist/],
    ['a name that is no NCName', harbour([boatPlan('9 lives', '1')]), /NCName/],
    ['a plan list that is none', harbour(null as never), /not those of a catalog/],
    ['no name', { ...harbour(), catalogName: ' ' }, /no name/],
    [
      'two versions of one date',
      { ...harbour(), versions: [...harbour().versions, ...harbour().versions] },
      /already is a version/,
    ],
    [
      'other phases of a plan in another version',
      {
        ...harbour(),
        versions: [
          ...harbour().versions,
          ...harbour(
            [
              {
                ...boatPlan('boat-monthly', '1'),
                initialPhases: [{ type: 'TRIAL', duration: { unit: 'DAYS', number: 1 }, fixedPrice: [] }],
              },
            ],
            { effectiveDate: new Date('2011-01-01T00:00:00Z') },
          ).versions,
        ],
      },
      /has the phases TRIAL, EVERGREEN here/,
    ],
  ];
  for (const [what, given, message] of bad) {
    it(`refuse ${what}`, () => {
      expect(problemsOf(given).join('\n')).to.match(message);
    });
  }

  it('with several errors list them all', () => {
    const given = harbour([boatPlan('b', 'x'), { ...boatPlan('c', '1'), product: 'Ship' }]);
    expect(problemsOf(given)).to.have.length(2);
  });
});
