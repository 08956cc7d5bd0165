import type { InternationalPrice, Plan, Usage } from '../../../lib/catalog/index.ts';
import {
  CatalogWithOverrides,
  createCatalog,
  defineOverrides,
  matchPriceOverrides,
  OverridePlan,
} from '../../../lib/catalog/index.ts';
import { dryRunOverridePlan } from '../../../lib/catalog/operations/obtain-override-plan.ts';
import {
  freeNumber,
  readOverrides,
  writeOverrides,
} from '../../../lib/catalog/overrides/define-overrides.ts';
import type { PriceOverrideRequest } from '../../../lib/ports/plugins/entitlement-plugin.ts';
import { formatLocalDate, parseLocalDate, timeZone } from '../../../lib/values/time/index.ts';
import { at, lists, phase, plan, price, version } from '../../support/catalogs/catalog-document.ts';
import { type Currency, decimal, ErrorCode, errorOf, expect } from '../../support/unit.ts';

const NIL =
  '<price><currency>EUR</currency><value xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/></price>';

/** Returns the plan of W10, by default for USD 24.00. */
function studio(parts: { date?: string; usd?: string; eur?: string; more?: string; other?: string } = {}) {
  const { date = '2024-01-01', usd = '24.00', eur = price('EUR', '22.00'), more = '', other } = parts;
  const trial = phase('TRIAL', { number: 14, fixed: '' });
  const evergreen = phase('EVERGREEN', { price: price('USD', usd) + eur });
  const studioMonthly = plan('studio-monthly', 'P', { initialPhases: trial, finalPhase: evergreen, more });
  return version({
    effectiveDate: date,
    currencies: ['USD', 'EUR', 'GBP'],
    plans: studioMonthly + (other ? plan(other, 'P') : ''),
    priceLists: lists({ DEFAULT: ['studio-monthly', ...(other ? [other] : [])] }),
  });
}

const v1 = studio();
const base = v1.findPlan('studio-monthly');

const trial5 = { phaseType: 'TRIAL', fixedPrice: decimal('5') };
const evergreen19 = { phaseType: 'EVERGREEN', recurringPrice: decimal('19') };

function overridden(requests: readonly PriceOverrideRequest[], currency: Currency = 'USD', of: Plan = base) {
  const definition = defineOverrides({ plan: of, chosen: undefined, currency, requests });
  return new OverridePlan(`${of.name}-1`, definition);
}

const amounts = (international: InternationalPrice | null | undefined): readonly string[] | undefined =>
  international?.prices.map(({ currency, amount }) => `${currency} ${amount?.value.toFixed() ?? 'nil'}`);

const fixedOf = (of: Plan) => amounts(of.phases[0]?.fixed?.price);
const recurringOf = (of: Plan) => amounts(of.finalPhase.recurring?.price);

describe('price override handling', () => {
  it('overrides a recurring price in the account currency only (catalog W10 a)', () => {
    const made = overridden([evergreen19]).planFrom(base);
    expect(made.name).to.equal('studio-monthly-1');
    expect(made.parentPlanName).to.equal('studio-monthly');
    expect(made.phases.map(({ name }) => name)).to.eql([
      'studio-monthly-1-trial',
      'studio-monthly-1-evergreen',
    ]);
    expect(recurringOf(made)).to.eql(['USD 19', 'EUR 22']);
    expect(fixedOf(made)).to.eql([]);
  });

  it('returns the same definition for an equal override (catalog W10 b)', () => {
    const first = overridden([evergreen19]);
    const again = overridden([{ phaseName: 'studio-monthly-evergreen', recurringPrice: decimal('19.00') }]);
    expect(writeOverrides(again.overrides)).to.equal(writeOverrides(first.overrides));
  });

  it('overrides a fixed trial price and a recurring price together (catalog W10 c)', () => {
    const made = overridden([trial5, evergreen19]).planFrom(base);
    expect(fixedOf(made)).to.eql(['USD 5']);
    expect(recurringOf(made)).to.eql(['USD 19', 'EUR 22']);
  });

  it('overrides only a fixed trial price (catalog W10 d)', () => {
    const made = overridden([trial5]).planFrom(base);
    expect(fixedOf(made)).to.eql(['USD 5']);
    expect(recurringOf(made)).to.eql(['USD 24', 'EUR 22']);
  });

  const w10Refused: readonly (readonly [string, PriceOverrideRequest])[] = [
    ['(e) TRIAL recurring 3', { phaseType: 'TRIAL', recurringPrice: decimal('3') }],
    ['(f) phaseType DISCOUNT', { phaseType: 'DISCOUNT', recurringPrice: decimal('3') }],
  ];
  for (const [name, request] of w10Refused)
    it(`rejects ${name} (catalog W10 "Overrides")`, () =>
      expect(errorOf(() => matchPriceOverrides(base, [request])).code).to.equal(
        ErrorCode.CATALOG_INVALID_PRICE_OVERRIDE,
      ));

  it('keeps an overridden recurring price, but not a list price, when a later version changes the price (catalog W10 "Overrides")', () => {
    const existing =
      '<effectiveDateForExistingSubscriptions>2024-07-01T00:00:00Z</effectiveDateForExistingSubscriptions>';
    const catalog = createCatalog([v1, studio({ date: '2024-06-01', usd: '29.00', more: existing })]);
    const a = overridden([evergreen19]);
    const d = new OverridePlan('studio-monthly-3', overridden([trial5]));
    const plans = new CatalogWithOverrides(catalog, [a, d]);
    const priceOf = (name: string, date: string) =>
      recurringOf(plans.resolvePlan(name, at(date), at('2024-02-01')).plan)?.[0];
    expect(priceOf('studio-monthly', '2024-07-01')).to.equal('USD 29');
    expect(priceOf(a.name, '2024-07-01')).to.equal('USD 19');
    expect(priceOf(d.name, '2024-06-30')).to.equal('USD 24');
    expect(priceOf(d.name, '2024-07-01')).to.equal('USD 29');
    const changesOf = (planName: string) => {
      const started = { at: at('2024-02-15'), date: parseLocalDate('2024-02-15') };
      const { plan: begun } = plans.resolvePlan(planName, started.at, started.at);
      const step = { kind: 'PLAN', effective: started, planName, phase: begun.finalPhase } as const;
      return plans
        .priceChangeEvents({ steps: [step], zone: timeZone('UTC') })
        .map(({ effective, plan: changed }) => [
          formatLocalDate(effective.date),
          changed.name,
          recurringOf(changed),
        ]);
    };
    expect(changesOf(a.name)).to.eql([]);
    expect(changesOf(d.name)).to.eql([['2024-07-01', d.name, ['USD 29', 'EUR 22']]]);
    expect(fixedOf(plans.resolvePlan(d.name, at('2024-07-01'), at('2024-02-01')).plan)).to.eql(['USD 5']);
  });

  it('keeps all other values of the plan', () => {
    const made = overridden([evergreen19]).planFrom(base);
    const { name: _, parentPlanName: __, initialPhases, finalPhase, phases: ___, ...rest } = made;
    const { name: ____, initialPhases: ofBase, finalPhase: lastOfBase, phases: _____, ...restOfBase } = base;
    expect(rest).to.eql(restOfBase);
    expect(initialPhases).to.eql(ofBase.map((each) => ({ ...each, name: 'studio-monthly-1-trial' })));
    expect({ ...finalPhase, recurring: null, name: '' }).to.eql({ ...lastOfBase, recurring: null, name: '' });
    expect(v1.priceListOf(made)).to.equal('DEFAULT');
    expect(v1.contextOf(made)).to.eql(v1.contextOf(base));
    expect(made).to.be.frozen;
    expect(made.finalPhase.recurring?.price?.prices[0]).to.be.frozen;
  });

  it('keeps the billing mode, bundle limit, date for existing subscriptions and names of the plan', () => {
    const of = version({
      plans: plan('p-m', 'P', {
        more: `<recurringBillingMode>IN_ARREAR</recurringBillingMode><plansAllowedInBundle>2</plansAllowedInBundle>
          <effectiveDateForExistingSubscriptions>2024-03-01</effectiveDateForExistingSubscriptions>`,
      }).replace('<plan', '<plan prettyName="The Plan"'),
    }).findPlan('p-m');
    const made = overridden([evergreen19], 'USD', of).planFrom(of);
    expect(made).to.deep.include({
      name: 'p-m-1',
      prettyName: 'The Plan',
      product: 'P',
      recurringBillingMode: 'IN_ARREAR',
      plansAllowedInBundle: 2,
      effectiveDateForExistingSubscriptions: at('2024-03-01'),
    });
  });

  const currencies: readonly (readonly [string, string, Currency, readonly string[]])[] = [
    ['replaces the entry of the currency', '', 'EUR', ['USD 24', 'EUR 7']],
    ['replaces an entry that is null', NIL, 'EUR', ['USD 24', 'EUR 7']],
    ['adds an entry when the currency is missing', '', 'GBP', ['USD 24', 'EUR 22', 'GBP 7']],
  ];
  for (const [name, eur, currency, expected] of currencies)
    it(name, () => {
      const of = studio(eur === '' ? {} : { eur }).findPlan('studio-monthly');
      const requests = [{ phaseType: 'EVERGREEN', recurringPrice: decimal('7') }];
      expect(recurringOf(overridden(requests, currency, of).planFrom(of))).to.eql(expected);
    });

  it('accepts a price of zero, and several overrides of one phase for different prices', () => {
    const of = version({
      plans: plan('p-m', 'P', { finalPhase: phase('EVERGREEN', { price: '10', fixed: '3' }) }),
    }).findPlan('p-m');
    const made = overridden(
      [
        { phaseType: 'EVERGREEN', recurringPrice: decimal(0) },
        { phaseName: 'p-m-evergreen', phaseType: 'TRIAL', fixedPrice: decimal('1') },
      ],
      'USD',
      of,
    ).planFrom(of);
    expect(recurringOf(made)).to.eql(['USD 0']);
    expect(amounts(made.finalPhase.fixed?.price)).to.eql(['USD 1']);
  });

  const refused: Readonly<Record<string, readonly [readonly PriceOverrideRequest[], RegExp]>> = {
    'a fixed price for a phase without one': [
      [{ phaseType: 'EVERGREEN', fixedPrice: decimal(1) }],
      /no fixed price/,
    ],
    'a recurring price for a phase without one': [
      [{ phaseType: 'TRIAL', recurringPrice: decimal(1) }],
      /no recurring price of phase "studio-monthly-trial"/,
    ],
    'an unknown phase type': [[{ phaseType: 'GRACE', fixedPrice: decimal(1) }], /no phase "GRACE"/],
    'an unknown phase name, whatever the type': [
      [{ phaseName: 'studio-evergreen', phaseType: 'EVERGREEN', recurringPrice: decimal(1) }],
      /no phase "studio-evergreen"/,
    ],
    'an override without a phase': [[{ recurringPrice: decimal(1) }], /needs a phaseName or phaseType/],
    'an override for another plan': [
      [{ planName: 'p-m', phaseType: 'EVERGREEN', recurringPrice: decimal(1) }],
      /"p-m" is not the overridden plan/,
    ],
    'a usage missing from the phase': [
      [
        {
          phaseType: 'EVERGREEN',
          usagePrices: [{ usageName: 'u', tierPrices: [{ recurringPrice: decimal(1) }] }],
        },
      ],
      /no usage "u"; it has none/,
    ],
    'two amounts for one price': [
      [evergreen19, { ...evergreen19, recurringPrice: decimal(18) }],
      /overridden twice/,
    ],
    'a duplicate amount': [[evergreen19, evergreen19], /overridden twice/],
    'a negative price': [[{ phaseType: 'EVERGREEN', recurringPrice: decimal('-0.01') }], /negative/],
    'ten fractional digits': [
      [{ phaseType: 'EVERGREEN', recurringPrice: decimal('0.0000000001') }],
      /9 fractional digits/,
    ],
  };
  for (const [name, [requests, message]] of Object.entries(refused))
    it(`rejects ${name}`, () => {
      const error = errorOf(() => matchPriceOverrides(base, requests));
      expect(error.code).to.equal(ErrorCode.CATALOG_INVALID_PRICE_OVERRIDE);
      expect(error.message).to.match(message);
    });

  it('rejects a JavaScript number, because it can differ from the written value', () => {
    const request = Object.assign({ phaseType: 'EVERGREEN' }, JSON.parse('{"recurringPrice":19.1}'));
    expect(errorOf(() => matchPriceOverrides(base, [request])).message).to.match(/must be a decimal/);
  });

  it('rejects an account without a currency', () => {
    const define = () =>
      defineOverrides({ plan: base, chosen: undefined, currency: null, requests: [evergreen19] });
    expect(errorOf(define).code).to.equal(ErrorCode.CURRENCY_INVALID);
  });
});

describe('override plan definition', () => {
  it('depends on amount, phase and currency, but not on the order of overrides', () => {
    const textOf = (requests: readonly PriceOverrideRequest[]) =>
      writeOverrides(overridden(requests).overrides);
    expect(textOf([trial5, evergreen19])).to.equal(textOf([evergreen19, trial5]));
    expect(textOf([evergreen19])).to.equal('[["RECURRING","EVERGREEN","19"]]');
    expect(textOf([trial5, evergreen19])).to.equal('[["FIXED","TRIAL","5"],["RECURRING","EVERGREEN","19"]]');
    expect(overridden([evergreen19], 'EUR').currency).to.equal('EUR');
  });

  it('preserves the plan when it is written and read', () => {
    const { overrides } = overridden([trial5, { ...evergreen19, recurringPrice: decimal('0.000000001') }]);
    expect(writeOverrides(readOverrides(writeOverrides(overrides)))).to.equal(writeOverrides(overrides));
    expect(
      new OverridePlan('x-1', {
        parentPlanName: base.name,
        currency: 'USD',
        overrides: readOverrides(writeOverrides(overrides)),
      })
        .planFrom(base)
        .finalPhase.recurring?.price?.prices[0]?.amount?.value.toFixed(),
    ).to.equal('0.000000001');
  });

  it('keeps the prices of a parent override plan unless the override defines new prices', () => {
    const chosen = overridden([trial5, evergreen19]);
    const again = defineOverrides({
      plan: chosen.planFrom(base),
      chosen,
      currency: 'USD',
      requests: [
        {
          planName: 'studio-monthly-1',
          phaseName: 'studio-monthly-1-evergreen',
          recurringPrice: decimal(17),
        },
      ],
    });
    expect(again.parentPlanName).to.equal('studio-monthly');
    expect(writeOverrides(again.overrides)).to.equal(
      '[["FIXED","TRIAL","5"],["RECURRING","EVERGREEN","17"]]',
    );
  });

  it('keeps only the new prices when the parent override plan uses another currency', () => {
    const chosen = overridden([trial5, evergreen19]);
    const requests = [{ phaseType: 'EVERGREEN', recurringPrice: decimal(17) }];
    const again = defineOverrides({ plan: chosen.planFrom(base), chosen, currency: 'EUR', requests });
    expect(writeOverrides(again.overrides)).to.equal('[["RECURRING","EVERGREEN","17"]]');
  });

  it('skips numbers whose plan names are taken', () => {
    expect(freeNumber(1, (number) => number < 4)).to.equal(4);
    expect(freeNumber(3, () => false)).to.equal(3);
  });
});

describe('catalog with override plans', () => {
  const a = overridden([evergreen19]);
  const plans = new CatalogWithOverrides(createCatalog([v1]), [a]);

  it('finds an override plan only by its exact name', () => {
    expect(plans.selectPlan(v1, { planName: 'studio-monthly-1' }).name).to.equal('studio-monthly-1');
    for (const planName of [
      'studio-monthly-2',
      'studio-monthly-01',
      'studio-monthly-1-1',
      'STUDIO-MONTHLY-1',
    ]) {
      expect(errorOf(() => plans.selectPlan(v1, { planName })).code, planName).to.equal(
        ErrorCode.CATALOG_NO_SUCH_PLAN,
      );
    }
    const specifier = { productName: 'P', billingPeriod: 'MONTHLY' } as const;
    expect(plans.selectPlan(v1, specifier).name).to.equal('studio-monthly');
    expect(v1.plans.map(({ name }) => name)).to.eql(['studio-monthly']);
  });

  it('returns the same plan for the same parent, and no plan for a retired parent', () => {
    expect(plans.planIn(v1, a.name)).to.equal(plans.planIn(v1, a.name));
    const without = version({ effectiveDate: '2024-06-01' });
    const later = new CatalogWithOverrides(createCatalog([v1, without]), [a]);
    expect(later.planIn(without, a.name)).to.equal(undefined);
    expect(later.newestPlan(a.name)?.version).to.equal(v1);
    expect(later.resolvePlan(a.name, at('2024-08-01'), at('2024-02-01')).plan.name).to.equal(a.name);
    expect(errorOf(() => later.selectPlan(without, { planName: a.name })).code).to.equal(
      ErrorCode.CATALOG_NO_SUCH_PLAN,
    );
  });

  it('keeps the price list of the parent plan for rules and plan changes', () => {
    const club = version({
      plans: plan('p-m', 'P') + plan('c-m', 'P'),
      priceLists: lists({ DEFAULT: ['p-m'], club: ['c-m'] }),
    });
    const parent = club.findPlan('c-m');
    const made = overridden([evergreen19], 'USD', parent).planFrom(parent);
    expect(club.priceListOf(made)).to.equal('club');
    expect(club.contextOf(made)).to.eql(club.contextOf(parent));
  });

  it('treats a change to or from an override plan like a change to or from its parent plan', () => {
    const from = v1.subscriptionContextOf(a.planFrom(base), 'EVERGREEN');
    expect(from).to.eql(v1.subscriptionContextOf(base, 'EVERGREEN'));
    const { priceList, policy, alignment } = plans.decidePlanChange(v1, from, { planName: a.name });
    expect({ priceList, policy: policy.result, alignment: alignment.result }).to.eql(
      v1.evaluatePlanChange(from, { planName: base.name }),
    );
  });

  it('ignores an override in a version without the overridden price', () => {
    const bare = version({
      effectiveDate: '2024-06-01',
      plans: plan('studio-monthly', 'P', {
        initialPhases: phase('TRIAL', { number: 14, period: 'NO_BILLING_PERIOD' }),
      }),
      priceLists: lists({ DEFAULT: ['studio-monthly'] }),
    });
    const made = overridden([trial5, evergreen19]).planFrom(bare.findPlan('studio-monthly'));
    expect(made.phases[0]?.fixed).to.equal(null);
    expect(recurringOf(made)).to.eql(['USD 19']);
  });

  it('gives the plan of a dry run a name that is unique in the catalog', () => {
    const taken = studio({ other: 'studio-monthly-dryrun-1' });
    expect(dryRunOverridePlan(a, createCatalog([v1])).name).to.equal('studio-monthly-dryrun-1');
    expect(dryRunOverridePlan(a, createCatalog([v1]), 2).name).to.equal('studio-monthly-dryrun-2');
    const dryRun = dryRunOverridePlan(a, createCatalog([taken]));
    expect(dryRun.name).to.equal('studio-monthly-dryrun-2');
    expect(plans.with(dryRun).planIn(v1, dryRun.name)?.finalPhase.name).to.equal(
      'studio-monthly-dryrun-2-evergreen',
    );
    expect(plans.overridePlanNamed(dryRun.name), 'the catalog before').to.equal(undefined);
  });
});

describe('usage price override', () => {
  const consumable = `<usage name="api" billingMode="IN_ARREAR" usageType="CONSUMABLE" tierBlockPolicy="ALL_TIERS">
    <billingPeriod>MONTHLY</billingPeriod><tiers>
    <tier><blocks>${block('5', '100.0', '10')}${sms('4', '100')}</blocks></tier>
    <tier><blocks>${block('3', '100', '10')}${sms('4', '200')}</blocks></tier>
    <tier><blocks>${block('2', '100', '-1')}${sms('4', '-1')}</blocks></tier></tiers></usage>`;
  const capacity = `<usage name="seats" billingMode="IN_ARREAR" usageType="CAPACITY"><billingPeriod>MONTHLY</billingPeriod>
    <tiers>${capacityTier('5', '10')}${capacityTier('50', '99')}</tiers></usage>`;
  const metered = version({
    units: ['call', 'sms', 'seat'],
    plans: plan('p-m', 'P', {
      finalPhase: phase('EVERGREEN', { price: '10', usages: consumable + capacity }),
    }),
  }).findPlan('p-m');

  const api = (...prices: readonly (readonly [string, string, string, string | null])[]) => ({
    phaseType: 'EVERGREEN',
    usagePrices: [
      {
        usageName: 'api',
        tierPrices: prices.map(([unitName, size, max, amount]) => ({
          blockPrices: [
            {
              unitName,
              size: decimal(size),
              max: decimal(max),
              price: amount === null ? null : decimal(amount),
            },
          ],
        })),
      },
    ],
  });
  const seats = (...prices: readonly (string | null)[]) => ({
    phaseType: 'EVERGREEN',
    usagePrices: [
      {
        usageName: 'seats',
        tierPrices: prices.map((amount) => ({
          blockPrices: [],
          recurringPrice: amount === null ? null : decimal(amount),
        })),
      },
    ],
  });
  const usagesOf = (requests: readonly PriceOverrideRequest[]) =>
    overridden(requests, 'USD', metered).planFrom(metered).finalPhase.usages;
  const pricesOf = (usage: Usage | undefined) =>
    usage?.tiers.map((tier) => [
      ...tier.blocks.map((each) => amounts(each.prices)?.join()),
      ...(tier.recurringPrice ? [amounts(tier.recurringPrice)?.join()] : []),
    ]);

  const accepted: Readonly<Record<string, readonly [PriceOverrideRequest, readonly (readonly string[])[]]>> =
    {
      'a block by value': [
        api(['call', '100', '-1.0', '1']),
        [
          ['USD 5', 'USD 4'],
          ['USD 3', 'USD 4'],
          ['USD 1', 'USD 4'],
        ],
      ],
      'a block of a different unit': [
        api(['sms', '1', '100', '1']),
        [
          ['USD 5', 'USD 1'],
          ['USD 3', 'USD 4'],
          ['USD 2', 'USD 4'],
        ],
      ],
      'the first of two equal blocks': [
        api(['call', '100', '10', '1']),
        [
          ['USD 1', 'USD 4'],
          ['USD 3', 'USD 4'],
          ['USD 2', 'USD 4'],
        ],
      ],
      'equal blocks in their order': [
        api(['call', '100', '10', '1'], ['call', '100', '10', '0.5']),
        [
          ['USD 1', 'USD 4'],
          ['USD 0.5', 'USD 4'],
          ['USD 2', 'USD 4'],
        ],
      ],
      'the second of two equal blocks when the first has no price': [
        api(['call', '100', '10', null], ['call', '100', '10', '0.5']),
        [
          ['USD 5', 'USD 4'],
          ['USD 0.5', 'USD 4'],
          ['USD 2', 'USD 4'],
        ],
      ],
    };
  for (const [name, [request, expected]] of Object.entries(accepted))
    it(`sets ${name}`, () => {
      const [consumed, kept] = usagesOf([request]);
      expect(pricesOf(consumed)).to.eql(expected);
      expect(kept).to.eql(metered.finalPhase.usages[1]);
    });

  it('sets CAPACITY tiers by position, and keeps everything else', () => {
    const [kept, changed] = usagesOf([seats(null, '40')]);
    expect(pricesOf(changed)).to.eql([['USD 5'], ['USD 40']]);
    expect(changed?.tiers.map((each) => each.limits)).to.eql(
      metered.finalPhase.usages[1]?.tiers.map((each) => each.limits),
    );
    expect(kept).to.eql(metered.finalPhase.usages[0]);
  });

  const refused: Readonly<Record<string, readonly [readonly PriceOverrideRequest[], RegExp]>> = {
    'a block with a different size': [[api(['call', '99', '10', '1'])], /size 99/],
    'a block with a different maximum': [[api(['call', '100', '11', '1'])], /max 11/],
    'a block of a different unit': [[api(['seat', '100', '10', '1'])], /unit "seat"/],
    'a missing block without a price': [
      [api(['seat', '1', '1', null], ['call', '100', '-1', '1'])],
      /"seat"/,
    ],
    'one block more than the usage has': [
      [api(['call', '100', '-1', '1'], ['call', '100', '-1', '1'])],
      /overridden twice/,
    ],
    'one block in two entries': [
      [api(['sms', '1', '100', '1']), api(['sms', '1', '100', '2'])],
      /overridden twice/,
    ],
    'a CAPACITY tier too many': [[seats('1', '2', '3')], /CAPACITY tier 3/],
    'a tier price of CONSUMABLE usage': [
      [
        {
          phaseType: 'EVERGREEN',
          usagePrices: [{ usageName: 'api', tierPrices: [{ recurringPrice: decimal(1) }] }],
        },
      ],
      /CAPACITY tier 1 of usage "api"/,
    ],
    'a negative price': [[api(['sms', '1', '100', '-1'])], /negative/],
  };
  for (const [name, [requests, message]] of Object.entries(refused))
    it(`rejects ${name}`, () => {
      const error = errorOf(() => matchPriceOverrides(metered, requests));
      expect(error.code).to.equal(ErrorCode.CATALOG_INVALID_PRICE_OVERRIDE);
      expect(error.message).to.match(message);
    });
});

function block(amount: string, size: string, max: string): string {
  return tieredBlock({ unit: 'call', size, max, amount });
}

function sms(amount: string, max: string): string {
  return tieredBlock({ unit: 'sms', size: '1', max, amount });
}

function tieredBlock(parts: { unit: string; size: string; max: string; amount: string }): string {
  const { unit, size, max, amount } = parts;
  return `<tieredBlock><unit>${unit}</unit><size>${size}</size><prices>${price('USD', amount)}</prices><max>${max}</max></tieredBlock>`;
}

function capacityTier(amount: string, max: string): string {
  return `<tier><limits><limit><unit>seat</unit><max>${max}</max></limit></limits>
    <recurringPrice>${price('USD', amount)}</recurringPrice></tier>`;
}
