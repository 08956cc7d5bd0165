import {
  createCatalog,
  createVersion,
  validateVersion,
  writeCatalogXml,
} from '../../../lib/catalog/index.ts';
import { validationSteps } from '../../../lib/catalog/validation/validate-version.ts';
import { atOnce } from '../../../lib/runtime/index.ts';
import { BillingPeriod } from '../../../lib/values/time/index.ts';
import {
  catalogXml,
  DEFAULT_RULES,
  type DocumentParts,
  lists,
  parse,
  phase,
  plan,
  price,
  product,
  TRIAL,
} from '../../support/catalogs/catalog-document.ts';
import { rowsOf } from '../../support/rows.ts';
import { errorOf, expect, formatInstant } from '../../support/unit.ts';

// catalog §18: forms that documents in use have, and that the parser must accept.

function usageOf(attributes: string, body: string): DocumentParts {
  const usages = `<usage name="usg" ${attributes}><billingPeriod>MONTHLY</billingPeriod>${body}</usage>`;
  return { units: ['u', 'w'], plans: plan('p-m', 'P', { finalPhase: phase('EVERGREEN', { usages }) }) };
}

function ruleOf(rule: string, ...bodies: readonly string[]): DocumentParts {
  const cases = bodies.map((body) => `<${rule}Case>${body}</${rule}Case>`).join('');
  const others = DEFAULT_RULES.replace(new RegExp(`<${rule}>.*</${rule}>`), '');
  return { rules: `${others}<${rule}>${cases}</${rule}>` };
}

const tieredBlock = (unit: string, max: string): string =>
  `<tieredBlock><unit>${unit}</unit><size>1</size><prices>${price('USD', '1')}</prices><max>${max}</max></tieredBlock>`;
const limit = (max: string): string => `<limits><limit><unit>u</unit><max>${max}</max></limit></limits>`;
const capacityTier = (max: string): string =>
  `<tier>${limit(max)}<recurringPrice>${price('USD', '5')}</recurringPrice></tier>`;

const otherPeriods = Object.values(BillingPeriod).filter(
  (period) => !/^(MONTHLY|NO_BILLING_PERIOD)$/.test(period),
);

const accepted: Readonly<Record<string, DocumentParts>> = {
  ...rowsOf(['START_OF_BUNDLE', 'START_OF_SUBSCRIPTION'], (value) => [
    `create alignment ${value}`,
    ruleOf('createAlignment', `<alignment>${value}</alignment>`),
  ]),
  ...rowsOf(
    ['START_OF_BUNDLE', 'START_OF_SUBSCRIPTION', 'CHANGE_OF_PLAN', 'CHANGE_OF_PRICELIST'],
    (value) => [`change alignment ${value}`, ruleOf('changeAlignment', `<alignment>${value}</alignment>`)],
  ),
  'change policies with ILLEGAL': ruleOf(
    'changePolicy',
    '<toProduct>P</toProduct><policy>ILLEGAL</policy>',
    '<policy>IMMEDIATE</policy>',
  ),
  'billing modes mixed per plan': {
    recurringBillingMode: '',
    plans:
      plan('a', 'P', { more: '<recurringBillingMode>IN_ADVANCE</recurringBillingMode>' }) +
      plan('b', 'P', { more: '<recurringBillingMode>IN_ARREAR</recurringBillingMode>' }),
    priceLists: lists({ DEFAULT: ['a', 'b'] }),
  },
  'a version billed IN_ARREAR': { recurringBillingMode: 'IN_ARREAR' },
  'a plan with only usage, in two units': usageOf(
    'billingMode="IN_ARREAR" usageType="CONSUMABLE"',
    `<tiers><tier><blocks>${tieredBlock('u', '10')}${tieredBlock('w', '-1')}</blocks></tier>
      <tier><blocks>${tieredBlock('u', '-1')}${tieredBlock('w', '-1')}</blocks></tier></tiers>`.replace(
      tieredBlock('w', '-1'),
      tieredBlock('w', '20'),
    ),
  ),
  'consumable usage at the price of the top tier': usageOf(
    'billingMode="IN_ARREAR" usageType="CONSUMABLE" tierBlockPolicy="TOP_TIER"',
    `<tiers><tier><blocks>${tieredBlock('u', '-1')}</blocks></tier></tiers>`,
  ),
  'capacity usage in arrear': usageOf(
    'billingMode="IN_ARREAR" usageType="CAPACITY"',
    `<tiers>${capacityTier('10')}${capacityTier('-1')}</tiers>`,
  ),
  'limits of a product': { units: ['u'], products: product('P', { limits: limit('5') }) },
  'a plan in several lists': {
    priceLists: lists({ DEFAULT: ['p-m'], VIP: ['p-m'], PROMO: ['p-m'], EMPTY: [] }),
  },
  STANDALONE: { products: product('P', { category: 'STANDALONE' }) },
  'products without plans': { products: product('P') + product('Z') },
  'five currencies, one of them BTC': {
    currencies: ['USD', 'EUR', 'GBP', 'JPY', 'BTC'],
    plans: plan('p-m', 'P', { price: price('BTC', '0.00012345') + price('JPY', '900') }),
  },
  'three phases with a final FIXEDTERM': {
    plans: plan('p-m', 'P', {
      initialPhases: TRIAL + phase('DISCOUNT', { unit: 'MONTHS', number: 6, price: '5' }),
      finalPhase: phase('FIXEDTERM', { unit: 'YEARS', number: 1, price: '9' }),
    }),
  },
  ...rowsOf(otherPeriods, (period) => [`the period ${period}`, { plans: plan('p-m', 'P', { period }) }]),
  'a limit on plans per bundle': {
    plans: plan('p-m', 'P', { more: '<plansAllowedInBundle>2</plansAllowedInBundle>' }),
  },
};

describe('catalog reader', () => {
  for (const [title, parts] of Object.entries(accepted))
    it(`accepts ${title} (catalog §18)`, () => {
      const parsed = parse(catalogXml(parts));
      expect(validateVersion(parsed).errors).to.eql([]);
      expect(createVersion(parsed.content).plans.length).to.be.greaterThan(0);
    });

  describe('reader of documents exported by systems in the field (R58)', () => {
    const usd = price('USD', '1');
    const exported = (type: string): DocumentParts =>
      usageOf(
        'billingMode="IN_ARREAR" usageType="CONSUMABLE"',
        `<limits><limit><unit>u</unit><max>-1</max><min>-1.0</min></limit></limits>
         <tiers><tier><blocks>
           <tieredBlock type="${type}"><unit>u</unit><size>10</size><prices>${usd}</prices>
             <minTopUpCredit>-1</minTopUpCredit><max>-1</max></tieredBlock></blocks></tier></tiers>`,
      );

    for (const type of ['VANILLA', 'TIERED'])
      it(`accepts a tiered block of type ${type} with a minTopUpCredit of -1, and writes the block as TIERED without the credit`, () => {
        const { content } = parse(catalogXml(exported(type)));
        const written = writeCatalogXml(createCatalog([createVersion(content)]));
        expect(written).to.include('<tieredBlock type="TIERED">').and.not.to.include('minTopUpCredit');
        expect(parse(written).content.plans[0]?.finalPhase.usages).to.eql(
          content.plans[0]?.finalPhase.usages,
        );
        expect(validateVersion(parse(catalogXml(exported(type)))).errors).to.eql([]);
      });

    it('accepts a minTopUpCredit of -1, and reports the credit as missing only for a TOP_UP block', () => {
      const block = (type: string, credit: string): DocumentParts =>
        usageOf(
          'billingMode="IN_ADVANCE" usageType="CONSUMABLE"',
          `<blocks><block type="${type}"><unit>u</unit><size>10</size><prices>${usd}</prices>
           <minTopUpCredit>${credit}</minTopUpCredit></block></blocks>`,
        );
      for (const credit of ['-1', '-1.0', '-01.00']) {
        const parsed = parse(catalogXml(block('VANILLA', credit)));
        expect(parsed.content.plans[0]?.finalPhase.usages[0]?.blocks[0]?.minTopUpCredit).to.equal(null);
        expect(atOnce(validationSteps(parsed)).errors).to.eql([]);
      }
      const [missing] = validateVersion(parse(catalogXml(block('TOP_UP', '-1')))).errors;
      expect(missing?.message).to.include('needs a minTopUpCredit');
      const [surplus] = validateVersion(parse(catalogXml(block('VANILLA', '5')))).errors;
      expect(surplus?.message).to.include('only a TOP_UP block can have a minTopUpCredit');
    });

    it('rejects a tiered block of type TOP_UP, or a tiered block with a minTopUpCredit', () => {
      const topUp = errorOf(() => parse(catalogXml(exported('TOP_UP'))));
      expect(topUp.problems?.[0]?.message).to.include('is not the type of a tiered block (TIERED, VANILLA)');
      const credit = catalogXml(exported('TIERED')).replace('<minTopUpCredit>-1<', '<minTopUpCredit>5<');
      expect(errorOf(() => parse(credit)).problems?.[0]?.message).to.equal(
        'Element "minTopUpCredit": "5" is not -1, which means none',
      );
    });
  });

  for (const [written, read] of [
    ['2024-01-01T08:00:00Z', '2024-01-01T08:00:00.000Z'],
    ['2024-01-01T08:00:00', '2024-01-01T08:00:00.000Z'],
    ['2024-01-01T08:00:00+02:00', '2024-01-01T06:00:00.000Z'],
    ['2024-01-01T08:00:00.123Z', '2024-01-01T08:00:00.123Z'],
    ['\n      2024-01-01T08:00:00\t ', '2024-01-01T08:00:00.000Z'],
    ['2024-01-01', '2024-01-01T00:00:00.000Z'],
  ] as const)
    it(`accepts the date ${JSON.stringify(written)} (catalog §18)`, () => {
      const { content } = parse(catalogXml({ effectiveDate: written }));
      expect(formatInstant(content.effectiveDate)).to.equal(read);
    });

  it('rejects a changePolicy nested in itself (catalog §18)', () => {
    const nested = DEFAULT_RULES.replace('<changePolicy>', '<changePolicy><changePolicy/>');
    expect(errorOf(() => parse(catalogXml({ rules: nested }))).problems?.[0]?.message).to.equal(
      'Unknown element "changePolicy" in "changePolicy"',
    );
  });
});
