import { anyDatabase, basic, expect, type Serving, serveOnce } from '../support/http/index.ts';

anyDatabase.describe('queue API over HTTP (platform §9.4, §9.5)', (open) => {
  const serving = serveOnce(open);
  let accountId: string;
  before(async () => {
    const { id } = await bob(serving).then((acme) => acme.createAccount({ currency: 'USD' }));
    accountId = id;
  });

  it('lists queues in admin/queues as one JSON object, filtered by the options and by account', async () => {
    const get = (query = '') => serving.get(`/admin/queues${query}`);
    const all = await get();
    expect([all.status, all.headers.get('content-type')]).to.eql([200, 'application/octet-stream']);
    expect(JSON.parse(all.text)).to.have.all.keys('busEvents', 'notifications');
    const own = JSON.parse((await get(`?accountId=${accountId}&withNotifications=false`)).text) as {
      readonly busEvents: readonly { readonly className: string }[];
    };
    expect(own.busEvents.map(({ className }) => className)).to.eql(['ACCOUNT_CREATION']);
    expect(JSON.parse((await get('?withBusEvents=false&minDate=2024-02-09&maxDate=2024-02-09')).text)).to.eql(
      { notifications: [] },
    );
    expect((await get(`?accountId=${serving.nextId()}`)).status).to.equal(404);
    expect((await get('?minDate=soon')).status).to.equal(400);
  });

  it('lists late entries and the reasons in admin/queues/late, and requires a permission for both routes', async () => {
    const get = async (path: string, headers = {}) => serving.get(`/admin/queues${path}`, headers);
    await (await bob(serving)).updateAccount(accountId, { changes: { name: 'Ada' } });
    await plan(serving, accountId);
    expect((await get('/late')).json).to.eql([]);
    serving.clock.advance({ minutes: 2 });
    const [late, ...others] = (await get(`/late?accountId=${accountId}&limit=5`)).json as readonly object[];
    expect(others).to.eql([]);
    expect(late).to.deep.include({
      kind: 'NOTIFICATION',
      topic: 'payment-service:retry',
      accountId,
      dueDate: '2024-02-10T08:15:30.000Z',
      processingState: 'AVAILABLE',
      cause: 'NO_NODE',
      why: 'no node was active in the last five minutes',
    });
    expect((await get('/late?limit=1001')).status).to.equal(400);
    await serving.billing.security.users.create(
      { userName: 'admin' },
      { name: 'reader', password: 'password', roles: [] },
      { allowShort: true },
    );
    const reader = { authorization: basic('reader', 'password') };
    for (const path of ['', '/late']) expect((await get(path, reader)).status).to.equal(403);
  });
});

async function bob({ billing }: Serving) {
  return billing.as({ tenant: await billing.tenants.getByApiKey('bob'), user: 'test' });
}

/** Schedules a payment retry that is due now and belongs to no payment. */
async function plan({ billing, storage }: Serving, accountId: string): Promise<void> {
  const tenant = await billing.tenants.getByApiKey('bob');
  const context = await billing.context({ tenant, user: 'test' });
  const { recordId } = await billing.accounts.get(context, accountId);
  const authorship = { ...context, userTokenOf: () => context.userToken };
  await storage.write(tenant, authorship, async (session) =>
    session.schedule([
      {
        queueName: 'payment-service:retry',
        accountRecordId: recordId,
        effectiveDate: context.createdDate,
        payload: {},
        uniqueKey: null,
      },
    ]),
  );
}
