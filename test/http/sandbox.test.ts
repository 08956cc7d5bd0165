import { eachDatabaseByTurns, expect } from '../support/http/index.ts';
import { createAccount, createdId, eve, expectRefusal, serveOnce } from '../support/http/serving.ts';

const root = '/plugins/sandbox';
/** The name of the plugin in Kill Bill. */
const alias = '/plugins/killbill-payment-test';

eachDatabaseByTurns.describe('sandbox gateway over HTTP (payments §2.4 rule 2)', (open) => {
  const serving = serveOnce(open);
  const { call, post, get } = serving;
  const own = {};
  const accounts = new Map<object, string>();

  before(async () => {
    for (const headers of [own, eve]) {
      const body = { currency: 'USD' };
      const accountId = await createAccount(serving, body, headers);
      const method = { pluginName: 'killbill-payment-test' };
      const path = `/1.0/kb/accounts/${accountId}/paymentMethods?isDefault=true`;
      await call('POST', path, { body: method, headers });
      accounts.set(headers, accountId);
    }
  });
  afterEach(async () => {
    for (const headers of [own, eve]) await configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' }, headers);
  });

  const configure = (body: object | string, headers: object = {}, at = root) =>
    call('POST', `${at}/configure`, { body, headers: { 'x-service-createdby': undefined, ...headers } });
  const status = async (headers: object = {}, at = root) =>
    (await call('GET', `${at}/status`, { headers: headers as never })).json;
  const pay = (headers: object = own, transactionType = 'PURCHASE', query = '') =>
    post(
      `/accounts/${accounts.get(headers)}/payments${query}`,
      { transactionType, amount: 10, currency: 'USD' },
      headers as never,
    );

  it('accepts a configuration without an author and keeps it until it is cleared', async () => {
    const action = 'ACTION_RETURN_PLUGIN_STATUS_ERROR';
    const reply = await configure({
      CONFIGURE_ACTION: action,
      METHODS: 'purchasePayment',
      SLEEP_TIME_SEC: 0.01,
    });
    expect([reply.status, reply.text]).to.eql([200, '']);
    expect(await status()).to.eql({ states: { purchasePayment: action }, sleeps: { purchasePayment: 0.01 } });
    expect([(await pay()).status, (await pay()).status]).to.eql([402, 402]);
    expect((await pay(own, 'AUTHORIZE')).status).to.equal(201);
    await configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
    expect(await status()).to.eql({ states: {}, sleeps: {} });
    expect((await pay()).status).to.equal(201);
  });

  it('uses one configuration for both names of the gateway', async () => {
    const accountId = await createAccount(serving, { currency: 'USD' });
    const path = `/1.0/kb/accounts/${accountId}`;
    const made = await call('POST', `${path}/paymentMethods?isDefault=true`, {
      body: { pluginName: 'sandbox' },
    });
    expect((await get(`/paymentMethods/${createdId(made)}`)).json).to.include({
      pluginName: 'sandbox',
    });
    const payNamed = () =>
      call('POST', `${path}/payments`, { body: { transactionType: 'PURCHASE', amount: 10 } });
    await configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' }, {}, alias);
    expect(await status({}, alias)).to.eql(await status());
    expect([(await pay()).status, (await payNamed()).status]).to.eql([402, 402]);
    await configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
    expect([(await pay()).status, (await payNamed()).status]).to.eql([201, 201]);
  });

  it('keeps the configuration of each tenant separate', async () => {
    await configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_CANCELED' });
    expect(await status(eve)).to.eql({ states: {}, sleeps: {} });
    expect([(await pay()).status, (await pay(eve)).status]).to.eql([502, 201]);
    await configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' }, eve);
    expect((await pay()).status).to.equal(502);
  });

  it('counts only transactions of the configuring tenant toward TIMES', async () => {
    await configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: '2' });
    await pay(eve);
    const accountId = accounts.get(own);
    await get(`/accounts/${accountId}/paymentMethods?withPluginInfo=true`);
    await post(`/accounts/${accountId}/paymentMethods`, { pluginName: 'killbill-payment-test' });
    expect([(await pay()).status, (await pay()).status, (await pay()).status]).to.eql([402, 402, 201]);
  });

  it('returns the configured amounts, currency, error and response', async () => {
    await configure({
      CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR',
      PROCESSED_AMOUNT: '7.5',
      PROCESSED_CURRENCY: 'EUR',
      GATEWAY_ERROR_CODE: 'E1',
      GATEWAY_ERROR: 'no funds',
      PAYMENT_RESPONSE: 'INSUFFICIENT_FUNDS',
    });
    const reply = await pay();
    expect((reply.json as { message: string }).message).to.equal(
      'Payment decline by gateway. Error message: no funds',
    );
    const [entry] = serving.gateway.ledger.all().slice(-1);
    expect(entry).to.deep.include({
      currency: 'EUR',
      gatewayErrorCode: 'E1',
      gatewayError: 'no funds',
      paymentResponse: 'INSUFFICIENT_FUNDS',
    });
    expect(entry?.amount?.toFixed()).to.equal('7.5');
  });

  it('applies OVERRIDE_STATUS only to transactions of the configuring tenant', async () => {
    const made = await pay(own, 'PURCHASE', '?pluginProperty=ACTION_RETURN_PLUGIN_STATUS_UNDEFINED%3Dtrue');
    expect(made.status).to.equal(503);
    const path = `/1.0/kb/payments/${createdId(made)}?withPluginInfo=true`;
    const transactionOf = async () =>
      ((await call('GET', path)).json as { transactions: Record<string, string>[] }).transactions[0];
    const transactionId = (await transactionOf())?.transactionId;
    const override = { CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status: 'PROCESSED', amount: 9 };
    const unknown = { ...override, transactionId: '11111111-1111-4111-8111-111111111111' };
    const [foreign, none] = [await configure(override, eve), await configure(unknown, eve)];
    expectRefusal(foreign, 400, 60_003);
    expect(foreign.text.replace(String(transactionId), unknown.transactionId)).to.equal(none.text);
    expect((await transactionOf())?.status).to.equal('UNKNOWN');
    expect((await configure(override)).status).to.equal(200);
    expect(await transactionOf()).to.include({ status: 'SUCCESS', processedAmount: 9 });
  });

  for (const [what, configuration] of [
    ['no action', {}],
    ['an unknown action', { CONFIGURE_ACTION: 'ACTION_DANCE' }],
    ['an inherited object property as action', { CONFIGURE_ACTION: 'constructor' }],
    ['an unknown method', { CONFIGURE_ACTION: 'ACTION_SLEEP', METHODS: 'purchasePayment,dance' }],
    ['zero times', { CONFIGURE_ACTION: 'RETURN_NIL', TIMES: 0 }],
    ['half a time', { CONFIGURE_ACTION: 'RETURN_NIL', TIMES: 1.5 }],
    ['a negative sleep', { CONFIGURE_ACTION: 'ACTION_SLEEP', SLEEP_TIME_SEC: -1 }],
    ['an endless sleep', { CONFIGURE_ACTION: 'ACTION_SLEEP', SLEEP_TIME_SEC: '1e9' }],
    ['an invalid amount', { CONFIGURE_ACTION: 'ACTION_SLEEP', PROCESSED_AMOUNT: 'much' }],
    ['an invalid currency', { CONFIGURE_ACTION: 'ACTION_SLEEP', PROCESSED_CURRENCY: 'XXXX' }],
    ['an override without a transaction', { CONFIGURE_ACTION: 'OVERRIDE_STATUS', status: 'PROCESSED' }],
    [
      'an override to an invalid status',
      {
        CONFIGURE_ACTION: 'OVERRIDE_STATUS',
        transactionId: '11111111-1111-4111-8111-111111111111',
        status: 'GOOD',
      },
    ],
  ] as const)
    it(`rejects a configuration with ${what} and keeps the previous one`, async () => {
      await configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_PENDING' });
      const before = await status();
      expectRefusal(await configure(configuration), 400, 60_003);
      expect(await status()).to.eql(before);
    });
});
