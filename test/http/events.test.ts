import type { PushSender } from '../../lib/ports/index.ts';
import { aliasHeaders, anyDatabase, createAccount, expect, serveEach } from '../support/http/index.ts';

interface Feed {
  readonly events: readonly { readonly cursor: string; readonly [member: string]: unknown }[];
  readonly next: string;
}

anyDatabase.describe('HTTP event feed (platform §10.6)', (open) => {
  let sent: { readonly id: string; readonly body: string }[];
  const pushSender: PushSender = {
    resolve: async () => ['192.0.2.1'],
    send: async ({ id, body }) => {
      sent.push({ id, body });
      return { status: 200 };
    },
  };
  const serving = serveEach(open, { pushSender });
  beforeEach(() => {
    sent = [];
  });
  const read = async (query = '') => (await serving.get(`/events${query}`)).json as Feed;
  const newAccount = async () => createAccount(serving);

  it('returns the same events and ids as push notifications, in both dialects', async () => {
    const callback = '/1.0/kb/tenants/registerNotificationCallback?cb=https%3A%2F%2Fexample.com%2Fone';
    await serving.call('POST', callback);
    const accountId = await newAccount();
    await serving.billing.settle();
    const { events, next } = await read();
    const [, created] = events;
    expect(created).to.eql({
      eventId: sent.find(({ body }) => body.includes(accountId))?.id,
      cursor: next,
      eventType: 'ACCOUNT_CREATION',
      accountId,
      objectType: 'ACCOUNT',
      objectId: accountId,
      metaData: null,
      createdDate: '2024-02-10T08:15:30.000Z',
    });
    const bodies = events.map(({ eventId, cursor: _, createdDate: __, ...body }) => ({
      id: eventId,
      body: JSON.stringify(body),
    }));
    expect(bodies).to.eql(sent);
    const { json } = await serving.get('/events', aliasHeaders);
    expect(json).to.eql({ events, next });
  });

  it('returns events by page, by type or after the latest event, and waits for new events', async () => {
    const ids = [await newAccount(), await newAccount(), await newAccount()];
    const first = await read('?limit=2');
    const second = await read(`?limit=2&after=${first.next}`);
    expect([...first.events, ...second.events].map(({ objectId }) => objectId)).to.eql(ids);
    expect((await read('?eventType=TAG_CREATION')).events).to.eql([]);
    expect((await read('?eventType=TAG_CREATION,ACCOUNT_CREATION')).events).to.have.length(3);
    const latest = await read('?after=latest');
    expect(latest).to.eql({ events: [], next: second.next });
    const waiting = read(`?after=${latest.next}&wait=30`);
    const id = await newAccount();
    expect((await waiting).events.map(({ objectId }) => objectId)).to.eql([id]);
  });

  it('rejects invalid cursors, limits and types with 400', async () => {
    for (const query of ['after=x', 'limit=0', 'limit=1001', 'wait=31', 'wait=-1', 'eventType=NULL_INVOICE'])
      expect((await serving.get(`/events?${query}`)).status, query).to.equal(400);
  });
});
