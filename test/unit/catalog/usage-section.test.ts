import { readFileSync } from 'node:fs';
import {
  createVersion,
  defineOverrides,
  OverridePlan,
  type PlanPhase,
  readCatalogXml,
  usageSectionsOf,
} from '../../../lib/catalog/index.ts';
import { rateUsage } from '../../../lib/usage/index.ts';
import { catalogXml, parse, phase, plan, price, version } from '../../support/catalogs/catalog-document.ts';
import { type Currency, decimal, errorOf, expect } from '../../support/unit.ts';
import { at } from '../../support/usage/sections.ts';

const versionDate = at('2026-01-01T00:00:00Z');

function block(amount: string, max: string): string {
  return `<tieredBlock><unit>call</unit><size>100</size><prices>${price('USD', amount)}</prices><max>${max}</max></tieredBlock>`;
}

function usage(name: string, mode: string, content: string): string {
  return `<usage name="${name}" billingMode="${mode}" usageType="CONSUMABLE" tierBlockPolicy="TOP_TIER">
    <billingPeriod>MONTHLY</billingPeriod>${content}</usage>`;
}

const tiers = `<tiers><tier><blocks>${block('5', '10')}</blocks></tier><tier><blocks>${block('3.5', '-1')}</blocks></tier></tiers>`;
const seats = `<usage name="seats" billingMode="IN_ARREAR" usageType="CAPACITY"><billingPeriod>ANNUAL</billingPeriod><tiers>
  <tier><limits><limit><unit>seat</unit><max>10</max></limit></limits><recurringPrice>${price('USD', '50')}</recurringPrice></tier>
  <tier><limits><limit><unit>seat</unit><max>-1</max></limit></limits><recurringPrice>${price('USD', '99')}</recurringPrice></tier>
  </tiers></usage>`;

const metered = version({
  units: ['call', 'seat'],
  plans: plan('p-m', 'P', {
    finalPhase: phase('EVERGREEN', { price: '10', usages: usage('api', 'IN_ARREAR', tiers) + seats }),
  }),
}).findPlan('p-m');

const sectionsOf = (of: PlanPhase, currency: Currency = 'USD') =>
  usageSectionsOf(of, { currency, versionDate });

describe('usage sections of a phase', () => {
  it('have tiers with prices in the currency, and treat a bound of -1 as unlimited (usage §4)', () => {
    const facts = { billingPeriod: 'MONTHLY', versionDate, tierBlockPolicy: 'TOP_TIER' };
    const [size, max] = [decimal('100'), decimal('10')];
    expect(sectionsOf(metered.finalPhase)).to.eql([
      {
        ...facts,
        name: 'api',
        prettyName: 'api',
        usageType: 'CONSUMABLE',
        priceIdentity: '5 3.5',
        tiers: [
          { flatFee: null, blocks: [{ unit: 'call', size, max, price: decimal('5') }] },
          { flatFee: null, blocks: [{ unit: 'call', size, max: null, price: decimal('3.5') }] },
        ],
      },
      {
        name: 'seats',
        prettyName: 'seats',
        billingPeriod: 'ANNUAL',
        versionDate,
        usageType: 'CAPACITY',
        priceIdentity: '50 99',
        tiers: [
          { price: decimal('50'), limits: [{ unit: 'seat', max: decimal('10') }] },
          { price: decimal('99'), limits: [{ unit: 'seat', max: null }] },
        ],
      },
    ]);
  });

  it('contain the fixed price of a tier as a fee if that price exists in the currency (usage §12.1)', () => {
    const fees = `<tiers><tier><blocks>${block('5', '10')}</blocks><fixedPrice>${price('USD', '7')}</fixedPrice></tier>
      <tier><blocks>${block('3.5', '-1')}</blocks></tier></tiers>`;
    const { finalPhase } = version({
      units: ['call'],
      plans: plan('p-m', 'P', {
        finalPhase: phase('EVERGREEN', { price: '10', usages: usage('api', 'IN_ARREAR', fees) }),
      }),
    }).findPlan('p-m');
    const [section] = sectionsOf(finalPhase);
    const tierFees =
      section?.usageType === 'CONSUMABLE'
        ? section.tiers.map(({ flatFee }) => flatFee?.toFixed() ?? null)
        : [];
    expect(tierFees).to.eql(['7', null]);
  });

  it('keep their name and get a new price identity in an override (usage §4.1 rule 5)', () => {
    const requests = [
      {
        phaseType: 'EVERGREEN',
        usagePrices: [{ usageName: 'seats', tierPrices: [{ recurringPrice: decimal('40') }] }],
      },
    ];
    const definition = defineOverrides({ plan: metered, chosen: undefined, currency: 'USD', requests });
    const made = new OverridePlan('p-m-1', definition).planFrom(metered);
    expect(sectionsOf(made.finalPhase).map(({ name, priceIdentity }) => [name, priceIdentity])).to.eql([
      ['api', '5 3.5'],
      ['seats', '40 99'],
    ]);
  });

  it('exclude usage billed in advance (catalog §2 rule 3)', () => {
    const content = `<blocks><block><unit>call</unit><size>1</size><prices>${price('USD', '1')}</prices></block></blocks>`;
    const finalPhase = phase('EVERGREEN', { price: '10', usages: usage('ahead', 'IN_ADVANCE', content) });
    // Stored before V21 existed.
    const advance = createVersion(
      parse(catalogXml({ units: ['call'], plans: plan('p-m', 'P', { finalPhase }) })).content,
    );
    const { usages, ...rest } = advance.findPlan('p-m').finalPhase;
    expect(usages).to.have.length(1);
    expect(sectionsOf({ ...rest, usages })).to.eql([]);
  });

  it('report a missing price in the currency as an error (usage §4 rule 3)', () =>
    expect(errorOf(() => sectionsOf(metered.finalPhase, 'EUR')).code).to.equal(2010));

  it('are rated as specified in a shipped catalog', () => {
    const { versions } = readCatalogXml(
      readFileSync(new URL('../../../examples/catalogs/orchard-demo.xml', import.meta.url)),
    );
    const [parsed] = versions;
    if (parsed === undefined) throw new Error('The demo has one version');
    const [section] = sectionsOf(createVersion(parsed.content).findPlan('juice-usage').finalPhase);
    if (section === undefined) throw new Error('Juice has a usage section');
    const quantities = new Map([['crate', decimal('130')]]);
    const { amount } = rateUsage({ section, quantities, currency: 'USD', overflow: 'CAP' });
    expect(amount.toFixed(2)).to.equal('310.00');
  });
});
