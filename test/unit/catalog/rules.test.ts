import { createVersion, RULE_DEFAULTS, type SubscriptionContext } from '../../../lib/catalog/index.ts';
import {
  catalogXml,
  expectCode,
  lists,
  parse,
  plan,
  product,
  version,
} from '../../support/catalogs/catalog-document.ts';
import { ErrorCode, errorOf, expect } from '../../support/unit.ts';

const CANCEL = '<cancelPolicy><cancelPolicyCase><policy>IMMEDIATE</policy></cancelPolicyCase></cancelPolicy>';
const CHANGE = '<changePolicy><changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase></changePolicy>';

function cases(rule: string, ...conditionsAndResults: readonly string[]): string {
  return `<${rule}>${conditionsAndResults.map((body) => `<${rule}Case>${body}</${rule}Case>`).join('')}</${rule}>`;
}

describe('catalog rules', () => {
  it('apply the first matching case (catalog W8 "Rule order")', () => {
    const metals = version({
      products: product('Gold') + product('Silver'),
      plans:
        plan('gold-monthly', 'Gold') +
        plan('gold-annual', 'Gold', { period: 'ANNUAL' }) +
        plan('silver-monthly', 'Silver') +
        plan('silver-annual', 'Silver', { period: 'ANNUAL' }),
      priceLists: lists({ DEFAULT: ['gold-monthly', 'gold-annual', 'silver-monthly', 'silver-annual'] }),
      rules:
        cases(
          'changePolicy',
          '<phaseType>TRIAL</phaseType><policy>IMMEDIATE</policy>',
          '<fromProduct>Gold</fromProduct><toProduct>Silver</toProduct><policy>END_OF_TERM</policy>',
          '<toBillingPeriod>ANNUAL</toBillingPeriod><policy>ILLEGAL</policy>',
          '<policy>IMMEDIATE</policy>',
        ) + CANCEL,
    });
    const policy = (fromPlan: string, phaseType: 'TRIAL' | 'EVERGREEN', planName: string): string =>
      metals.evaluatePlanChange(metals.subscriptionContextOf(metals.findPlan(fromPlan), phaseType), {
        planName,
      }).policy;

    expect(policy('gold-monthly', 'TRIAL', 'silver-annual')).to.equal('IMMEDIATE');
    expect(policy('gold-monthly', 'EVERGREEN', 'silver-annual')).to.equal('END_OF_TERM');
    const illegal = errorOf(() => policy('silver-monthly', 'EVERGREEN', 'gold-annual'));
    expect(illegal.code).to.equal(ErrorCode.CATALOG_ILLEGAL_CHANGE_REQUEST);
    expect(illegal.message).to.include('"Silver" (MONTHLY').and.include('"Gold" (ANNUAL');
    expect(policy('silver-monthly', 'EVERGREEN', 'gold-monthly')).to.equal('IMMEDIATE');
  });

  describe('for price lists of changes', () => {
    const parts = {
      products: product('Basic') + product('Pro'),
      plans:
        plan('vip-basic-monthly', 'Basic') +
        plan('promo-basic-monthly', 'Basic') +
        plan('pro-monthly', 'Pro'),
      priceLists: lists({
        DEFAULT: ['pro-monthly'],
        VIP: ['vip-basic-monthly'],
        PROMO: ['promo-basic-monthly'],
      }),
    };
    const sticky = cases(
      'priceList',
      '<fromPriceList>VIP</fromPriceList><toPriceList>VIP</toPriceList>',
      '<toPriceList>DEFAULT</toPriceList>',
    );
    const toPro = { productName: 'Pro', billingPeriod: 'MONTHLY' } as const;

    it('use the requested price list, or the price list of the matching case (catalog W9 "Sticky list")', () => {
      const catalog = version({ ...parts, rules: CHANGE + CANCEL + sticky });
      const from = (name: string) => catalog.subscriptionContextOf(catalog.findPlan(name), 'EVERGREEN');

      const { priceList } = catalog.evaluatePlanChange(from('vip-basic-monthly'), toPro);
      expect(priceList).to.equal('VIP');
      expect(catalog.selectPlan({ ...toPro, priceListName: priceList }).name, 'from DEFAULT').to.equal(
        'pro-monthly',
      );
      expect(catalog.evaluatePlanChange(from('promo-basic-monthly'), toPro).priceList).to.equal('DEFAULT');
      expect(
        catalog.evaluatePlanChange(from('vip-basic-monthly'), { ...toPro, priceListName: 'PROMO' }).priceList,
      ).to.equal('PROMO');
    });

    it('keep the current list if the rule is absent (catalog W9 "Sticky list")', () => {
      const catalog = version({ ...parts, rules: CHANGE + CANCEL });
      const from = catalog.subscriptionContextOf(catalog.findPlan('vip-basic-monthly'), 'EVERGREEN');
      expect(catalog.evaluatePlanChange(from, toPro).priceList).to.equal('VIP');
    });

    it('treat names without "from" as their "from" equivalents', () => {
      const plain = cases(
        'priceList',
        '<priceList>VIP</priceList><product>Basic</product><toPriceList>PROMO</toPriceList>',
        '<toPriceList>DEFAULT</toPriceList>',
      );
      const catalog = version({ ...parts, rules: CHANGE + CANCEL + plain });
      expect(catalog.rules.priceList[0]?.conditions).to.eql({
        fromProduct: 'Basic',
        fromProductCategory: null,
        fromBillingPeriod: null,
        fromPriceList: 'VIP',
      });
    });

    it('use the toPriceList of the rule, or the price list of a specified plan', () => {
      const policy = cases(
        'changePolicy',
        '<toPriceList>VIP</toPriceList><policy>END_OF_TERM</policy>',
        '<policy>IMMEDIATE</policy>',
      );
      const catalog = version({ ...parts, rules: policy + CANCEL + sticky });
      const from = catalog.subscriptionContextOf(catalog.findPlan('vip-basic-monthly'), 'EVERGREEN');

      expect(catalog.evaluatePlanChange(from, toPro).policy).to.equal('END_OF_TERM');
      expect(catalog.evaluatePlanChange(from, { planName: 'pro-monthly' })).to.eql({
        priceList: 'DEFAULT',
        policy: 'IMMEDIATE',
        alignment: 'START_OF_BUNDLE',
      });
    });

    it('reject an unknown plan, product or price list, and a missing product or billing period', () => {
      const catalog = version({ ...parts, rules: CHANGE + CANCEL });
      const from = catalog.subscriptionContextOf(catalog.findPlan('vip-basic-monthly'), 'EVERGREEN');
      const evaluate = (target: object) => () => catalog.evaluatePlanChange(from, target);

      expectCode(ErrorCode.CATALOG_NO_SUCH_PLAN, evaluate({ planName: 'none' }));
      expectCode(ErrorCode.CATALOG_NULL_PRODUCT_NAME, evaluate({ billingPeriod: 'MONTHLY' }));
      expectCode(ErrorCode.CATALOG_NULL_BILLING_PERIOD, evaluate({ productName: 'Pro' }));
      expectCode(ErrorCode.CATALOG_NO_SUCH_PRODUCT, evaluate({ ...toPro, productName: 'None' }));
      expectCode(ErrorCode.CATALOG_PRICE_LIST_NOT_FOUND, evaluate({ ...toPro, priceListName: 'None' }));
    });
  });

  it('use a default when no case matches', () => {
    const empty = createVersion(parse(catalogXml({ rules: '' })).content);
    const context = empty.subscriptionContextOf(empty.findPlan('p-m'), 'EVERGREEN');

    expect(empty.createAlignment(context)).to.equal('START_OF_BUNDLE');
    expect(empty.billingAlignment(context)).to.equal('ACCOUNT');
    expect(empty.cancelPolicy(context)).to.equal('END_OF_TERM');
    expect(empty.evaluatePlanChange(context, { planName: 'p-m' })).to.eql({
      priceList: 'DEFAULT',
      policy: 'END_OF_TERM',
      alignment: 'START_OF_BUNDLE',
    });
    expect(RULE_DEFAULTS.changeAlignment).to.equal('START_OF_BUNDLE');
  });

  const CONTEXT: SubscriptionContext = {
    product: 'P',
    productCategory: 'BASE',
    billingPeriod: 'MONTHLY',
    priceList: 'DEFAULT',
    phaseType: 'EVERGREEN',
  };
  const others: readonly (readonly [condition: string, matching: string, other: string])[] = [
    ['product', 'P', 'Q'],
    ['productCategory', 'BASE', 'ADD_ON'],
    ['billingPeriod', 'MONTHLY', 'ANNUAL'],
    ['priceList', 'DEFAULT', 'VIP'],
    ['phaseType', 'EVERGREEN', 'TRIAL'],
  ];
  const subject = {
    products: product('P') + product('Q'),
    plans: plan('p-m', 'P') + plan('q-m', 'Q'),
    priceLists: lists({ DEFAULT: ['p-m'], VIP: ['q-m'] }),
  };

  for (const [condition, matching, other] of others) {
    it(`check ${condition} in the rules of a subscription`, () => {
      const withValue = (value: string): ReturnType<typeof version> =>
        version({
          ...subject,
          rules:
            CHANGE +
            cases(
              'cancelPolicy',
              `<${condition}>${value}</${condition}><policy>END_OF_TERM</policy>`,
              '<policy>IMMEDIATE</policy>',
            ) +
            cases('billingAlignment', `<${condition}>${value}</${condition}><alignment>BUNDLE</alignment>`),
        });

      expect(withValue(matching).cancelPolicy(CONTEXT)).to.equal('END_OF_TERM');
      expect(withValue(other).cancelPolicy(CONTEXT)).to.equal('IMMEDIATE');
      expect(withValue(matching).billingAlignment(CONTEXT)).to.equal('BUNDLE');
      expect(withValue(other).billingAlignment(CONTEXT)).to.equal('ACCOUNT');
    });

    if (condition === 'phaseType') continue;
    it(`check ${condition} in createAlignment`, () => {
      const withValue = (value: string): ReturnType<typeof version> =>
        version({
          ...subject,
          rules:
            CHANGE +
            CANCEL +
            cases(
              'createAlignment',
              `<${condition}>${value}</${condition}><alignment>START_OF_SUBSCRIPTION</alignment>`,
            ),
        });

      expect(withValue(matching).createAlignment(CONTEXT)).to.equal('START_OF_SUBSCRIPTION');
      expect(withValue(other).createAlignment(CONTEXT)).to.equal('START_OF_BUNDLE');
    });

    it(`check ${condition} on both sides of a change`, () => {
      const suffix = `${condition.charAt(0).toUpperCase()}${condition.slice(1)}`;
      for (const side of ['from', 'to']) {
        const withValue = (value: string): ReturnType<typeof version> =>
          version({
            ...subject,
            rules:
              CHANGE +
              CANCEL +
              cases(
                'changeAlignment',
                `<${side}${suffix}>${value}</${side}${suffix}><alignment>CHANGE_OF_PLAN</alignment>`,
              ),
          });
        const alignment = (value: string): string =>
          withValue(value).evaluatePlanChange(CONTEXT, { planName: 'p-m' }).alignment;

        expect(alignment(matching), side).to.equal('CHANGE_OF_PLAN');
        expect(alignment(other), side).to.equal('START_OF_BUNDLE');
      }
    });
  }
});
