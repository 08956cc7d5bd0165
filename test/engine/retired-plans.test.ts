import { BillingPeriod, type Uuid } from '../../lib/index.ts';
import { catalogXml, envelopeXml, lists, plan, product } from '../support/catalogs/catalog-document.ts';
import { eachDatabaseByTurns, expect, expectCode, openEngine, type TestEngine } from '../support/index.ts';

/** Changes away from Oar wait for the end of the term. All others are immediate. */
const rules = `
  <changePolicy>
    <changePolicyCase><fromProduct>Oar</fromProduct><policy>END_OF_TERM</policy></changePolicyCase>
    <changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase>
  </changePolicy>
  <cancelPolicy><cancelPolicyCase><policy>END_OF_TERM</policy></cancelPolicyCase></cancelPolicy>`;
const raft = plan('raft-monthly', 'Raft', { price: '50.00' });

const boats = envelopeXml(
  {
    effectiveDate: '2024-01-01T00:00:00Z',
    products: product('Oar') + product('Raft'),
    rules,
    plans: plan('oar-monthly', 'Oar', { price: '20.00' }) + raft,
    priceLists: lists({ DEFAULT: ['oar-monthly', 'raft-monthly'] }),
  },
  {
    effectiveDate: '2024-06-01T00:00:00Z',
    products: product('Oar') + product('Raft'),
    rules,
    plans: raft,
    priceLists: lists({ DEFAULT: ['raft-monthly'] }),
  },
  {
    effectiveDate: '2024-09-01T00:00:00Z',
    products: product('Raft'),
    plans: raft,
    priceLists: lists({ DEFAULT: ['raft-monthly'] }),
  },
);

/** Changes stay in the list VIP, and go from every other list to DEFAULT. */
const vip = catalogXml({
  products: product('Basic') + product('Pro') + product('Plus'),
  rules: `
    <changePolicy><changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase></changePolicy>
    <cancelPolicy><cancelPolicyCase><policy>IMMEDIATE</policy></cancelPolicyCase></cancelPolicy>
    <priceList>
      <priceListCase><fromPriceList>VIP</fromPriceList><toPriceList>VIP</toPriceList></priceListCase>
      <priceListCase><toPriceList>DEFAULT</toPriceList></priceListCase>
    </priceList>`,
  plans: [
    plan('basic-monthly', 'Basic'),
    plan('pro-monthly', 'Pro'),
    plan('plus-monthly', 'Plus'),
    plan('vip-basic-monthly', 'Basic'),
    plan('vip-pro-monthly', 'Pro'),
    plan('promo-basic-monthly', 'Basic'),
    plan('promo-pro-monthly', 'Pro'),
  ].join(''),
  priceLists: lists({
    DEFAULT: ['basic-monthly', 'pro-monthly', 'plus-monthly'],
    VIP: ['vip-basic-monthly', 'vip-pro-monthly'],
    PROMO: ['promo-basic-monthly', 'promo-pro-monthly'],
  }),
});

eachDatabaseByTurns.describe('retired plans and price lists', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  const begin = async (now: string, catalog: string): Promise<void> => {
    engine = await openEngine(open, { now, catalog });
    accountId = (await engine.payingAccount({ currency: 'USD' })).id;
  };
  const subscribe = async (planName: string): Promise<Uuid> => {
    const { subscriptionId } = await engine.subscribe({ accountId, planName });
    return subscriptionId;
  };
  const lines = async (): Promise<readonly string[]> => await engine.linesOf(accountId);

  describe('retired plans', () => {
    let subscriptionId: Uuid;

    beforeEach(async () => {
      await begin('2024-02-10T00:00:00Z', boats);
      subscriptionId = await subscribe('oar-monthly');
    });

    it('can no longer be bought by product, period or name (catalog W6 "Retirement")', async () => {
      const byProduct = {
        accountId,
        productName: 'Oar',
        productCategory: 'BASE',
        billingPeriod: BillingPeriod.MONTHLY,
        priceList: 'DEFAULT',
      } as const;
      for (const [now, code] of [
        ['2024-06-02T00:00:00Z', 2020],
        ['2024-09-02T00:00:00Z', 2030],
      ] as const) {
        await engine.runTo(now);
        await expectCode(engine.acme.createSubscription(byProduct), code);
        await expectCode(engine.acme.createSubscription({ accountId, planName: 'oar-monthly' }), 2021);
      }
    });

    it('keep the original price for existing subscriptions, even after an undone cancellation (catalog W6 "Retirement")', async () => {
      await engine.runTo('2024-09-15T00:00:00Z');
      const { subscriptions } = engine.acme;
      await subscriptions.cancel(subscriptionId);
      expect((await engine.acme.getSubscription(subscriptionId)).billingEnd).to.not.equal(null);
      await subscriptions.uncancel(subscriptionId);
      expect((await engine.acme.getSubscription(subscriptionId)).billingEnd).to.equal(null);
      await engine.runTo('2024-10-10T00:00:00Z');
      const billed = await lines();
      expect(billed).to.have.length(9);
      expect(billed.at(-1)).to.equal('RECURRING 2024-10-10..2024-11-10 20');
    });

    it('can be changed to another plan under the rules of a version that has only their product (catalog W6 "Retirement")', async () => {
      await engine.runTo('2024-06-15T00:00:00Z');
      await engine.settle(engine.acme.subscriptions.changePlan(subscriptionId, { planName: 'raft-monthly' }));
      expect(await engine.acme.getSubscription(subscriptionId)).to.include({ planName: 'oar-monthly' });
      await engine.runTo('2024-07-10T00:00:00Z');
      expect(await engine.acme.getSubscription(subscriptionId)).to.include({ planName: 'raft-monthly' });
      expect((await lines()).at(-1)).to.equal('RECURRING 2024-07-10..2024-08-10 50');
    });
  });

  describe('sticky price lists', () => {
    for (const [from, productName, priceListName, expected] of [
      ['vip-basic-monthly', 'Pro', null, 'vip-pro-monthly'],
      ['vip-basic-monthly', 'Plus', null, 'plus-monthly'],
      ['promo-basic-monthly', 'Pro', null, 'pro-monthly'],
      ['vip-basic-monthly', 'Pro', 'PROMO', 'promo-pro-monthly'],
    ] as const)
      it(`determine that a change from ${from} to ${productName}${priceListName === null ? '' : ` of ${priceListName}`} selects ${expected} (catalog W9 "Sticky list")`, async () => {
        await begin('2024-02-10T00:00:00Z', vip);
        const subscriptionId = await subscribe(from);
        await engine.acme.subscriptions.changePlan(subscriptionId, {
          productName,
          billingPeriod: BillingPeriod.MONTHLY,
          priceList: priceListName,
        });
        expect(await engine.acme.getSubscription(subscriptionId)).to.include({ planName: expected });
      });
  });
});
