import type { EditedVersion } from '../../../lib/catalog/formats/add-simple-plan.ts';
import { addSimplePlan, checkSimplePlan } from '../../../lib/catalog/formats/add-simple-plan.ts';
import type { Catalog, SimplePlan } from '../../../lib/index.ts';
import { createCatalog, createVersion, decimal, formatInstant, validateVersion } from '../../../lib/index.ts';
import { atOnce } from '../../../lib/runtime/wait/turns.ts';
import { at, phase, plan, price, version } from '../../support/catalogs/catalog-document.ts';
import { errorOf, expect } from '../../support/unit.ts';

const now = at('2024-02-10T09:00:00Z');
const lamp: SimplePlan = {
  planId: 'lamp-monthly',
  productName: 'Lamp',
  productCategory: 'BASE',
  currency: 'USD',
  amount: decimal('12.50'),
  billingPeriod: 'MONTHLY',
  trialLength: 14,
  trialTimeUnit: 'DAYS',
};

function edit(catalog: Catalog, request: SimplePlan): readonly EditedVersion[] {
  const edits = atOnce(addSimplePlan(catalog, checkSimplePlan(request), now));
  for (const { content } of edits) expect(validateVersion({ content }).errors).to.eql([]);
  return edits;
}

function edited(catalog: Catalog, request: SimplePlan): Catalog {
  const edits = edit(catalog, request);
  const replaced = new Set(edits.map(({ replaces }) => replaces));
  const kept = catalog.versions.filter((version) => !replaced.has(version));
  return createCatalog([...kept, ...edits.map(({ content }) => createVersion(content))]);
}

function refusal(catalog: Catalog, request: SimplePlan): string {
  const error = errorOf(() => atOnce(addSimplePlan(catalog, checkSimplePlan(request), now)));
  expect(error.code).to.equal(2060);
  return error.message;
}

function pricesOf(catalog: Catalog, planName = 'lamp-monthly') {
  const found = catalog.versions.at(-1)?.findPlan(planName);
  const shown = (prices: { currency: string; amount: { text: string } | null }[]) =>
    prices.map(({ currency, amount }) => `${currency} ${amount?.text ?? 'null'}`);
  return {
    trial: shown([...(found?.initialPhases[0]?.fixed?.price.prices ?? [])]),
    recurring: shown([...(found?.finalPhase.recurring?.price?.prices ?? [])]),
  };
}

const empty = createCatalog([]);

describe('simple plan', () => {
  for (const [field, given, message] of [
    ['billingPeriod', 'monthly', /billingPeriod "monthly" is not one of DAILY, .*MONTHLY/],
    ['productCategory', 'base', /productCategory "base" is not one of BASE, ADD_ON, STANDALONE/],
    ['trialTimeUnit', 'days', /trialTimeUnit "days" is not one of DAYS, /],
    ['trialLength', 1.5, /trialLength 1.5 is not a whole number/],
    ['trialLength', 'x', /trialLength "x" is not a whole number/],
  ] as const)
    it(`rejects the ${field} ${given} from untyped code`, () =>
      expect(refusal(empty, { ...lamp, [field]: given })).to.match(message));

  it('creates a first version, and adds a currency and an add-on (catalog W17 "Simple plan")', () => {
    const first = edited(empty, lamp);
    const [version] = first.versions;
    expect(version && formatInstant(version.effectiveDate)).to.equal('2024-02-09T09:00:00.000Z');
    expect(version?.catalogName).to.equal('DEFAULT');
    expect(version?.currencies).to.eql(['USD']);
    expect(version?.units).to.eql([]);
    expect(pricesOf(first)).to.eql({ trial: ['USD 0'], recurring: ['USD 12.5'] });
    expect(version?.priceListOf(version.findPlan('lamp-monthly'))).to.equal('DEFAULT');
    expect(version?.rules.changePolicy.map(({ result }) => result)).to.eql(['IMMEDIATE']);

    const second = edited(first, { ...lamp, currency: 'EUR', amount: decimal('11.00') });
    expect(second.versions[0]?.currencies).to.eql(['USD', 'EUR']);
    expect(pricesOf(second)).to.eql({ trial: [], recurring: ['USD 12.5', 'EUR 11'] });

    expect(refusal(second, { ...lamp, amount: decimal('13') })).to.match(/already has the price 12.5 in USD/);
    const third = edited(second, {
      planId: 'bulb-monthly',
      productName: 'Bulb',
      productCategory: 'ADD_ON',
      currency: 'USD',
      amount: decimal('1'),
      billingPeriod: 'MONTHLY',
      availableBaseProducts: ['Lamp'],
    });
    expect(third.versions[0]?.findProduct('Lamp').available).to.eql(['Bulb']);
    expect(third.versions[0]?.findPlan('bulb-monthly').initialPhases).to.eql([]);
    expect(refusal(third, { ...lamp, planId: '9lives' })).to.match(/"9lives" is not a valid name/);
  });

  it('ignores a trial of unlimited length', () => {
    const catalog = edited(empty, { ...lamp, trialTimeUnit: 'UNLIMITED' });
    expect(catalog.versions[0]?.findPlan('lamp-monthly').initialPhases).to.eql([]);
  });

  it('leaves the catalog unchanged when it is added again, with or without optional fields', () => {
    const catalog = edited(empty, lamp);
    expect(edit(catalog, lamp)).to.eql([]);
    expect(edit(catalog, { planId: 'lamp-monthly', currency: 'USD', amount: decimal('12.5') })).to.eql([]);
  });

  it('edits the current version and every later version, never an earlier version', () => {
    const catalog = createCatalog(
      ['2023-01-01', '2024-01-01', '2025-01-01'].map((effectiveDate) => version({ effectiveDate })),
    );
    const after = edited(catalog, lamp);
    expect(after.versions.map((each) => each.planNamed('lamp-monthly') !== undefined)).to.eql([
      false,
      true,
      true,
    ]);
    const partly = createCatalog([...after.versions.slice(0, 2), ...catalog.versions.slice(2)]);
    expect(edit(partly, lamp).map(({ replaces }) => replaces?.effectiveDate)).to.eql([
      at('2025-01-01T00:00:00Z'),
    ]);
  });

  it('clears the trial price when it adds a currency that other plans already have', () => {
    const two = edited(edited(empty, lamp), { ...lamp, planId: 'other', currency: 'EUR' });
    expect(pricesOf(edited(two, { ...lamp, currency: 'EUR' })).trial).to.eql([]);
  });

  it('accepts only the price 0 once it is free in every currency', () => {
    const free = createCatalog([version({ plans: plan('p-m', 'P', { price: '' }) })]);
    expect(edit(free, { planId: 'p-m', currency: 'USD', amount: decimal('0') })).to.eql([]);
    expect(refusal(free, { planId: 'p-m', currency: 'USD', amount: decimal('1') })).to.match(
      /has the price 0/,
    );
  });

  const incomplete: Readonly<Record<string, readonly [request: SimplePlan, message: RegExp]>> = {
    'a missing planId': [{ ...lamp, planId: null }, /planId needs to be set/],
    'a missing product for a new plan': [{ ...lamp, productName: '' }, /productName needs to be set/],
    'a missing amount': [{ ...lamp, amount: null }, /amount needs to be set/],
    'a negative amount': [{ ...lamp, amount: decimal('-1') }, /negative/],
    'a missing currency': [{ ...lamp, currency: null }, /currency needs to be set/],
    'an unknown currency': [{ ...lamp, currency: 'XYZ' }, /"XYZ" is not a currency/],
    'a missing billing period for a new plan': [
      { ...lamp, billingPeriod: null },
      /billingPeriod needs to be set/,
    ],
    'a missing category for a new product': [
      { ...lamp, productCategory: null },
      /productCategory needs to be set/,
    ],
    'an add-on without base products': [
      { ...lamp, productCategory: 'ADD_ON' },
      /availableBaseProducts needs to be set/,
    ],
    'an add-on for an unknown base product': [
      { ...lamp, productCategory: 'ADD_ON', availableBaseProducts: ['Sun'] },
      /"Sun", which is not a product/,
    ],
    'a negative trial': [{ ...lamp, trialLength: -1 }, /trialLength is negative/],
    'a trial without a unit': [{ ...lamp, trialTimeUnit: null }, /trialTimeUnit needs to be set/],
  };
  for (const [what, [request, message]] of Object.entries(incomplete))
    it(`rejects ${what}`, () => expect(refusal(empty, request)).to.match(message));

  const disagreeing: readonly (readonly [what: string, request: SimplePlan, message: RegExp])[] = [
    ['a different product', { ...lamp, productName: 'Candle' }, /belongs to product "Lamp"/],
    ['a different product category', { ...lamp, productCategory: 'STANDALONE' }, /is BASE, not STANDALONE/],
    ['a different trial length', { ...lamp, trialLength: 15 }, /a trial of 14 DAYS, not a trial of 15 DAYS/],
    ['a different trial unit', { ...lamp, trialTimeUnit: 'WEEKS' }, /not a trial of 14 WEEKS/],
    ['a missing trial', { ...lamp, trialLength: 0 }, /not no trial/],
    [
      'a different billing period',
      { ...lamp, billingPeriod: 'ANNUAL' },
      /has the billing period MONTHLY, not ANNUAL/,
    ],
  ];
  for (const [what, request, message] of disagreeing)
    it(`rejects ${what} for an existing plan`, () =>
      expect(refusal(edited(empty, lamp), request)).to.match(message));

  it('cannot extend a plan that is not simple', () => {
    const discount = phase('DISCOUNT', { price: '1' });
    const paidTrial = phase('TRIAL', { fixed: '1' });
    const fixedTerm = phase('FIXEDTERM', { price: '1' });
    const request: SimplePlan = { planId: 'p-m', currency: 'USD', amount: decimal('1') };
    const withPlan = (changes: Parameters<typeof plan>[2]) =>
      createCatalog([version({ plans: plan('p-m', 'P', changes) })]);
    expect(refusal(withPlan({ initialPhases: discount }), request)).to.match(/more than a free trial/);
    expect(refusal(withPlan({ initialPhases: paidTrial }), request)).to.match(/more than a free trial/);
    const freeTrial = phase('TRIAL', { fixed: '' });
    expect(refusal(withPlan({ initialPhases: freeTrial }), request)).to.match(/has the price 10/);
    const block = `<tieredBlock><unit>u</unit><size>1</size><prices>${price('USD', '1')}</prices><max>-1</max></tieredBlock>`;
    const metered = `<usage name="metered" billingMode="IN_ARREAR" usageType="CONSUMABLE">
      <billingPeriod>MONTHLY</billingPeriod><tiers><tier><blocks>${block}</blocks></tier></tiers></usage>`;
    const meteredTrial = phase('TRIAL', { fixed: '', usages: metered });
    const withMetered = createCatalog([
      version({ units: ['u'], plans: plan('p-m', 'P', { initialPhases: meteredTrial }) }),
    ]);
    expect(refusal(withMetered, request)).to.match(/more than a free trial/);
    expect(refusal(withPlan({ initialPhases: freeTrial + discount }), request)).to.match(/more than a free/);
    expect(refusal(withPlan({ finalPhase: fixedTerm }), request)).to.match(/ends with a FIXEDTERM/);
  });
});
