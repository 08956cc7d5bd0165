import { expect } from 'chai';
import type { CatalogVersion, SubscriptionContext } from '../../../lib/catalog/index.ts';
import { DEFAULT_RULES, lists, plan, product, version } from '../../support/catalogs/catalog-document.ts';

// catalog §8, rules 1 to 3: one table for each of the six rules. The subscription is on Gold monthly in list VIP, in
// its DISCOUNT phase. The target of a change and of a creation is Silver annual in DEFAULT.

const parts = {
  products: product('Gold') + product('Silver', { category: 'STANDALONE' }),
  plans: plan('gold-monthly', 'Gold') + plan('silver-annual', 'Silver', { period: 'ANNUAL' }),
  priceLists: lists({ DEFAULT: ['silver-annual'], VIP: ['gold-monthly'], PROMO: ['gold-monthly'] }),
};

const FROM_HOLDS = [
  '<fromProduct>Gold</fromProduct>',
  '<fromProductCategory>BASE</fromProductCategory>',
  '<fromBillingPeriod>MONTHLY</fromBillingPeriod>',
  '<fromPriceList>VIP</fromPriceList>',
];
const FROM_FAILS = [
  '<fromProduct>Silver</fromProduct>',
  '<fromProductCategory>STANDALONE</fromProductCategory>',
  '<fromBillingPeriod>ANNUAL</fromBillingPeriod>',
  '<fromPriceList>DEFAULT</fromPriceList>',
];
const PHASE_HOLDS = '<phaseType>DISCOUNT</phaseType>';
const PHASE_FAILS = '<phaseType>TRIAL</phaseType>';

interface RuleTable {
  readonly rule: string;
  /** Element of the result, and two possible results. The first one is not the default. */
  readonly result: string;
  readonly values: readonly [string, string];
  readonly whenNothingMatches: string;
  readonly holds: readonly string[];
  readonly fails: readonly string[];
  evaluate(catalog: CatalogVersion): string;
}

function subscription(catalog: CatalogVersion): SubscriptionContext {
  return catalog.subscriptionContextOf(catalog.findPlan('gold-monthly'), 'DISCOUNT');
}

const target = { planName: 'silver-annual' };
/** Returns the conditions as for a rule on a single plan: Gold monthly. */
const plain = (conditions: readonly string[]): readonly string[] =>
  conditions.map((condition) =>
    condition.replaceAll(/(?<=<\/?)from(\w)/g, (_, first: string) => first.toLowerCase()),
  );
const to = (conditions: readonly string[]): readonly string[] =>
  conditions.map((condition) => condition.replaceAll('from', 'to'));
const inDefault = (conditions: readonly string[]): readonly string[] =>
  conditions.map((condition) => condition.replace('>VIP<', '>PROMO<'));

const tables: readonly RuleTable[] = [
  {
    rule: 'changePolicy',
    result: 'policy',
    values: ['IMMEDIATE', 'END_OF_TERM'],
    whenNothingMatches: 'END_OF_TERM',
    holds: [PHASE_HOLDS, ...FROM_HOLDS, ...to(FROM_FAILS)],
    fails: [PHASE_FAILS, ...FROM_FAILS, ...to(inDefault(FROM_HOLDS))],
    evaluate: (catalog) => catalog.evaluatePlanChange(subscription(catalog), target).policy,
  },
  {
    rule: 'changeAlignment',
    result: 'alignment',
    values: ['CHANGE_OF_PRICELIST', 'CHANGE_OF_PLAN'],
    whenNothingMatches: 'START_OF_BUNDLE',
    holds: [PHASE_HOLDS, ...FROM_HOLDS, ...to(FROM_FAILS)],
    fails: [PHASE_FAILS, ...FROM_FAILS, ...to(inDefault(FROM_HOLDS))],
    evaluate: (catalog) => catalog.evaluatePlanChange(subscription(catalog), target).alignment,
  },
  {
    rule: 'cancelPolicy',
    result: 'policy',
    values: ['IMMEDIATE', 'END_OF_TERM'],
    whenNothingMatches: 'END_OF_TERM',
    holds: [PHASE_HOLDS, ...plain(FROM_HOLDS)],
    fails: [PHASE_FAILS, ...plain(FROM_FAILS)],
    evaluate: (catalog) => catalog.cancelPolicy(subscription(catalog)),
  },
  {
    rule: 'createAlignment',
    result: 'alignment',
    values: ['START_OF_SUBSCRIPTION', 'START_OF_BUNDLE'],
    whenNothingMatches: 'START_OF_BUNDLE',
    holds: plain(FROM_HOLDS),
    fails: plain(FROM_FAILS),
    evaluate: (catalog) => catalog.createAlignment(catalog.contextOf(catalog.findPlan('gold-monthly'))),
  },
  {
    rule: 'billingAlignment',
    result: 'alignment',
    values: ['BUNDLE', 'SUBSCRIPTION'],
    whenNothingMatches: 'ACCOUNT',
    holds: [PHASE_HOLDS, ...plain(FROM_HOLDS)],
    fails: [PHASE_FAILS, ...plain(FROM_FAILS)],
    evaluate: (catalog) => catalog.billingAlignment(subscription(catalog)),
  },
  {
    rule: 'priceList',
    result: 'toPriceList',
    values: ['PROMO', 'DEFAULT'],
    whenNothingMatches: 'VIP',
    holds: [...FROM_HOLDS, ...plain(FROM_HOLDS)],
    fails: [...FROM_FAILS, ...plain(FROM_FAILS)],
    evaluate: (catalog) =>
      catalog.evaluatePlanChange(subscription(catalog), { productName: 'Gold', billingPeriod: 'MONTHLY' })
        .priceList,
  },
];

/** Returns the default rules with these cases of one rule instead of its default cases. */
function withCases({ rule, result }: RuleTable, cases: readonly (readonly [string, string])[]) {
  const all = cases
    .map(([conditions, value]) => `<${rule}Case>${conditions}<${result}>${value}</${result}></${rule}Case>`)
    .join('');
  const others = DEFAULT_RULES.replace(new RegExp(`<${rule}>.*</${rule}>`), '');
  return version({ ...parts, rules: `${others}<${rule}>${all}</${rule}>` });
}

/**
 * Returns whether the rule is a policy, which requires a case without conditions (V17). Its result differs from the
 * others.
 */
function needsDefault({ rule }: RuleTable): boolean {
  return rule === 'changePolicy' || rule === 'cancelPolicy';
}

for (const table of tables) {
  const [first, second] = table.values;
  const last = needsDefault(table) ? [['', second] as const] : [];
  const fallback = needsDefault(table) ? second : table.whenNothingMatches;

  describe(`catalog rule ${table.rule}`, () => {
    for (const condition of table.holds)
      it(`applies a case that matches ${condition}`, () =>
        expect(table.evaluate(withCases(table, [[condition, first], ...last]))).to.equal(first));

    for (const condition of table.fails)
      it(`skips a case that does not match ${condition}`, () =>
        expect(table.evaluate(withCases(table, [[condition, first], ...last]))).to.equal(fallback));

    it('uses the first case whose conditions all match', () => {
      const [one = '', other = ''] = table.holds;
      const [failing = ''] = table.fails;
      const some = [`${one}${table.fails.at(-1)}`, failing];
      const cases = [
        ...some.map((conditions) => [conditions, second] as const),
        [`${one}${other}`, first] as const,
      ];
      expect(table.evaluate(withCases(table, [...cases, ['', second]]))).to.equal(first);
      expect(table.evaluate(withCases(table, [['', first], [`${one}${other}`, second], ...last]))).to.equal(
        first,
      );
    });

    it('always applies a case without conditions', () =>
      expect(table.evaluate(withCases(table, [['', first]]))).to.equal(first));

    it('has a default', () => {
      if (needsDefault(table)) return;
      expect(table.evaluate(withCases(table, []))).to.equal(table.whenNothingMatches);
    });
  });
}
