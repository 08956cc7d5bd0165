import { catalogXml, lists } from '../support/catalogs/catalog-document.ts';
import { pricedCatalog } from '../support/catalogs/priced-catalog.ts';
import { aliasHeaders, createdId, eachDatabaseByTurns, expect } from '../support/http/index.ts';
import { eve, expectRefusal, outcomeOf, type Reply, serveOnce, xmlType } from '../support/http/serving.ts';

eachDatabaseByTurns.describe('catalog of a subscription over HTTP', (open) => {
  const serving = serveOnce(open);
  let subscriptionId: string;

  before(async () => {
    for (const version of [
      { effectiveDate: '2024-01-01', price: '40.00' },
      { effectiveDate: '2024-04-01', price: '52.00', forExisting: '2024-05-01' },
      { effectiveDate: '2024-07-01', price: '70.00', isRetired: true },
    ]) {
      const body = pricedCatalog(version);
      const reply = await serving.post('/catalog', body, xmlType);
      expect(reply.status, reply.text).to.equal(201);
    }
    const account = await serving.post('/accounts', { currency: 'USD' });
    const subscription = await serving.post(
      '/subscriptions?billingDate=2024-03-15&entitlementDate=2024-03-15',
      { accountId: createdId(account), planName: 'heat-monthly' },
    );
    subscriptionId = createdId(subscription);
  });

  function get(path: string, query: string, headers = {}): Promise<Reply> {
    return serving.get(`/catalog/${path}?${query}`, headers);
  }

  const at = (date: string): string => `subscriptionId=${subscriptionId}&requestedDate=${date}`;

  it('shows the phase with its price on the requested date, including price changes', async () => {
    const priceAt = async (date: string) => {
      const { status, json } = await get('phase', at(date));
      return [status, (json as { prices: unknown[] }).prices];
    };
    expect(await priceAt('2024-04-30')).to.eql([200, [{ currency: 'USD', value: 40 }]]);
    expect(await priceAt('2024-05-01')).to.eql([200, [{ currency: 'USD', value: 52 }]]);
    expect(await priceAt('2024-05-01T00:00:00Z')).to.eql([200, [{ currency: 'USD', value: 52 }]]);
  });

  it('shows the plan, product and price list, using the last version that contains the plan if the plan is retired', async () => {
    const plan = await get('plan', at('2024-09-01'));
    expect(plan.json).to.deep.include({
      name: 'heat-monthly',
      billingPeriod: 'MONTHLY',
      recurringBillingMode: 'IN_ADVANCE',
      product: 'Heat',
      priceList: 'DEFAULT',
      effectiveDateForExistingSubscriptions: '2024-05-01T00:00:00.000Z',
    });
    const product = await get('product', at('2024-09-01'));
    expect(product.json).to.eql({
      type: 'BASE',
      name: 'Heat',
      prettyName: 'Heat',
      plans: [],
      included: [],
      available: [],
      features: [],
    });
    const list = await get('priceList', at('2024-09-01'));
    expect(list.json).to.eql({ name: 'DEFAULT', prettyName: 'DEFAULT', plans: ['heat-monthly'] });
  });

  it('shows the chosen price list if several contain the plan', async () => {
    const call = (path: string, body: string | object, more = {}): Promise<Reply> =>
      serving.post(`/${path}`, body, { ...eve, ...more });
    await call('catalog', catalogXml({ priceLists: lists({ DEFAULT: ['p-m'], VIP: ['p-m'] }) }), xmlType);
    const accountId = createdId(await call('accounts', { currency: 'USD' }));
    for (const priceList of ['VIP', 'DEFAULT']) {
      const specifier = { productName: 'P', productCategory: 'BASE', billingPeriod: 'MONTHLY', priceList };
      const id = createdId(await call('subscriptions', { accountId, ...specifier }));
      const { json } = await get('priceList', `subscriptionId=${id}`, eve);
      expect(json).to.include({ name: priceList });
    }
  });

  it('returns exactly the fields that existing clients expect', async () => {
    const list = await get('priceList', at('2024-04-01'), aliasHeaders);
    expect(list.json).to.eql({ name: 'DEFAULT', plans: ['heat-monthly'] });
    const phase = await get('phase', at('2024-04-01'), aliasHeaders);
    expect(Object.keys(phase.json as object)).to.have.members([
      'type',
      'prices',
      'fixedPrices',
      'duration',
      'usages',
    ]);
    const plan = await get('plan', at('2024-04-01'), aliasHeaders);
    expect(Object.keys(plan.json as object)).to.have.members([
      'name',
      'prettyName',
      'recurringBillingMode',
      'billingPeriod',
      'phases',
    ]);
  });

  it('rejects a date on or after the cancellation and accepts an earlier date', async () => {
    const account = await serving.post('/accounts', { currency: 'USD' });
    const subscription = await serving.post(
      '/subscriptions?billingDate=2024-02-01&entitlementDate=2024-02-01',
      { accountId: createdId(account), planName: 'heat-monthly' },
    );
    const id = createdId(subscription);
    const cancelled = await serving.remove(
      `/subscriptions/${id}?requestedDate=2024-03-20&useRequestedDateForBilling=true`,
    );
    expect(cancelled.status, cancelled.text).to.equal(204);
    const atDate = async (path: string, date: string) => {
      const { status, json } = await get(path, `subscriptionId=${id}&requestedDate=${date}`);
      return status === 200 ? status : outcomeOf({ status, json });
    };
    for (const path of ['plan', 'phase', 'product', 'priceList']) {
      expect(await atDate(path, '2024-03-19')).to.equal(200);
      // The day of the cancellation starts at the account's reference time.
      expect(await atDate(path, '2024-03-20T08:15:29Z')).to.equal(200);
      expect(await atDate(path, '2024-03-20T08:15:30Z')).to.eql([400, 1001]);
      expect(await atDate(path, '2024-03-21')).to.eql([400, 1001]);
      expect(await atDate(path, '2030-01-01')).to.eql([400, 1001]);
    }
  });

  it('interprets a date in the account’s time zone and rejects dates before the first billing day', async () => {
    const { clock, post, remove } = serving;
    clock.set('2024-06-10T20:15:30Z');
    const body = { currency: 'USD', timeZone: 'America/Los_Angeles', referenceTime: '2024-06-01T08:00:00Z' };
    const account = await post('/accounts', body);
    // Starts at 13:15 of a day whose reference time is 01:00.
    const subscription = await post('/subscriptions', {
      accountId: createdId(account),
      planName: 'heat-monthly',
    });
    const id = createdId(subscription);
    const statusAt = async (date: string) =>
      (await get('plan', `subscriptionId=${id}&requestedDate=${date}`)).status;
    expect(await statusAt('2024-06-09')).to.equal(400);
    expect(await statusAt('2024-06-10')).to.equal(200);
    expect(await statusAt('2024-06-10T20:15:29Z')).to.equal(400);
    expect(await statusAt('2024-06-10T20:15:30Z')).to.equal(200);
    const cancelled = await remove(
      `/subscriptions/${id}?requestedDate=2024-06-20&useRequestedDateForBilling=true`,
    );
    expect(cancelled.status, cancelled.text).to.equal(204);
    expect(await statusAt('2024-06-19')).to.equal(200);
    expect(await statusAt('2024-06-20')).to.equal(400);
    expect(await statusAt('2024-06-20T07:59:59Z')).to.equal(200);
  });

  it('rejects a subscription without a plan', async () => {
    const codeOf = async (query: string) => {
      const { status, json } = await get('plan', query);
      return outcomeOf({ status, json });
    };
    expect(await codeOf(at('2024-03-14'))).to.eql([400, 1001]);
    expect(await codeOf('requestedDate=2024-04-01')).to.eql([400, 60003]);
    expect(await codeOf(at('soon'))).to.eql([400, 60002]);
    expect(await codeOf('subscriptionId=11111111-1111-4111-8111-111111111111')).to.eql([404, 1082]);
    expectRefusal(await get('plan', at('2024-04-01'), eve), 404, 1082);
  });
});
