import { compilePluginCatalog } from '../../../lib/catalog/formats/define-catalog.ts';
import type { Amount, Catalog, CatalogDefinition } from '../../../lib/index.ts';
import { BillingError, canonicalXml, createVersion, decimal, readCatalogXml } from '../../../lib/index.ts';
import { boatPlan, harbour } from '../../support/catalogs/priced-catalog.ts';
import { expect, valueOrError } from '../../support/unit.ts';

const origin = { tenantId: 'T', pluginName: 'dock' };

function compile(given: CatalogDefinition): Catalog {
  return compilePluginCatalog(given, origin);
}

function problemsOf(given: unknown): readonly string[] {
  const error = valueOrError(() => compile(given as CatalogDefinition));
  if (!(error instanceof BillingError)) return [];
  expect(error.code).to.equal(2080);
  expect(error.message).to.match(/^Invalid catalog for tenant T, returned by catalog plugin "dock": /);
  return (error.problems ?? []).map((problem) => problem.message);
}

describe('plugin catalogs', () => {
  it('have defaults for omitted pretty names, rules, the DEFAULT list, limits and ends', () => {
    const [version] = compile(
      harbour(boatPlan('boat-monthly', '30.00'), { priceLists: { Pier: ['boat-monthly'] } as never }),
    ).versions;
    if (version === undefined) throw new Error('no version');
    const plan = version.findPlan('boat-monthly');
    expect(plan).to.deep.include({
      prettyName: 'boat-monthly',
      recurringBillingMode: 'IN_ADVANCE',
      plansAllowedInBundle: -1,
      effectiveDateForExistingSubscriptions: null,
    });
    expect(plan.finalPhase.duration).to.eql({ unit: 'UNLIMITED', number: -1 });
    expect(version.allPriceLists.map(({ name, plans }) => [name, plans])).to.eql([
      ['DEFAULT', []],
      ['Pier', ['boat-monthly']],
    ]);
    const context = version.subscriptionContextOf(plan, 'EVERGREEN');
    expect(version.cancelPolicy(context)).to.equal('IMMEDIATE');
    expect(version.billingAlignment(context)).to.equal('ACCOUNT');
    expect(version.evaluatePlanChange(context, { planName: 'boat-monthly' }).policy).to.equal('IMMEDIATE');
  });

  it('can declare features', () => {
    const features = { berths: { kind: 'NUMBER', combine: 'MAX' } } as const;
    const plans = boatPlan('boat-monthly', '30.00', { features: { berths: 4 } });
    const [version] = compile(harbour(plans, { features })).versions;
    expect(version?.features).to.eql([{ name: 'berths', kind: 'NUMBER', combine: 'MAX', unit: null }]);
    const unset = { per: null, overage: null, perQuantity: null };
    expect(version?.findPlan('boat-monthly').features).to.eql([{ name: 'berths', value: '4', ...unset }]);
    expect(problemsOf(harbour(plans))).to.eql([
      'Plan "boat-monthly": feature "berths" is not declared in this version',
    ]);
  });

  it('equal the XML catalog with the same content', () => {
    const given = harbour(
      {
        ...boatPlan('boat-monthly', '30.00', {
          prettyName: 'A boat',
          effectiveDateForExistingSubscriptions: '2010-02-01',
          plansAllowedInBundle: 3,
          initialPhases: [{ type: 'TRIAL', duration: { unit: 'DAYS', number: 10 }, fixed: 0 }],
        }),
        fuel: {
          product: 'Fuel',
          recurringBillingMode: 'IN_ARREAR',
          finalPhase: {
            type: 'EVERGREEN',
            usages: {
              litres: {
                billingMode: 'IN_ARREAR',
                usageType: 'CONSUMABLE',
                billingPeriod: 'MONTHLY',
                tiers: [
                  { blocks: [{ unit: 'litre', size: '1', prices: { USD: decimal('1.5') }, max: '100' }] },
                  { blocks: [{ unit: 'litre', size: 1, prices: { USD: '1.20' } }] },
                ],
              },
            },
          },
        },
      },
      {
        units: { litre: {} },
        products: {
          Boat: { category: 'BASE', available: ['Fuel'], limits: [{ unit: 'litre', max: '5' }] },
          Fuel: { category: 'ADD_ON' },
        },
        rules: {
          changePolicy: [{ phaseType: 'TRIAL', policy: 'IMMEDIATE' }, { policy: 'END_OF_TERM' }],
          cancelPolicy: [{ policy: 'IMMEDIATE' }],
          priceList: [{ fromPriceList: 'Winter', toPriceList: 'Winter' }],
        },
        priceLists: {
          DEFAULT: { prettyName: 'All', plans: ['boat-monthly', 'fuel'] },
          Winter: ['boat-monthly'],
        },
      },
    );
    const [version] = compile(given).versions;
    if (version === undefined) throw new Error('no version');
    const [read] = readCatalogXml(canonicalXml(version)).versions;
    if (read === undefined) throw new Error('no version read');
    expect(canonicalXml(createVersion(read.content))).to.equal(canonicalXml(version));
    expect(version.rules.changePolicy.map((each) => each.result)).to.eql(['IMMEDIATE', 'END_OF_TERM']);
    expect(version.priceListOf(version.findPlan('fuel'))).to.equal('DEFAULT');
    const [first, second] = version.findPlan('fuel').finalPhase.usages[0]?.tiers ?? [];
    expect(first?.blocks[0]?.prices.prices[0]?.amount?.text).to.equal('1.5');
    expect(second?.blocks[0]?.max.text).to.equal('-1');
  });

  it('put all plans in the DEFAULT list if they define no lists', () => {
    const [version] = compile(harbour({ ...boatPlan('a', '1'), ...boatPlan('b', '2') })).versions;
    expect(version?.allPriceLists.map(({ name, plans }) => [name, plans])).to.eql([['DEFAULT', ['a', 'b']]]);
  });

  const bad: Readonly<Record<string, readonly [given: unknown, message: RegExp]>> = {
    'an amount that is a number': [harbour(boatPlan('b', 30 as never)), /30 is not a decimal number/],
    'an amount with an exponent': [harbour(boatPlan('b', '1e3')), /"1e3" is not a decimal number/],
    'a negative amount': [harbour(boatPlan('b', '-1')), /negative/],
    'usage in advance (V21)': [
      harbour(
        boatPlan('b', '1', {
          finalPhase: {
            type: 'EVERGREEN',
            usages: {
              litres: { billingMode: 'IN_ADVANCE', usageType: 'CONSUMABLE', billingPeriod: 'MONTHLY' },
            },
          },
        }),
      ),
      /^Usage "litres" is IN_ADVANCE, which is never billed/,
    ],
    'an unknown currency': [
      harbour(undefined, { currencies: ['USD', 'XYZ' as never] }),
      /"XYZ" is not a currency/,
    ],
    'an invalid date': [harbour(undefined, { effectiveDate: 'never' }), /"never" is not a date-time/],
    'a date that is not a string': [
      harbour(undefined, { effectiveDate: new Date(0) as never }),
      /is not a date-time/,
    ],
    'an unknown category': [
      harbour(undefined, { products: { Boat: { category: 'BASIS' as never } } }),
      /"BASIS" is not a product category \(BASE/,
    ],
    'an unknown condition': [
      harbour(undefined, {
        rules: { changePolicy: [], cancelPolicy: [{ plan: 'x', policy: 'IMMEDIATE' } as never] },
      }),
      /unknown condition "plan"/,
    ],
    'an unknown product': [harbour(boatPlan('b', '1', { product: 'Ship' })), /"Ship" does not exist/],
    'a name that is not an NCName': [harbour(boatPlan('9 lives', '1')), /NCName/],
    'a null plan list': [harbour(null as never), /plans is missing/],
    'plans given as an array': [harbour([] as never), /plans: a list is not an object keyed by name/],
    'versions that are not an array': [{ name: 'Harbour', versions: {} }, /versions is not a list/],
    'a null version': [{ name: 'Harbour', versions: [null] }, /effectiveDate is missing/],
    'text that XML cannot contain': [
      harbour(boatPlan('b', '1', { prettyName: '\u0001' })),
      /XML does not allow/,
    ],
    'a blank name': [{ ...harbour(), name: ' ' }, /catalogName: " " is not a text/],
    'two versions with the same date': [
      { ...harbour(), versions: [...harbour().versions, ...harbour().versions] },
      /already exists/,
    ],
    'different phases of a plan in another version': [
      {
        ...harbour(),
        versions: [
          ...harbour().versions,
          ...harbour(
            boatPlan('boat-monthly', '1', {
              initialPhases: [{ type: 'TRIAL', duration: { unit: 'DAYS', number: 1 }, fixed: 0 }],
            }),
            { effectiveDate: '2011-01-01' },
          ).versions,
        ],
      },
      /has the phases TRIAL, EVERGREEN here/,
    ],
  };
  for (const [what, [given, message]] of Object.entries(bad))
    it(`are rejected for ${what}`, () => expect(problemsOf(given).join('\n')).to.match(message));

  it('report all errors together', () => {
    const unread = { ...boatPlan('b', 'x' as Amount), ...boatPlan('c', '1', { product: 7 as never }) };
    expect(problemsOf(harbour(unread))).to.have.length(2);
    const wrong = { ...boatPlan('b', '-1'), ...boatPlan('c', '1', { product: 'Ship' }) };
    expect(problemsOf(harbour(wrong))).to.have.length(2);
  });
});
