import { readFile } from 'node:fs/promises';
import type { HostInput, SimplePlan, TenantBilling, Uuid } from '../../lib/index.ts';
import { catalogXml, lists, plan, product } from '../support/catalogs/catalog-document.ts';
import { eachDatabaseByTurns } from '../support/databases.ts';
import type { TestEngine } from '../support/index.ts';
import { example, expect, expectCode, itemLines, openEngine, specCatalog } from '../support/index.ts';

const orchard = example('catalogs/orchard-demo.xml');
const lamp: HostInput<SimplePlan> = {
  planId: 'lamp-monthly',
  productName: 'Lamp',
  productCategory: 'BASE',
  currency: 'USD',
  amount: '12.50',
  billingPeriod: 'MONTHLY',
};

eachDatabaseByTurns.describe('default-catalog subscriptions after a tenant upload', (open) => {
  let engine: TestEngine;
  let tenant: TenantBilling;
  let tenantId: Uuid;
  let accountId: Uuid;
  let subscriptionId: Uuid;

  beforeEach(async () => {
    engine = await openEngine(open, {
      now: '2024-01-01T09:00:00Z',
      catalog: null,
      defaultCatalog: await readFile(orchard, 'utf8'),
    });
    const input = { apiKey: 'global', apiSecret: 'secret', useGlobalDefault: true };
    ({ id: tenantId } = await engine.billing.tenants.create({ userName: 'test' }, input));
    tenant = engine.billing.as({ tenant: tenantId, user: 'test' });
    accountId = (await newAccount()).id;
    ({ subscriptionId } = await tenant.createSubscription({ accountId, planName: 'apple-monthly' }));
    await engine.runTo('2024-01-05T09:00:00Z');
  });

  async function newAccount() {
    const account = await tenant.createAccount({ currency: 'USD' });
    const { name: pluginName } = engine.gateway;
    await tenant.addPaymentMethod({ accountId: account.id, pluginName, isDefault: true });
    return account;
  }

  const lines = async (of = accountId): Promise<readonly string[]> =>
    (await tenant.invoices.ofAccount({ accountId: of, withItems: true })).flatMap(itemLines);

  const uploads: Readonly<Record<string, () => Promise<void>>> = {
    'an upload': async () => tenant.uploadCatalog(await readFile(specCatalog)),
    'a simple plan': () => tenant.catalogs.addSimplePlan(lamp),
  };

  for (const [upload, begin] of Object.entries(uploads))
    describe(`started with ${upload}`, () => {
      beforeEach(async () => {
        await engine.settle(begin());
      });

      it('are readable individually and in bundle lists', async () => {
        const read = await tenant.getSubscription(subscriptionId);
        expect(read).to.include({ planName: 'apple-monthly', productName: 'Apple', state: 'ACTIVE' });
        const { rows } = await tenant.bundles.page({ offset: 0, limit: 10 });
        expect(rows.map(({ subscriptions }) => subscriptions[0]?.planName)).to.eql(['apple-monthly']);
        const ofAccount = await tenant.subscriptions.bundlesOfAccount(accountId);
        expect(ofAccount.map(({ subscriptions }) => subscriptions[0]?.productName)).to.eql(['Apple']);
      });

      it('are still billed at their price', async () => {
        await engine.runTo('2024-03-05T09:00:00Z');
        expect(await lines()).to.eql([
          'FIXED 2024-01-01..2024-01-31 0',
          'RECURRING 2024-01-31..2024-02-29 20',
          'RECURRING 2024-02-29..2024-03-31 20',
        ]);
      });

      it('can be canceled by the rules of the default catalog, and uncanceled', async () => {
        await engine.runTo('2024-02-10T09:00:00Z');
        await tenant.subscriptions.cancel(subscriptionId, { entitlementPolicy: 'END_OF_TERM' });
        const { state, billingEnd } = await tenant.getSubscription(subscriptionId);
        expect(state).to.equal('ACTIVE');
        expect(billingEnd?.date).to.equal('2024-02-29');
        await tenant.subscriptions.uncancel(subscriptionId);
        await tenant.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' });
        expect((await tenant.getSubscription(subscriptionId)).state).to.equal('CANCELLED');
      });

      it('can change to plans that the tenant sells now, but not to plans of the default catalog', async () => {
        const planName = upload === 'an upload' ? 'solo-monthly' : 'lamp-monthly';
        await engine.runTo('2024-02-10T09:00:00Z');
        const within = tenant.subscriptions.changePlan(subscriptionId, { planName: 'quince-monthly' });
        await expectCode(within, 2021);
        await tenant.subscriptions.changePlan(subscriptionId, { planName, billingPolicy: 'IMMEDIATE' });
        expect(await tenant.getSubscription(subscriptionId)).to.include({ planName });
        await engine.settle();
      });

      it('can be transferred to another account, and end when that account is closed', async () => {
        const target = await newAccount();
        const { bundleId } = await tenant.getSubscription(subscriptionId);
        await tenant.bundles.transfer(bundleId, { accountId: target.id, billingPolicy: 'IMMEDIATE' });
        await engine.runTo('2024-02-05T09:00:00Z');
        expect(await lines(target.id)).to.eql([
          'FIXED 2024-01-05..2024-01-31 0',
          'RECURRING 2024-01-31..2024-02-29 20',
        ]);
        await tenant.accounts.close(target.id, { cancelAllSubscriptions: true });
        const [bundle] = await tenant.subscriptions.bundlesOfAccount(target.id);
        expect(bundle?.subscriptions[0]?.state).to.equal('CANCELLED');
      });

      it('continue, although the plans of the default catalog are no longer sold', async () => {
        const account = await newAccount();
        const bought = tenant.createSubscription({ accountId: account.id, planName: 'apple-monthly' });
        await expectCode(bought, 2021);
        expect((await tenant.catalogs.current()).versions).to.have.length(1);
      });
    });

  it('can be read, but not canceled, if their plan no longer has their phase', async () => {
    await engine.settle(tenant.uploadCatalog(await readFile(specCatalog)));
    const { database } = engine;
    await engine.close();
    engine = await openEngine(async () => database, {
      now: '2024-01-05T09:00:00Z',
      catalog: null,
      defaultCatalog: catalogXml({
        products: product('Apple'),
        plans: plan('apple-monthly', 'Apple'),
        priceLists: lists({ DEFAULT: ['apple-monthly'] }),
      }),
    });
    tenant = engine.billing.as({ tenant: tenantId, user: 'test' });
    const { rows } = await tenant.bundles.page({ offset: 0, limit: 10 });
    expect(rows.flatMap(({ subscriptions }) => subscriptions)).to.containSubset([
      { planName: 'apple-monthly', phaseType: 'TRIAL', state: 'ACTIVE', productName: null },
    ]);
    expect(await tenant.getSubscription(subscriptionId)).to.include({ phaseType: 'TRIAL' });
    await expectCode(tenant.subscriptions.cancel(subscriptionId), 2020);
  });

  it('can change by product within the DEFAULT price list if the tenant does not have their price list', async () => {
    const request = { accountId, planName: 'harvest-pear-monthly' };
    const { subscriptionId: harvested } = await tenant.createSubscription(request);
    await tenant.uploadCatalog(await readFile(specCatalog));
    await engine.runTo('2024-01-10T09:00:00Z');
    const change = { productName: 'Pro', billingPeriod: 'MONTHLY', billingPolicy: 'IMMEDIATE' } as const;
    await tenant.subscriptions.changePlan(harvested, change);
    expect(await tenant.getSubscription(harvested)).to.include({
      planName: 'pro-monthly',
      priceList: 'DEFAULT',
    });
  });

  it('keep their add-ons and price overrides after the tenant has deleted its catalog', async () => {
    const base = await tenant.createSubscription({
      accountId,
      planName: 'pear-monthly',
      priceOverrides: [{ phaseType: 'EVERGREEN', recurringPrice: '33' }],
    });
    await tenant.createSubscription({ accountId, bundleId: base.bundleId, planName: 'ladder-monthly' });
    await engine.settle();
    await tenant.uploadCatalog(await readFile(specCatalog));
    await engine.settle(tenant.catalogs.delete());
    expect((await tenant.catalogs.current()).versions).to.eql([]);
    const bundle = await tenant.bundles.get(base.bundleId);
    expect(bundle.subscriptions.map(({ productName }) => productName)).to.eql(['Pear', 'Ladder']);
    await engine.runTo('2024-03-05T09:00:00Z');
    expect(await lines()).to.include.members([
      'RECURRING 2024-02-29..2024-03-31 33',
      'RECURRING 2024-03-04..2024-04-04 6',
    ]);
    await expectCode(tenant.createSubscription({ accountId, planName: 'apple-monthly' }), 2050);
    await tenant.subscriptions.cancel(base.subscriptionId);
  });

  it('keep their price even if a plan of the tenant with the same name has another price for new subscriptions', async () => {
    await engine.runTo('2024-02-05T09:00:00Z');
    const own = catalogXml({
      effectiveDate: '2010-01-01T00:00:00Z',
      products: product('Apple'),
      plans: plan('apple-monthly', 'Apple', { price: '77.00' }),
      priceLists: lists({ DEFAULT: ['apple-monthly'] }),
    });
    await tenant.uploadCatalog(own);
    await engine.runTo('2024-02-10T09:00:00Z');
    const account = await newAccount();
    await tenant.createSubscription({ accountId: account.id, planName: 'apple-monthly' });
    await engine.runTo('2024-03-05T09:00:00Z');
    expect(await lines()).to.eql([
      'FIXED 2024-01-01..2024-01-31 0',
      'RECURRING 2024-01-31..2024-02-29 20',
      'RECURRING 2024-02-29..2024-03-31 20',
    ]);
    expect(await lines(account.id)).to.eql(['RECURRING 2024-02-10..2024-03-10 77']);
  });

  describe('on a plan that the tenant also sells under the same name, at another price and without a trial', () => {
    const own = catalogXml({
      effectiveDate: '2010-01-01T00:00:00Z',
      products: product('Apple'),
      plans: plan('apple-monthly', 'Apple', { price: '77.00' }),
      priceLists: lists({ DEFAULT: ['apple-monthly'] }),
    });

    it('can be transferred during their trial, and keep their price', async () => {
      await engine.settle(tenant.uploadCatalog(own));
      await engine.runTo('2024-01-08T09:00:00Z');
      const { bundleId } = await tenant.getSubscription(subscriptionId);
      const [first, second] = [await newAccount(), await newAccount()];
      const request = { accountId: first.id, billingPolicy: 'IMMEDIATE' } as const;
      const once = await tenant.bundles.transfer(bundleId, request);
      await engine.runTo('2024-01-10T09:00:00Z');
      await tenant.bundles.transfer(once, { accountId: second.id, billingPolicy: 'IMMEDIATE' });
      await engine.runTo('2024-03-05T09:00:00Z');
      expect(await lines(second.id)).to.eql([
        'FIXED 2024-01-10..2024-01-31 0',
        'RECURRING 2024-01-31..2024-02-29 20',
        'RECURRING 2024-02-29..2024-03-31 20',
      ]);
    });

    it('are transferred together with a pending change to a plan of the default catalog', async () => {
      const request = { accountId, planName: 'pear-monthly' };
      const { subscriptionId: changed, bundleId } = await tenant.createSubscription(request);
      const change = { planName: 'apple-monthly', requestedDate: '2024-01-20' };
      await tenant.subscriptions.changePlan(changed, change);
      await engine.runTo('2024-01-06T09:00:00Z');
      await tenant.uploadCatalog(own);
      await engine.runTo('2024-01-08T09:00:00Z');
      const target = await newAccount();
      await tenant.bundles.transfer(bundleId, { accountId: target.id, billingPolicy: 'IMMEDIATE' });
      await engine.runTo('2024-03-05T09:00:00Z');
      const charged = (await lines(target.id)).filter((line) => line.startsWith('RECURRING'));
      expect(charged).to.eql(['RECURRING 2024-02-04..2024-03-04 20', 'RECURRING 2024-03-04..2024-04-04 20']);
    });
  });

  it('are listed from stored data, together with other subscriptions, if their plan no longer exists', async () => {
    await tenant.uploadCatalog(await readFile(specCatalog));
    const other = await newAccount();
    await engine.settle(tenant.createSubscription({ accountId: other.id, planName: 'pro-monthly' }));
    const { database } = engine;
    await engine.close();
    engine = await openEngine(async () => database, {
      now: '2024-01-05T09:00:00Z',
      catalog: null,
      defaultCatalog: await readFile(specCatalog, 'utf8'),
    });
    tenant = engine.billing.as({ tenant: tenantId, user: 'test' });
    const { rows } = await tenant.bundles.page({ offset: 0, limit: 10 });
    expect(rows.flatMap(({ subscriptions }) => subscriptions)).to.containSubset([
      {
        planName: 'apple-monthly',
        phaseType: 'TRIAL',
        priceList: 'DEFAULT',
        state: 'ACTIVE',
        productName: null,
        productCategory: 'BASE',
        billingPeriod: null,
      },
      { planName: 'pro-monthly', productName: 'Pro' },
    ]);
    await expectCode(tenant.subscriptions.cancel(subscriptionId), 2020);
  });
});
