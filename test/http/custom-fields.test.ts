import { createAccount, createdId, populate, populateOnce } from '../support/http/index.ts';
import { expectRefusal, expectStatus, outcomeOf, type Reply, serveOnce } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect, newEvents } from '../support/index.ts';

const core = '/1.0/kb';
const author = { 'x-service-createdby': 'demo', 'x-service-reason': 'r', 'x-service-comment': 'c' };

type ShownField = Readonly<Record<'customFieldId' | 'objectType' | 'objectId' | 'name' | 'value', string>>;

eachDatabaseByTurns.describe('custom field and audit log APIs', (open) => {
  const world = populateOnce(open);
  const { serving } = world;
  let nextEvents: () => Promise<readonly string[]>;

  before(async () => {
    nextEvents = newEvents(serving.database);
  });

  const send = (method: string, path: string, body?: unknown): Promise<Reply> =>
    serving.call(method, `${core}${path}`, { headers: author, ...(body === undefined ? {} : { body }) });
  const newAccount = async (): Promise<string> => createdId(await send('POST', '/accounts', {}));
  const fieldsOf = async (path: string): Promise<readonly ShownField[]> =>
    (await send('GET', `${path}/customFields`)).json as readonly ShownField[];
  const pairsOf = async (path: string) => (await fieldsOf(path)).map(({ name, value }) => `${name}=${value}`);

  it('add, change, find and remove fields, keep their history, and reject an invalid call as a whole (accounts E13)', async () => {
    const id = await newAccount();
    const account = `/accounts/${id}`;
    const fields = `${account}/customFields`;
    await nextEvents();
    const post = (...body: readonly object[]) => send('POST', fields, body);
    const created = await post({ name: 'tier', value: 'gold' }, { name: 'rep', value: 'kim' });
    expect(created.status).to.equal(201);
    expect(created.headers.get('location')).to.equal(`${serving.url}${core}${fields}`);
    expectRefusal(await post({ name: 'seat', value: '4' }, { name: 'tier', value: 'gold' }), 400, 9000);
    expect(await pairsOf(account)).to.eql(['tier=gold', 'rep=kim']);
    expect((await post({ name: 'tier', value: 'bronze' })).status).to.equal(201);
    const [tier, , bronze] = await fieldsOf(account);
    await send('DELETE', `${fields}?customField=${bronze?.customFieldId}`);

    const customFieldId = tier?.customFieldId;
    expect((await send('PUT', fields, [{ customFieldId, value: 'silver' }])).status).to.equal(204);
    const history = await send('GET', `/customFields/${customFieldId}/auditLogsWithHistory`);
    const rows = history.json as { changeType: string; history: Record<string, unknown> }[];
    expect(rows.map(({ changeType, history: { fieldValue } }) => [changeType, fieldValue])).to.eql([
      ['INSERT', 'gold'],
      ['UPDATE', 'silver'],
    ]);
    expect(rows[0]?.history).to.have.all.keys(
      ...['id', 'createdDate', 'updatedDate', 'recordId', 'accountRecordId', 'tenantRecordId'],
      ...['fieldName', 'fieldValue', 'objectId', 'objectType', 'isActive', 'tableName', 'historyTableName'],
    );
    expect(rows[0]?.history).to.deep.include({
      tableName: 'CUSTOM_FIELD',
      historyTableName: 'CUSTOM_FIELD_HISTORY',
      id: null,
    });
    expectRefusal(await send('PUT', fields, [{ customFieldId, name: 'level', value: 'silver' }]), 400, 9002);

    const query = 'objectType=ACCOUNT&fieldName=tier';
    const found = await send('GET', `/customFields/search?${query}&fieldValue=silver`);
    expect((found.json as ShownField[]).map(({ objectId }) => objectId)).to.eql([id]);
    expect((await send('GET', `/customField/search?${query}&fieldValue=silver`)).json).to.eql(found.json);
    expect((await send('GET', `/customFields/search?${query}&fieldValue=`)).json).to.eql([]);
    expect((await send('GET', `/customFields/search?${query}`)).json).to.have.length.greaterThan(0);

    expect((await send('DELETE', fields)).status).to.equal(204);
    expect(await pairsOf(account)).to.eql([]);
    const logs = (await send('GET', `${account}/auditLogs`)).json as Record<string, unknown>[];
    expect(
      logs.filter(({ objectId }) => objectId === customFieldId).map(({ changeType }) => changeType),
    ).to.eql(['INSERT', 'UPDATE', 'DELETE']);
    expect(await nextEvents()).to.eql([
      ...['CUSTOM_FIELD_CREATION', 'CUSTOM_FIELD_CREATION', 'CUSTOM_FIELD_CREATION'],
      ...['CUSTOM_FIELD_DELETION', 'CUSTOM_FIELD_DELETION', 'CUSTOM_FIELD_DELETION'],
    ]);
  });

  it('reject the whole call with an error code and send no event if one field is invalid', async () => {
    const account = `/accounts/${await newAccount()}`;
    const fields = `${account}/customFields`;
    await send('POST', fields, [
      { name: 'a', value: '1' },
      { name: 'a', value: '2' },
    ]);
    const [first, second] = await fieldsOf(account);
    const [one, two] = [first?.customFieldId, second?.customFieldId];
    await nextEvents();
    const good = { name: 'fresh', value: 'v' };
    for (const [method, body, status, code] of [
      ['POST', [good, { name: 'n' }], 400, 60003],
      ['POST', [good, { value: 'v' }], 400, 60003],
      ['POST', [good, { name: '', value: 'v' }], 400, 60003],
      ['POST', [good, { name: 'n', value: '' }], 400, 60003],
      ['POST', [good, { name: 'n'.repeat(65), value: 'v' }], 400, 60003],
      ['POST', [good, { name: 'n', value: 'v'.repeat(256) }], 400, 60003],
      ['POST', [good, { name: 'n', value: {} }], 400, 60001],
      ['POST', [good, null], 400, 60003],
      ['POST', [good, good], 400, 9000],
      ['POST', [good, { name: 'a', value: '1' }], 400, 9000],
      ['POST', Array.from({ length: 1_001 }, (_, n) => ({ name: 'n', value: `${n}` })), 400, 60003],
      ['PUT', [{ customFieldId: one, value: '3' }, { value: 'v' }], 400, 60003],
      ['PUT', [{ customFieldId: one, value: '3' }, { customFieldId: two }], 400, 60003],
      ['PUT', [{ customFieldId: 'x', value: 'v' }], 400, 60001],
      ['PUT', [{ customFieldId: one, value: 'v'.repeat(256) }], 400, 60003],
      ['PUT', [{ customFieldId: world.unknownId, value: 'v' }], 400, 9001],
      ['PUT', [{ customFieldId: world.customFieldId, value: 'v' }], 400, 9002],
      ['PUT', [{ customFieldId: one, name: 'b', value: 'v' }], 400, 9002],
      ['PUT', [{ customFieldId: one, value: '2' }], 400, 9000],
      [
        'PUT',
        [
          { customFieldId: one, value: '3' },
          { customFieldId: one, value: '4' },
        ],
        400,
        60003,
      ],
    ] as const) {
      const what = `${method} ${JSON.stringify(body).slice(0, 120)}`;
      expect([what, ...outcomeOf(await send(method, fields, body))]).to.eql([what, status, code]);
    }
    expect(await pairsOf(account)).to.eql(['a=1', 'a=2']);
    expect(await nextEvents()).to.eql([]);
  });

  it('allow one call to swap two values', async () => {
    const account = `/accounts/${await newAccount()}`;
    await send('POST', `${account}/customFields`, [
      { name: 'a', value: '1' },
      { name: 'a', value: '2' },
    ]);
    const [first, second] = await fieldsOf(account);
    const reply = await send('PUT', `${account}/customFields`, [
      { customFieldId: first?.customFieldId, value: '2' },
      { customFieldId: second?.customFieldId, name: 'a', value: '1' },
    ]);
    expect(reply.status, reply.text).to.equal(204);
    expect(await pairsOf(account)).to.eql(['a=2', 'a=1']);
  });

  it('accept several ids in one value, and ignore ids of other accounts (http-api 15.17 "Lists in one value")', async () => {
    const account = `/accounts/${await newAccount()}`;
    await send(
      'POST',
      `${account}/customFields`,
      ['1', '2', '3'].map((value) => ({ name: 'n', value })),
    );
    const [one, two] = await fieldsOf(account);
    const ids = [one?.customFieldId, two?.customFieldId, world.customFieldId].join();
    expect((await send('DELETE', `${account}/customFields?customField=${ids}`)).status).to.equal(204);
    expect(await pairsOf(account)).to.eql(['n=3']);
    expect(await pairsOf(`/accounts/${world.accountId}`)).to.include('tier=gold');
  });

  it('accept fields on every kind of object, and store the fields of an invoice payment on its payment (R15)', async () => {
    const paths = [
      `/bundles/${world.bundleId}`,
      `/subscriptions/${world.subscriptionId}`,
      `/invoices/${world.invoiceId}`,
      `/invoiceItems/${world.invoiceItemId}`,
      `/invoicePayments/${world.paymentId}`,
      `/paymentTransactions/${world.transactionId}`,
      `/paymentMethods/${world.paymentMethodId}`,
    ];
    for (const path of paths) {
      const reply = await send('POST', `${path}/customFields`, [{ name: 'k', value: 'v' }]);
      expect(reply.status, path).to.equal(201);
      expect(await pairsOf(path)).to.eql(['k=v']);
    }
    const [ofPayment] = await fieldsOf(`/payments/${world.paymentId}`);
    expect(ofPayment).to.deep.include({ objectType: 'PAYMENT', objectId: world.paymentId });
    const all = (await send('GET', `/accounts/${world.accountId}/allCustomFields`)).json as ShownField[];
    expect(all.map(({ objectType }) => objectType).slice(-paths.length)).to.eql([
      ...['BUNDLE', 'SUBSCRIPTION', 'INVOICE', 'INVOICE_ITEM', 'PAYMENT', 'TRANSACTION', 'PAYMENT_METHOD'],
    ]);
    const some = await send('GET', `/accounts/${world.accountId}/allCustomFields?objectType=bundle`);
    expect(some.json).to.have.length(1);
  });

  it('find fields by text, and by clauses that must all match', async () => {
    const id = await newAccount();
    await send('POST', `/accounts/${id}/customFields`, [
      { name: 'Größe', value: '100%' },
      { name: 'a&b', value: 'x=y' },
      { name: 'plain', value: 'back\\slash' },
    ]);
    const [size] = await fieldsOf(`/accounts/${id}`);
    const found = async (key: string): Promise<readonly string[]> => {
      const reply = expectStatus(await send('GET', `/customFields/search/${encodeURIComponent(key)}`), 200);
      return (reply.json as ShownField[]).filter(({ objectId }) => objectId === id).map(({ name }) => name);
    };
    expect(await found('GRÖß')).to.eql(['Größe']);
    expect(await found('0%')).to.eql(['Größe']);
    expect(await found('_lai_')).to.eql([]);
    expect(await found('K\\S')).to.eql(['plain']);
    expect(await found(id.slice(3, 15))).to.have.length(3);
    expect(await found(size?.customFieldId ?? '')).to.eql(['Größe']);
    expect(await found(size?.customFieldId.slice(1) ?? '')).to.eql([]);

    const own = `_q=1&object_id=${id}`;
    const day = '2024-02-10';
    expect(await found(own)).to.have.length(3);
    expect(await found(`${own}&field_name=Größe`)).to.eql(['Größe']);
    expect(await found(`${own}&field_name=größe`)).to.eql([]);
    expect(await found(`${own}&field_name[LIKE]=GR_ßE`)).to.eql(['Größe']);
    expect(await found(`${own}&field_name[like]=%a%&field_value[neq]=x=y`)).to.eql(['plain']);
    expect(await found(`${own}&field_name=a%26b`)).to.eql(['a&b']);
    expect(await found(`${own}&field_value=x=y`)).to.eql(['a&b']);
    expect(await found(`${own}&field_value[like]=%k\\s%`)).to.eql(['plain']);
    expect(
      await found(`${own}&created_by=demo&created_date[gte]=${day}&updated_date[lt]=2024-02-11`),
    ).to.have.length(3);
    expect(await found(`${own}&created_date[gt]=2024-02-11`)).to.eql([]);
    expect(await found(`${own}&created_by[like]=DEM_&object_type=ACCOUNT`)).to.have.length(3);
    expect(await found(`_q=1&object_id[like]=${id.slice(0, 20).toUpperCase()}%`)).to.have.length(3);
    expect(await found(`_q=1&id=${size?.customFieldId}`)).to.eql(['Größe']);
  });

  for (const key of [
    '_q=1&',
    '_q=1&nonsense',
    '_q=1&fieldname=x',
    '_q=1&field_name[contains]=x',
    '_q=1&field_name[=x',
    '_q=1&object_id=x',
    '_q=1&created_date=yesterday',
    '_q=1&created_date[like]=2024%',
    '_q=1&field_name=x&',
  ])
    it(`reject the search key ${key}`, async () => {
      expectRefusal(await send('GET', `/customFields/search/${encodeURIComponent(key)}`), 400, 60002);
    });

  for (const query of ['fieldName=a', 'objectType=ACCOUNT', 'objectType=CUSTOMER&fieldName=a'])
    it(`reject a search by type and name with ${query}`, async () =>
      expect((await send('GET', `/customFields/search?${query}`)).status).to.equal(400));

  it('create one field if many callers add it at the same time', async () => {
    const account = `/accounts/${await newAccount()}`;
    const replies = await Promise.all(
      Array.from({ length: 6 }, () =>
        send('POST', `${account}/customFields`, [{ name: 'one', value: 'only' }]),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).to.eql([201, 400, 400, 400, 400, 400]);
    expect(await pairsOf(account)).to.eql(['one=only']);
  });
});

eachDatabaseByTurns.describe('audit logs over HTTP', (open) => {
  const serving = serveOnce(open);

  const send = (method: string, path: string, body?: unknown): Promise<Reply> =>
    serving.call(method, `${core}${path}`, { headers: author, ...(body === undefined ? {} : { body }) });

  it('return one entry with MINIMAL and all entries with FULL, and the history on request (accounts E14)', async () => {
    serving.clock.set('2025-03-10T09:00:00Z');
    const id = createdId(await send('POST', '/accounts', {}));
    serving.clock.set('2025-03-10T09:05:00Z');
    await send('PUT', `/accounts/${id}`, { name: 'Zoe' });
    await send('POST', `/accounts/${id}/tags`, ['00000000-0000-0000-0000-000000000006']);
    type Log = Record<string, unknown> & { readonly history: Record<string, unknown> | null };
    const read = async (path: string): Promise<unknown> => (await send('GET', `/accounts/${id}${path}`)).json;
    const logsAt = async (level: string) =>
      ((await read(`?audit=${level}`)) as { readonly auditLogs: readonly Log[] }).auditLogs;
    expect((await logsAt('MINIMAL')).map(({ changeType }) => changeType)).to.eql(['INSERT']);
    const full = await logsAt('full');
    expect(
      full.map((log) => [
        log.changeType,
        log.changeDate,
        log.changedBy,
        log.reasonCode,
        log.comments,
        log.history,
      ]),
    ).to.eql([
      ['INSERT', '2025-03-10T09:00:00.000Z', 'demo', 'r', 'c', null],
      ['UPDATE', '2025-03-10T09:05:00.000Z', 'demo', 'r', 'c', null],
    ]);
    const all = (await read('/auditLogs')) as readonly Log[];
    expect(all.map(({ changeType, objectType }) => `${changeType} ${objectType}`)).to.eql([
      'INSERT ACCOUNT',
      'UPDATE ACCOUNT',
      'INSERT TAG',
    ]);
    const [first, second, ...others] = (await read('/auditLogsWithHistory')) as readonly Log[];
    expect(others).to.eql([]);
    expect([first?.history?.name, second?.history?.name]).to.eql([null, 'Zoe']);
    expect(first?.history?.recordId).to.equal(second?.history?.recordId);
    expect(first?.history?.accountRecordId).to.equal(first?.history?.recordId);
    expect(second?.history?.createdDate).to.equal('2025-03-10T09:05:00.000Z');
    expect(second?.history).to.deep.include({ tableName: 'ACCOUNT', historyTableName: 'ACCOUNT_HISTORY' });
  });

  it('list the changes to an account by table, record and time', async () => {
    const { call } = serving;
    const body = { currency: 'USD', email: 'a@x.io' };
    const id = await createAccount({ call }, body);
    const path = `/1.0/kb/accounts/${id}`;
    const of = async (method: string, part: string, content?: unknown) => {
      const { status, text } = await call(
        method,
        path + part,
        content === undefined ? {} : { body: content },
      );
      expect(status, text).to.be.oneOf([201, 204]);
    };
    await of('POST', '/tags', [
      '00000000-0000-0000-0000-000000000001',
      '00000000-0000-0000-0000-000000000007',
    ]);
    await of('POST', '/customFields', [{ name: 'tier', value: 'gold' }]);
    await of('POST', '/emails', { accountId: id, email: 'b@x.io' });
    await of('POST', '/emails', { accountId: id, email: 'c@x.io' });
    await of('PUT', '', { name: 'Zoe' });
    await of('DELETE', '/emails/b%40x.io');
    await of('DELETE', '/tags?tagDef=00000000-0000-0000-0000-000000000007');
    const { json } = await call('GET', `${path}/auditLogs`);
    const logs = json as readonly { readonly changeType: string; readonly objectType: string }[];
    expect(logs.map(({ changeType, objectType }) => `${changeType} ${objectType}`)).to.eql([
      'INSERT ACCOUNT_EMAIL',
      'DELETE ACCOUNT_EMAIL',
      'INSERT ACCOUNT_EMAIL',
      'INSERT ACCOUNT',
      'UPDATE ACCOUNT',
      'INSERT CUSTOM_FIELD',
      'INSERT TAG',
      'INSERT TAG',
      'DELETE TAG',
    ]);
  });

  it('show the engine component that made a change and the token of the call that caused the change', async () => {
    const world = await populate(serving);
    const rows = (await send('GET', `/accounts/${world.accountId}/auditLogs`)).json as {
      readonly changedBy: string;
      readonly objectType: string;
      readonly reasonCode: string | null;
      readonly userToken: string;
    }[];
    const by = (type: string) => rows.find(({ objectType }) => objectType === type);
    const subscribed = by('SUBSCRIPTION');
    expect(by('INVOICE')).to.deep.include({
      changedBy: 'SubscriptionBaseTransition',
      reasonCode: null,
      userToken: subscribed?.userToken,
    });
    expect(by('PAYMENT')).to.deep.include({
      changedBy: 'PaymentRequestProcessor',
      userToken: subscribed?.userToken,
    });
    const history = await send('GET', `/invoicePayments/${world.invoicePaymentId}/auditLogsWithHistory`);
    const [inserted] = history.json as { readonly history: Record<string, unknown> }[];
    expect(inserted?.history).to.deep.include({
      invoiceId: world.invoiceId,
      paymentId: world.paymentId,
      type: 'ATTEMPT',
      historyTableName: 'INVOICE_PAYMENT_HISTORY',
    });
  });
});
