import { ErrorCode, type TenantBilling, type Uuid } from '../../lib/index.ts';
import {
  catalogXml,
  lists,
  phase,
  plan,
  price,
  product,
  TRIAL,
} from '../support/catalogs/catalog-document.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect, expectCode } from '../support/index.ts';
import type { Account } from '../support/plain-views.ts';

const both = price('USD', '10') + price('EUR', '9');
const usage = `<usage name="calls" billingMode="IN_ARREAR" usageType="CONSUMABLE"><billingPeriod>MONTHLY</billingPeriod>
  <tiers><tier><blocks><tieredBlock><unit>call</unit><size>1</size><prices>${price('USD', '1')}</prices><max>-1</max>
  </tieredBlock></blocks></tier></tiers></usage>`;
const plans = {
  'sold-monthly': plan('sold-monthly', 'Base', { price: both, initialPhases: TRIAL }),
  'dollar-monthly': plan('dollar-monthly', 'Base', { price: '10', initialPhases: TRIAL }),
  'dollar-trial': plan('dollar-trial', 'Base', {
    price: both,
    initialPhases: phase('TRIAL', { fixed: '1' }),
  }),
  'dollar-usage': plan('dollar-usage', 'Base', {
    finalPhase: phase('EVERGREEN', { period: 'MONTHLY', price: both, usages: usage }),
  }),
  'free-monthly': plan('free-monthly', 'Base', { price: '' }),
  'dollar-add-on': plan('dollar-add-on', 'AddOn', { price: '3' }),
};
const catalog = catalogXml({
  currencies: ['USD', 'EUR'],
  units: ['call'],
  products: product('Base', { available: ['AddOn'] }) + product('AddOn', { category: 'ADD_ON' }),
  plans: Object.values(plans).join(''),
  priceLists: lists({ DEFAULT: Object.keys(plans) }),
});
const { CATALOG_NO_PRICE_FOR_CURRENCY: NO_PRICE, CURRENCY_INVALID } = ErrorCode;

eachDatabaseByTurns.describe('plans without a price in the currency of the account', (open) => {
  let acme: TenantBilling;
  let euros: Account;

  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z', catalog });
  beforeEach(async () => {
    acme = engine.acme;
    euros = await acme.createAccount({ currency: 'EUR' });
  });

  const subscribe = (accountId: Uuid, planName: string) => acme.createSubscription({ accountId, planName });

  async function expectNothingStored(): Promise<void> {
    const { rows } = await acme.bundles.page({ offset: 0, limit: 10 });
    expect(rows).to.eql([]);
    await engine.settle();
    expect(await acme.tags.ofAccount(euros.id)).to.eql([]);
  }

  for (const planName of ['dollar-monthly', 'dollar-trial', 'dollar-usage'])
    it(`are rejected at creation and in a dry run of the creation (${planName})`, async () => {
      await expectCode(subscribe(euros.id, planName), NO_PRICE);
      const dryRun = { dryRunType: 'SUBSCRIPTION_ACTION', dryRunAction: 'START_BILLING', planName } as const;
      await expectCode(acme.invoices.dryRun({ accountId: euros.id, ...dryRun }), NO_PRICE);
      await expectNothingStored();
    });

  it('are accepted if the creation skips the phase without a price', async () => {
    await acme.createSubscription({ accountId: euros.id, planName: 'dollar-trial', phaseType: 'EVERGREEN' });
    await engine.settle();
    expect(await acme.invoices.ofAccount({ accountId: euros.id })).to.have.length(1);
  });

  it('are rejected together with all other subscriptions of the same call', async () => {
    const base = { accountId: euros.id, planName: 'sold-monthly' };
    const withAddOn = acme.subscriptions.createWithAddOns([base, { ...base, planName: 'dollar-add-on' }]);
    await expectCode(withAddOn, NO_PRICE);
    const bundles = acme.subscriptions.createBundles([[base], [{ ...base, planName: 'dollar-monthly' }]]);
    await expectCode(bundles, NO_PRICE);
    await expectNothingStored();
  });

  it('are accepted with an override price for each phase that lacks a price', async () => {
    const request = { accountId: euros.id, planName: 'dollar-monthly' };
    const evergreen = { phaseType: 'EVERGREEN', recurringPrice: '7' } as const;
    await acme.createSubscription({ ...request, priceOverrides: [evergreen] });
    await engine.runTo('2024-02-01T00:00:00Z');
    const invoices = await acme.invoices.ofAccount({ accountId: euros.id });
    expect(invoices.map(({ amount }) => amount.toString())).to.eql(['0', '7']);
    const trial = { phaseType: 'TRIAL', fixedPrice: '0' } as const;
    await expectCode(acme.createSubscription({ ...request, priceOverrides: [trial] }), NO_PRICE);
  });

  it('are rejected in an immediate, dated or policy-based plan change, and leave the subscription unchanged', async () => {
    const { subscriptionId } = await subscribe(euros.id, 'sold-monthly');
    for (const when of [
      { billingPolicy: 'IMMEDIATE' },
      { billingPolicy: 'END_OF_TERM' },
      { requestedDate: '2024-06-01' },
      {},
    ] as const) {
      const change = acme.subscriptions.changePlan(subscriptionId, { planName: 'dollar-monthly', ...when });
      await expectCode(change, NO_PRICE, JSON.stringify(when));
    }
    expect(await acme.getSubscription(subscriptionId)).to.include({ planName: 'sold-monthly' });
    await acme.subscriptions.changePlan(subscriptionId, { planName: 'free-monthly' });
  });

  it('are rejected in a transfer to an account in another currency or without a currency', async () => {
    const dollars = await acme.createAccount({ currency: 'USD' });
    const { bundleId } = await subscribe(dollars.id, 'dollar-monthly');
    const none = await acme.createAccount({});
    await expectCode(acme.bundles.transfer(bundleId, { accountId: euros.id }), NO_PRICE);
    await expectCode(acme.bundles.transfer(bundleId, { accountId: none.id }), CURRENCY_INVALID);
  });

  it('are rejected if a later version removes the price for existing subscriptions', async () => {
    const later = catalog.replace('2024-01-01T00:00:00Z', '2024-06-01T00:00:00Z').replace(
      plans['sold-monthly'],
      plan('sold-monthly', 'Base', {
        price: '12',
        initialPhases: TRIAL,
        more: '<effectiveDateForExistingSubscriptions>2024-07-01</effectiveDateForExistingSubscriptions>',
      }),
    );
    await acme.uploadCatalog(later);
    await expectCode(subscribe(euros.id, 'sold-monthly'), NO_PRICE);
  });

  it('include all plans, even free plans, if the account has no currency', async () => {
    const { id: accountId } = await acme.createAccount({});
    await expectCode(subscribe(accountId, 'sold-monthly'), CURRENCY_INVALID);
    const priceOverrides = [{ phaseType: 'EVERGREEN', recurringPrice: '7' }] as const;
    const overridden = acme.createSubscription({ accountId, planName: 'sold-monthly', priceOverrides });
    await expectCode(overridden, CURRENCY_INVALID);
    await expectCode(subscribe(accountId, 'free-monthly'), CURRENCY_INVALID);
    const { bundleId } = await subscribe(euros.id, 'free-monthly');
    await expectCode(acme.bundles.transfer(bundleId, { accountId }), CURRENCY_INVALID);
    await engine.settle();
    expect(await acme.tags.ofAccount(accountId), 'is not parked').to.eql([]);
  });
});
