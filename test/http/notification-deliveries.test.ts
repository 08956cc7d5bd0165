import type { PushSender } from '../../lib/ports/index.ts';
import { anyDatabase, expect } from '../support/http/index.ts';
import { aliasHeaders, createAccount, expectRefusal, serveEach } from '../support/http/serving.ts';

const root = '/1.0/kb/tenants/notificationDeliveries';
const callback = '/1.0/kb/tenants/registerNotificationCallback';

interface Shown {
  readonly deliveryId: string;
  readonly eventType: string;
  readonly status: string;
  readonly url: string;
  readonly [member: string]: unknown;
}

anyDatabase.describe('push delivery API (platform §10.5)', (open) => {
  let status: number;
  let sent: string[];

  const pushSender: PushSender = {
    resolve: async () => ['192.0.2.1'],
    send: async ({ url, id }) => {
      sent.push(`${url.pathname} ${id}`);
      return { status };
    },
  };
  const serving = serveEach(open, { pushSender });
  beforeEach(async () => {
    [status, sent] = [200, []];
    await serving.call('POST', `${callback}?cb=https%3A%2F%2Fexample.com%2Fone`);
    await serving.billing.settle();
  });
  const listed = async (query = ''): Promise<readonly Shown[]> =>
    (await serving.call('GET', `${root}${query}`)).json as readonly Shown[];
  const newAccount = async () => createAccount(serving);

  it('returns the attempts, their results and the next attempt', async () => {
    status = 503;
    const accountId = await newAccount();
    await serving.billing.settle();
    const [, delivery] = await listed();
    expect(delivery).to.eql({
      deliveryId: delivery?.deliveryId,
      eventType: 'ACCOUNT_CREATION',
      accountId,
      objectType: 'ACCOUNT',
      objectId: accountId,
      metaData: null,
      url: 'https://example.com/one',
      status: 'AVAILABLE',
      attempts: 1,
      lastAttemptDate: '2024-02-10T08:15:30.000Z',
      lastStatus: 503,
      lastError: 'The receiver answered 503',
      nextAttemptDate: '2024-02-10T08:30:30.000Z',
      createdDate: '2024-02-10T08:15:30.000Z',
    });
    const one = await serving.call('GET', `${root}/${delivery?.deliveryId}`, { headers: aliasHeaders });
    expect(one.json).to.eql(delivery);
  });

  it('lists deliveries by status, event and account, in pages', async () => {
    const [first, second] = [await newAccount(), await newAccount()];
    await serving.billing.settle();
    status = 500;
    await newAccount();
    await serving.billing.settle();
    expect((await listed('?status=AVAILABLE')).map(({ attempts }) => attempts)).to.eql([1]);
    expect((await listed('?eventType=TENANT_CONFIG_CHANGE')).map(({ url }) => url)).to.eql([
      'https://example.com/one',
    ]);
    expect((await listed(`?accountId=${second}`)).map(({ objectId }) => objectId)).to.eql([second]);
    expect((await listed('?limit=1&offset=1')).map(({ objectId }) => objectId)).to.eql([first]);
    const { headers } = await serving.call('GET', `${root}?limit=2&eventType=ACCOUNT_CREATION`);
    expect(headers.get('x-service-pagination-totalnbrecords')).to.equal('3');
    for (const query of ['?status=NEW', '?eventType=NULL_INVOICE', '?accountId=x'])
      expect((await serving.call('GET', `${root}${query}`)).status, query).to.equal(400);
  });

  it('resends a delivery in any status on request, under the same id', async () => {
    const [{ deliveryId } = { deliveryId: '' }] = await listed();
    expect((await serving.call('POST', `${root}/${deliveryId}/resend`)).status).to.equal(204);
    await serving.billing.settle();
    expect(sent).to.eql([`/one ${deliveryId}`, `/one ${deliveryId}`]);
    expect((await listed())[0]).to.deep.include({ status: 'PROCESSED', attempts: 2, nextAttemptDate: null });
    await serving.call('POST', `${callback}?cb=https%3A%2F%2Fexample.com%2Ftwo`);
    status = 500;
    await serving.call('POST', `${root}/${deliveryId}/resend`);
    await serving.billing.settle();
    expect(sent).to.include(`/two ${deliveryId}`);
    expect((await listed())[0]).to.deep.include({
      status: 'AVAILABLE',
      url: 'https://example.com/two',
      nextAttemptDate: '2024-02-10T08:30:30.000Z',
    });
  });

  it('returns 400 for a resend without a destination and 404 for an unknown delivery', async () => {
    const [{ deliveryId } = { deliveryId: '' }] = await listed();
    await serving.call('DELETE', callback);
    expectRefusal(await serving.call('POST', `${root}/${deliveryId}/resend`), 400, 60_002);
    const unknown = '1c5b4f6e-0b5e-4c39-9f0a-6a4d6f2f8a11';
    for (const [method, path] of [
      ['GET', unknown],
      ['POST', `${unknown}/resend`],
    ] as const) {
      const { status: answered, json } = await serving.call(method, `${root}/${path}`);
      expect([answered, (json as { code: number }).code]).to.eql([404, 60_007]);
    }
  });
});
