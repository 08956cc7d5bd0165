import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { CatalogVersion } from '../../../lib/catalog/index.ts';
import { createVersion, priceOf, readCatalogXml, validateVersion } from '../../../lib/catalog/index.ts';

function load(path: string): CatalogVersion {
  const document = readCatalogXml(readFileSync(new URL(`../../../${path}`, import.meta.url)));
  const [parsed] = document.versions;
  if (parsed === undefined || document.versions.length > 1) throw new Error(`${path} has not one version`);
  expect(validateVersion(parsed), path).to.eql({ errors: [], warnings: [] });
  return createVersion(parsed.content);
}

describe('shipped example catalogs', () => {
  it('include a valid Meadow catalog with everything that the demo shows', () => {
    const meadow = load('examples/catalogs/meadow.xml');
    const sprout = meadow.selectPlan({ productName: 'Sprout', billingPeriod: 'MONTHLY' });

    expect(sprout.phases.map((phase) => [phase.name, phase.duration.number])).to.eql([
      ['sprout-monthly-trial', 14],
      ['sprout-monthly-evergreen', -1],
    ]);
    expect(meadow.findPlan('canopy-monthly-arrear').recurringBillingMode).to.equal('IN_ARREAR');
    for (const plan of meadow.plans) {
      for (const phase of plan.phases) {
        for (const price of [phase.fixed?.price, phase.recurring?.price]) {
          if (!price) continue;
          expect(
            meadow.currencies.map((currency) => priceOf(price, currency).isNegative()),
            phase.name,
          ).to.not.include(true);
        }
      }
    }
  });

  it('include the OrchardDemo catalog as specified', () => {
    const orchard = load('examples/catalogs/orchard-demo.xml');
    const summary = orchard.plans.map((plan) => {
      const phases = plan.phases.map((phase) => {
        const length = phase.duration.number === -1 ? '' : `${phase.duration.number} ${phase.duration.unit} `;
        const fixed = phase.fixed ? ` fixed ${priceOf(phase.fixed.price, 'USD').toFixed(2)}` : '';
        const recurring = phase.recurring?.price
          ? ` ${priceOf(phase.recurring.price, 'USD').toFixed(2)} ${phase.recurring.billingPeriod}`
          : '';
        return `${length}${phase.type}${fixed}${recurring}`;
      });
      return `${plan.name} (${plan.product}, ${orchard.priceListOf(plan)}): ${phases.join('; ')}`;
    });

    expect(orchard.title).to.equal('catalog "OrchardDemo" effective 2010-01-01T00:00:00.000Z');
    expect(orchard.currencies).to.eql(['USD', 'EUR', 'GBP', 'JPY', 'BTC']);
    expect(summary).to.eql([
      'apple-annual (Apple, DEFAULT): 30 DAYS TRIAL fixed 0.00; EVERGREEN 200.00 ANNUAL',
      'apple-monthly (Apple, DEFAULT): 30 DAYS TRIAL fixed 0.00; EVERGREEN 20.00 MONTHLY',
      'basket-monthly (Basket, DEFAULT): 30 DAYS TRIAL fixed 0.00; EVERGREEN 9.00 MONTHLY',
      'harvest-apple-monthly (Apple, Harvest): 30 DAYS TRIAL fixed 0.00; 3 MONTHS DISCOUNT 15.00 MONTHLY; EVERGREEN 20.00 MONTHLY',
      'harvest-pear-monthly (Pear, Harvest): 30 DAYS TRIAL fixed 0.00; 3 MONTHS DISCOUNT 30.00 MONTHLY; EVERGREEN 45.00 MONTHLY',
      'juice-usage (Juice, DEFAULT): EVERGREEN',
      'ladder-monthly (Ladder, DEFAULT): 1 MONTHS DISCOUNT 3.00 MONTHLY; EVERGREEN 6.00 MONTHLY',
      'pear-monthly (Pear, DEFAULT): 30 DAYS TRIAL fixed 0.00; EVERGREEN 45.00 MONTHLY',
      'quince-fixed (Quince, Term): 14 DAYS TRIAL fixed 0.00; 12 MONTHS FIXEDTERM 80.00 MONTHLY',
      'quince-monthly (Quince, DEFAULT): 30 DAYS TRIAL fixed 0.00; EVERGREEN 90.00 MONTHLY',
      'shears-thirty (Shears, DEFAULT): EVERGREEN fixed 5.00 4.00 THIRTY_DAYS',
      'shears-weekly (Shears, DEFAULT): EVERGREEN 1.00 WEEKLY',
    ]);
    expect(orchard.findPlan('basket-monthly').plansAllowedInBundle).to.equal(2);
    expect(orchard.findProduct('Quince')).to.deep.include({
      included: ['Ladder'],
      available: ['Basket', 'Juice'],
    });
  });

  it('include the rules and usage prices of OrchardDemo as specified', () => {
    const orchard = load('examples/catalogs/orchard-demo.xml');
    const shown = (cases: readonly { readonly conditions: object; readonly result: string }[]) =>
      cases.map(({ conditions, result }) => {
        const given = Object.values(conditions).filter((value) => value !== null);
        return `${given.join(', ') || 'any'}: ${result}`;
      });

    expect(shown(orchard.rules.changePolicy)).to.eql([
      'TRIAL: IMMEDIATE',
      'DEFAULT, Term: ILLEGAL',
      'Harvest, Term: ILLEGAL',
      'Apple, Pear: IMMEDIATE',
      'Quince: IMMEDIATE',
      'any: END_OF_TERM',
    ]);
    expect(shown(orchard.rules.cancelPolicy)).to.eql([
      'BASE: END_OF_TERM',
      'ADD_ON: IMMEDIATE',
      'any: END_OF_TERM',
    ]);
    expect(shown(orchard.rules.createAlignment)).to.eql([
      'Ladder: START_OF_BUNDLE',
      'Basket: START_OF_SUBSCRIPTION',
      'any: START_OF_BUNDLE',
    ]);
    expect(shown(orchard.rules.changeAlignment)).to.eql([
      'ADD_ON: START_OF_BUNDLE',
      'Harvest, Harvest: CHANGE_OF_PRICELIST',
      'any: START_OF_SUBSCRIPTION',
    ]);
    expect(shown(orchard.rules.billingAlignment)).to.eql([
      'ADD_ON: BUNDLE',
      'ANNUAL: SUBSCRIPTION',
      'any: ACCOUNT',
    ]);
    expect(shown(orchard.rules.priceList)).to.eql(['Harvest: Harvest', 'any: DEFAULT']);

    const [usage] = orchard.findPlan('juice-usage').finalPhase.usages;
    expect(usage).to.include({ billingMode: 'IN_ARREAR', usageType: 'CONSUMABLE', billingPeriod: 'MONTHLY' });
    const tiers = usage?.tiers.flatMap(({ blocks }) =>
      blocks.map(
        ({ unit, size, prices, max }) =>
          `${size.text} ${unit} ${priceOf(prices, 'USD').toFixed(2)} up to ${max.text}`,
      ),
    );
    expect(tiers).to.eql(['1 crate 2.50 up to 100', '1 crate 2.00 up to -1']);
    expect(orchard.products.map(({ name, category }) => `${name} ${category}`)).to.eql([
      'Apple BASE',
      'Basket ADD_ON',
      'Juice ADD_ON',
      'Ladder ADD_ON',
      'Pear BASE',
      'Quince BASE',
      'Shears STANDALONE',
    ]);
  });

  it('include the example catalog of the subscription rules', () => {
    const example = load('test/support/fixtures/catalogs/spec-example.xml');
    expect(example.plans).to.have.length(13);
    expect(example.findPlan('archive-monthly').plansAllowedInBundle).to.equal(2);
    const archive = example.contextOf(example.findPlan('archive-monthly'));
    expect(example.createAlignment(archive)).to.equal('START_OF_SUBSCRIPTION');
    expect(example.findProduct('Elite')).to.deep.include({ included: ['Support'], available: ['Archive'] });
  });
});
