import { CatalogWithOverrides, createCatalog } from '../../../lib/catalog/index.ts';
import {
  billingAlignmentOf,
  cancelPolicyOf,
  createAlignmentOf,
  planChangeRules,
  type RuledSubscription,
} from '../../../lib/catalog/lookup/catalog.ts';
import { at, expectCode, lists, plan, product, version } from '../../support/catalogs/catalog-document.ts';
import { ErrorCode, expect } from '../../support/unit.ts';

interface Rules {
  readonly change: string;
  readonly cancel: string;
  readonly create: string;
  readonly billing: string;
}

function rulesXml({ change, cancel, create, billing }: Rules): string {
  return `
    <changePolicy><changePolicyCase><policy>${change}</policy></changePolicyCase></changePolicy>
    <cancelPolicy><cancelPolicyCase><policy>${cancel}</policy></cancelPolicyCase></cancelPolicy>
    <createAlignment><createAlignmentCase><alignment>${create}</alignment></createAlignmentCase></createAlignment>
    <billingAlignment><billingAlignmentCase><alignment>${billing}</alignment></billingAlignmentCase></billingAlignment>`;
}

const early: Rules = {
  change: 'IMMEDIATE',
  cancel: 'IMMEDIATE',
  create: 'START_OF_BUNDLE',
  billing: 'ACCOUNT',
};
const late: Rules = {
  change: 'ILLEGAL',
  cancel: 'END_OF_TERM',
  create: 'START_OF_SUBSCRIPTION',
  billing: 'SUBSCRIPTION',
};

interface Offered {
  readonly plans: readonly string[];
  /** Date for existing subscriptions of `p-m`. */
  readonly forExisting?: string;
}

function offering(effectiveDate: string, rules: Rules, { plans, forExisting }: Offered) {
  const dated =
    forExisting === undefined
      ? ''
      : `<effectiveDateForExistingSubscriptions>${forExisting}</effectiveDateForExistingSubscriptions>`;
  return version({
    effectiveDate,
    products: product('P') + product('Q'),
    plans: plans
      .map((name) => plan(name, name === 'p-m' ? 'P' : 'Q', { more: name === 'p-m' ? dated : '' }))
      .join(''),
    priceLists: lists({ DEFAULT: plans }),
    rules: rulesXml(rules),
  });
}

const subscription: RuledSubscription = {
  planName: 'p-m',
  phaseType: 'EVERGREEN',
  priceListName: 'DEFAULT',
  lastPlanChange: at('2024-02-01'),
  decided: at('2024-02-01'),
};
const target = { planName: 'q-m' };

describe('applicable catalog version for rules', () => {
  const kept = new CatalogWithOverrides(
    createCatalog([
      offering('2024-01-01', early, { plans: ['p-m', 'q-m'] }),
      offering('2024-06-01', late, { plans: ['p-m', 'q-m'] }),
    ]),
    [],
  );

  it('is the version at the date of a change, or the current version if the policy determines that date', () => {
    const evaluate = (changeDate: string | null, now: string) =>
      planChangeRules(kept, {
        subscription,
        target,
        changeDate: changeDate === null ? null : at(changeDate),
        now: at(now),
      });
    expect(evaluate(null, '2024-05-01').policy.result).to.equal('IMMEDIATE');
    expect(evaluate('2024-05-31', '2024-05-01').policy.result).to.equal('IMMEDIATE');
    expectCode(ErrorCode.CATALOG_ILLEGAL_CHANGE_REQUEST, () => evaluate('2024-06-01', '2024-05-01'));
    expectCode(ErrorCode.CATALOG_ILLEGAL_CHANGE_REQUEST, () => evaluate(null, '2024-06-01'));
    expect(evaluate('2024-05-31', '2024-07-01').policy.result).to.equal('IMMEDIATE');
  });

  it("is the plan's version for a cancellation and the bill cycle, until the subscription's price changes", () => {
    const moved = new CatalogWithOverrides(
      createCatalog([
        offering('2024-01-01', early, { plans: ['p-m'] }),
        offering('2024-06-01', late, { plans: ['p-m'], forExisting: '2024-07-01' }),
      ]),
      [],
    );
    expect(cancelPolicyOf(kept, subscription, at('2024-09-01')).result).to.equal('IMMEDIATE');
    expect(billingAlignmentOf(kept, subscription, at('2024-09-01')).result).to.equal('ACCOUNT');
    expect(cancelPolicyOf(moved, subscription, at('2024-06-30')).result).to.equal('IMMEDIATE');
    expect(cancelPolicyOf(moved, subscription, at('2024-07-01')).result).to.equal('END_OF_TERM');
    expect(billingAlignmentOf(moved, subscription, at('2024-06-30')).result).to.equal('ACCOUNT');
    expect(billingAlignmentOf(moved, subscription, at('2024-07-01')).result).to.equal('SUBSCRIPTION');
    const since = { ...subscription, lastPlanChange: at('2024-06-15') };
    expect(cancelPolicyOf(kept, since, at('2024-09-01')).result).to.equal('END_OF_TERM');
  });

  it('is the version at the start of a pending subscription, even if no earlier version contains the plan', () => {
    const coming = new CatalogWithOverrides(
      createCatalog([
        offering('2024-01-01', early, { plans: ['q-m'] }),
        offering('2024-06-01', late, { plans: ['p-m', 'q-m'] }),
      ]),
      [],
    );
    const pending = { ...subscription, lastPlanChange: at('2024-07-01') };
    expect(cancelPolicyOf(coming, pending, at('2024-05-01')).result).to.equal('END_OF_TERM');
    expect(billingAlignmentOf(coming, pending, at('2024-07-01')).result).to.equal('SUBSCRIPTION');
    const question = { subscription: pending, target, changeDate: null, now: at('2024-05-01') };
    expect(planChangeRules(coming, question).policy.result, 'of a change: that of now').to.equal('IMMEDIATE');
  });

  it('is the plan’s version for the create alignment, based on the event date and the subscription start', () => {
    const evaluate = (eventDate: string, start: string) =>
      createAlignmentOf(kept, subscription, { eventDate: at(eventDate), subscriptionStart: at(start) });
    expect(evaluate('2024-02-01', '2024-02-01').result).to.equal('START_OF_BUNDLE');
    expect(evaluate('2024-09-01', '2024-02-01').result).to.equal('START_OF_BUNDLE');
    expect(evaluate('2024-09-01', '2024-09-01').result).to.equal('START_OF_SUBSCRIPTION');
  });

  it('is the version that contains the retired plan, so that a plan change is still allowed (catalog W6 "Retirement")', () => {
    const catalog = new CatalogWithOverrides(
      createCatalog([
        offering('2024-01-01', early, { plans: ['p-m', 'q-m'] }),
        version({
          effectiveDate: '2024-06-01',
          products: product('P') + product('Q'),
          plans: plan('q-m', 'Q'),
          priceLists: lists({ DEFAULT: ['q-m'] }),
          rules: `
            <changePolicy>
              <changePolicyCase><fromProduct>P</fromProduct><policy>END_OF_TERM</policy></changePolicyCase>
              <changePolicyCase><policy>ILLEGAL</policy></changePolicyCase>
            </changePolicy>
            <cancelPolicy><cancelPolicyCase><policy>END_OF_TERM</policy></cancelPolicyCase></cancelPolicy>`,
        }),
      ]),
      [],
    );
    const question = { subscription, target, changeDate: null, now: at('2024-09-01') };
    expect(planChangeRules(catalog, question).policy.result).to.equal('END_OF_TERM');
    expect(cancelPolicyOf(catalog, subscription, at('2024-09-01')).result).to.equal('IMMEDIATE');
  });

  it('supplies the rules for the price list from which the subscription was sold', () => {
    const fromVip = `
      <changePolicy>
        <changePolicyCase><fromPriceList>VIP</fromPriceList><policy>END_OF_TERM</policy></changePolicyCase>
        <changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase>
      </changePolicy>
      <cancelPolicy>
        <cancelPolicyCase><priceList>VIP</priceList><policy>END_OF_TERM</policy></cancelPolicyCase>
        <cancelPolicyCase><policy>IMMEDIATE</policy></cancelPolicyCase>
      </cancelPolicy>
      <createAlignment><createAlignmentCase><priceList>VIP</priceList><alignment>START_OF_SUBSCRIPTION</alignment></createAlignmentCase></createAlignment>
      <billingAlignment><billingAlignmentCase><priceList>VIP</priceList><alignment>BUNDLE</alignment></billingAlignmentCase></billingAlignment>`;
    const catalog = new CatalogWithOverrides(
      createCatalog([
        version({
          products: product('P') + product('Q'),
          plans: plan('p-m', 'P') + plan('q-m', 'Q'),
          priceLists: lists({ DEFAULT: ['p-m', 'q-m'], VIP: ['p-m'] }),
          rules: fromVip,
        }),
      ]),
      [],
    );
    const vip = { ...subscription, priceListName: 'VIP' };
    expect(cancelPolicyOf(catalog, vip, at('2024-09-01')).result).to.equal('END_OF_TERM');
    expect(cancelPolicyOf(catalog, subscription, at('2024-09-01')).result).to.equal('IMMEDIATE');
    const question = { target, changeDate: null, now: at('2024-09-01') };
    expect(planChangeRules(catalog, { ...question, subscription: vip }).policy.result).to.equal(
      'END_OF_TERM',
    );
    expect(planChangeRules(catalog, { ...question, subscription }).policy.result).to.equal('IMMEDIATE');
    const created = { eventDate: at('2024-02-01'), subscriptionStart: at('2024-02-01') };
    expect(createAlignmentOf(catalog, vip, created).result).to.equal('START_OF_SUBSCRIPTION');
    expect(createAlignmentOf(catalog, subscription, created).result).to.equal('START_OF_BUNDLE');
    expect(billingAlignmentOf(catalog, vip, at('2024-02-01')).result).to.equal('BUNDLE');
    expect(billingAlignmentOf(catalog, subscription, at('2024-02-01')).result).to.equal('ACCOUNT');
  });
});
