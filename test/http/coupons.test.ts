import type { Uuid } from '../../lib/index.ts';
import { lampCatalog } from '../support/coupons/lamp-catalog.ts';
import {
  aliasHeaders,
  basic,
  eachDatabaseByTurns,
  expect,
  expectStatus,
  serveEach,
} from '../support/http/index.ts';

type Json = Readonly<Record<string, unknown>>;

eachDatabaseByTurns.describe('coupon API', (open) => {
  const serving = serveEach(open);
  let accountId: Uuid;

  beforeEach(async () => {
    const { billing, clock } = serving;
    clock.set('2026-01-01T00:00:00Z');
    const acme = billing.as({ tenant: await billing.tenants.getByApiKey('bob'), user: 'test' });
    await acme.uploadCatalog(lampCatalog);
    accountId = (await acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
  });

  const call = async (request: string, body?: object, status = 200) => {
    const [method = '', path = ''] = request.split(' ');
    return expectStatus(await serving.call(method, `/1.0/kb${path}`, body ? { body } : {}), status).json;
  };

  const list = async (path: string) => (await call(`GET ${path}`)) as readonly Json[];

  const create = (more: object = {}) =>
    call(
      'POST /coupons',
      { code: 'SPRING', percentOff: 20, duration: 'PERIODS', durationCount: 2, ...more },
      201,
    );

  async function subscribe(body: object, headers = {}): Promise<string> {
    const created = await serving.call('POST', '/1.0/kb/subscriptions', {
      body: { accountId, planName: 'lamp', ...body },
      headers,
    });
    const location = expectStatus(created, 201).headers.get('location') ?? '';
    await serving.billing.settle();
    return location.slice(location.lastIndexOf('/') + 1);
  }

  async function amounts(): Promise<readonly unknown[]> {
    const invoices = await list(`/accounts/${accountId}/invoices`);
    return invoices.map(({ amount }) => amount);
  }

  it('creates, lists, changes and shows coupons', async () => {
    const coupon = await create({ amountOff: null, plans: ['lamp'] });
    expect(coupon).to.deep.include({
      code: 'SPRING',
      name: 'SPRING',
      percentOff: 20,
      amountOff: null,
      duration: 'PERIODS',
      durationCount: 2,
      plans: ['lamp'],
      redeemedCount: 0,
      isActive: true,
    });
    const ten = await create({ code: 'TEN', percentOff: null, amountOff: [{ currency: 'USD', amount: 10 }] });
    expect(ten).to.deep.include({ percentOff: null, amountOff: [{ currency: 'USD', amount: 10 }] });
    expect(await call('GET /coupons')).to.eql([coupon, ten]);
    const changed = await call('PUT /coupons/spring', { name: 'Spring sale', maxRedemptions: 3 });
    expect(changed).to.include({ name: 'Spring sale', maxRedemptions: 3, isActive: true });
    expect(await call('GET /coupons/SPRING')).to.eql(changed);
    expect(await call('GET /coupons/none', undefined, 404)).to.include({
      code: 62001,
      className: 'CouponError',
    });
    expect(await call('POST /coupons', { code: 'spring', percentOff: 5, duration: 'ONCE' }, 409)).to.include({
      code: 62002,
    });
    expect(await call('POST /coupons', { code: 'X', duration: 'PERIODS' }, 400)).to.include({ code: 62009 });
    const terms = { percentOff: null, duration: 'ONCE', plans: null };
    const usd = { currency: 'USD', amount: 3 };
    expect(await call('PUT /coupons/SPRING', { ...terms, amountOff: [usd] })).to.deep.include({
      ...terms,
      durationCount: null,
      amountOff: [usd],
    });
    expect(await call('PUT /coupons/TEN', { amountOff: [usd, usd] }, 400)).to.include({ code: 62009 });
    expect(await call('GET /coupons/TEN')).to.eql(ten);
  });

  it('redeems coupons with a subscription, and lists and removes the redemption', async () => {
    await create();
    const subscriptionId = await subscribe({ coupons: ['SPRING'] });
    expect(await amounts()).to.eql([24]);
    const [redemption] = await list(`/subscriptions/${subscriptionId}/coupons`);
    expect(redemption).to.deep.include({
      code: 'SPRING',
      accountId,
      subscriptionId,
      redeemedDate: '2026-01-01',
      endedDate: null,
      discounts: [{ subscriptionId, startDate: '2026-01-01', endDate: '2026-03-01', periodsLeft: 1 }],
    });
    expect(await call(`GET /accounts/${accountId}/coupons`)).to.eql([redemption]);
    expect(await call(`GET /subscriptions/${subscriptionId}`)).to.deep.include({ redemptions: [redemption] });
    const plain = await subscribe({});
    expect(await call(`GET /subscriptions/${plain}`)).to.deep.include({ redemptions: [] });
    expect(await list(`/subscriptions/${plain}/coupons`)).to.eql([]);
    await call(`GET /subscriptions/${accountId}/coupons`, undefined, 404);
    const removed = await call(`DELETE /couponRedemptions/${redemption?.redemptionId}`);
    expect(removed).to.include({ endedDate: '2026-01-02' });
    expect(await call(`DELETE /couponRedemptions/${redemption?.redemptionId}`, undefined, 400)).to.include({
      code: 62013,
    });
  });

  it('redeems coupons on running subscriptions and accounts', async () => {
    await create();
    await create({ code: 'ALL' });
    const subscriptionId = await subscribe({});
    const early = { code: 'SPRING', from: '2026-01-01' };
    expect(await call(`POST /subscriptions/${subscriptionId}/coupons`, early, 400)).to.include({
      code: 62010,
    });
    await call(`POST /subscriptions/${subscriptionId}/coupons`, { ...early, rebill: true }, 201);
    await serving.billing.settle();
    expect(await amounts()).to.eql([30, -6]);
    const onAccount = await call('POST /coupons/all/redemptions', { accountId, from: '2026-02-01' }, 201);
    expect(onAccount).to.include({ accountId, subscriptionId: null, redeemedDate: '2026-02-01' });
  });

  it('computes a dry run with coupons', async () => {
    await create();
    const dryRun = await call(`POST /invoices/dryRun?accountId=${accountId}`, {
      dryRunType: 'SUBSCRIPTION_ACTION',
      dryRunAction: 'START_BILLING',
      planName: 'lamp',
      coupons: ['SPRING'],
    });
    expect(dryRun).to.include({ amount: 24 });
  });

  it('redeems coupons only for users with the permission coupon:redeem', async () => {
    await create();
    await create({ code: 'OTHER' });
    const permissions = ['entitlement:create', 'entitlement:change_plan'];
    await call('POST /security/roles', { role: 'seller', permissions }, 201);
    await call('POST /security/users', { username: 'sam', password: 'password', roles: ['seller'] }, 201);
    const headers = { authorization: basic('sam', 'password') };
    const send = async (method: string, path: string, body: object) =>
      (await serving.call(method, `/1.0/kb${path}`, { body, headers })).status;
    const lamp = { accountId, planName: 'lamp' };
    const discounted = { ...lamp, coupons: ['SPRING'] };
    const withAddOns = [{ baseEntitlementAndAddOns: [discounted] }];
    expect(await send('POST', '/subscriptions', lamp)).to.equal(201);
    expect(await send('POST', '/subscriptions', discounted)).to.equal(403);
    expect(await send('POST', '/subscriptions/createSubscriptionWithAddOns', [discounted])).to.equal(403);
    expect(await send('POST', '/subscriptions/createSubscriptionsWithAddOns', withAddOns)).to.equal(403);
    const subscriptionId = await subscribe({ coupons: ['OTHER'] });
    const path = `/subscriptions/${subscriptionId}`;
    expect(await send('PUT', path, { planName: 'sun', coupons: ['SPRING'] })).to.equal(403);
    expect(await send('POST', `${path}/coupons`, { code: 'SPRING' })).to.equal(403);
    expect(await send('POST', '/coupons/SPRING/redemptions', { accountId })).to.equal(403);
    const shown = expectStatus(await serving.call('GET', `/1.0/kb${path}`, { headers }), 200);
    expect(shown.json).to.not.have.property('redemptions');
    const [redemption] = await list(`${path}/coupons`);
    expect(await send('DELETE', `/couponRedemptions/${redemption?.redemptionId}`, {})).to.equal(403);
    expect(await list(`/accounts/${accountId}/coupons`)).to.eql([redemption]);
  });

  it('ignores coupons in dialect K', async () => {
    await create();
    await subscribe({ coupons: ['SPRING'] }, aliasHeaders);
    expect(await amounts()).to.eql([30]);
  });

  it('shows redemptions neither in the audit log nor in subscriptions of dialect K', async () => {
    await create();
    const subscriptionId = await subscribe({ coupons: ['SPRING'] });
    const log = await serving.call('GET', `/1.0/kb/accounts/${accountId}/auditLogs`, {
      headers: aliasHeaders,
    });
    expect(expectStatus(log, 200).text).to.not.match(/coupon/i);
    const shown = await serving.call('GET', `/1.0/kb/subscriptions/${subscriptionId}`, {
      headers: aliasHeaders,
    });
    expect(expectStatus(shown, 200).text).to.not.match(/coupon/i);
  });
});
