import { aliasHeaders, createAccount, createdId, expectStatus, list, textOf } from '../support/http/index.ts';
import { exampleCatalog, expectRefusal, type Reply, serveOnce, xmlType } from '../support/http/serving.ts';
import { eachDatabase, expect } from '../support/index.ts';

eachDatabase.describe('calls with callCompletion over HTTP', (open) => {
  const serving = serveOnce(open);
  let accountId: string;

  before(async () => {
    const { post } = serving;
    await post('/catalog', await exampleCatalog(), xmlType);
  });
  beforeEach(async () => {
    accountId = await createAccount(serving);
    await serving.post(`/accounts/${accountId}/paymentMethods?isDefault=true`, {
      pluginName: 'killbill-payment-test',
    });
    await serving.billing.settle();
  });
  afterEach(() => serving.gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' }));

  const subscribe = (query: string, headers = {}): Promise<Reply> =>
    serving.post(
      `/subscriptions?${query}`,
      { accountId, externalKey: `of-${accountId}`, planName: 'canopy-monthly' },
      headers,
    );
  const balances = async (): Promise<readonly unknown[]> =>
    (await list(serving, `/1.0/kb/accounts/${accountId}/invoices`)).map(
      (invoice) => (invoice as { readonly balance: unknown }).balance,
    );

  for (const [dialect, headers] of [
    ['D', {}],
    ['K', aliasHeaders],
  ] as const)
    it(`return once the invoice is paid, in dialect ${dialect}`, async () => {
      expectStatus(await subscribe('callCompletion=true', headers), 201);
      expect(await balances()).to.eql([0]);
    });

  it('return immediately unless callCompletion is true', async () => {
    expect((await subscribe('callTimeoutSec=9')).status).to.equal(201);
    expect(await balances()).to.eql([]);
  });

  it('do not wait for future billing', async () => {
    const reply = await subscribe('callCompletion=true&callTimeoutSec=0&billingDate=2024-03-10');
    expect(reply.status, reply.text).to.equal(201);
  });

  it('return 408 on timeout and keep the subscription', async () => {
    serving.gateway.configure({ CONFIGURE_ACTION: 'ACTION_SLEEP', SLEEP_TIME_SEC: 1.5 });
    const reply = await subscribe('callCompletion=true&callTimeoutSec=1');
    expectRefusal(reply, 408, 60016);
    const read = await serving.get(`/subscriptions?externalKey=of-${accountId}`);
    expect(read.status).to.equal(200);
    expect(textOf(reply.json, 'message')).to.include(textOf(read.json, 'subscriptionId'));
    await serving.billing.settle();
    expect(await balances()).to.eql([0]);
  });

  it('wait for the invoice of a change or cancellation, regardless of how the plan is specified', async () => {
    const path = `/1.0/kb/subscriptions/${createdId(await subscribe('callCompletion=true'))}`;
    const { call } = serving;
    const invoiced = async () => (await balances()).length;
    const change = (query: string, body: object) => call('PUT', `${path}?${query}`, { body });
    const team = { productName: 'Bloom', billingPeriod: 'ANNUAL', priceList: 'DEFAULT' };
    const answers = [
      await change('billingPolicy=IMMEDIATE&callCompletion=true', team),
      await change('billingPolicy=IMMEDIATE&callCompletion=true', { planName: 'canopy-monthly' }),
    ];
    expect(answers.map(({ status }) => status)).to.eql([204, 204]);
    expect(await invoiced(), 'one for each').to.equal(3);
    const ahead = await change('requestedDate=2024-05-01&callCompletion=true&callTimeoutSec=0', {
      planName: 'sprout-monthly',
    });
    expect(ahead.status, 'there is nothing to wait for yet').to.equal(204);
    const later = await call(
      'DELETE',
      `${path}?billingPolicy=END_OF_TERM&callCompletion=true&callTimeoutSec=0`,
    );
    expect(later.status, later.text).to.equal(204);
    expect((await call('PUT', `${path}/uncancel`)).status).to.equal(204);
    await serving.billing.settle();
    const before = await invoiced();
    const now = await call('DELETE', `${path}?billingPolicy=IMMEDIATE&callCompletion=true`);
    expect(now.status, now.text).to.equal(204);
    expect(await invoiced()).to.equal(before + 1);
  });

  it('wait for a limited time in dialect K, and are rejected before any write in dialect D if the timeout is too long (R62)', async () => {
    const query = 'callCompletion=true&callTimeoutSec=360';
    const refused = await subscribe(query);
    expectRefusal(refused, 400, 60002);
    expect(textOf(refused.json, 'message')).to.contain('callTimeoutSec is not between 0 and 120');
    expect(await list(serving, `/1.0/kb/accounts/${accountId}/bundles`)).to.eql([]);
    expect((await subscribe(query, aliasHeaders)).status).to.equal(201);
    expect(await balances()).to.eql([0]);
  });

  it('are rejected if the timeout is invalid', async () => {
    for (const value of ['-1', 'soon']) {
      expectRefusal(await subscribe(`callCompletion=true&callTimeoutSec=${value}`), 400, 60002);
    }
  });
});
