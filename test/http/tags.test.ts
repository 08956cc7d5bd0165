import { createdId, eve, populateOnce } from '../support/http/index.ts';
import { expectRefusal, expectStatus, outcomeOf, plainType, type Reply } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect, newEvents } from '../support/index.ts';

const AUTO_PAY_OFF = '00000000-0000-0000-0000-000000000001';
const WRITTEN_OFF = '00000000-0000-0000-0000-000000000004';
const TEST = '00000000-0000-0000-0000-000000000006';
const PARK = '00000000-0000-0001-0000-000000000001';
const core = '/1.0/kb';
const author = { 'x-service-createdby': 'demo', 'x-service-reason': 'r', 'x-service-comment': 'c' };

interface ShownTag {
  readonly tagId: string;
  readonly objectType: string;
  readonly objectId: string;
  readonly tagDefinitionId: string;
  readonly tagDefinitionName: string;
  readonly auditLogs: readonly { readonly changeType: string }[];
}

eachDatabaseByTurns.describe('tags and tag definitions over HTTP', (open) => {
  const world = populateOnce(open);
  const { serving } = world;
  let nextEvents: () => Promise<readonly string[]>;

  before(async () => {
    nextEvents = newEvents(serving.database);
  });

  const send = (method: string, path: string, body?: unknown): Promise<Reply> =>
    serving.call(method, `${core}${path}`, { headers: author, ...(body === undefined ? {} : { body }) });
  const asEve = (method: string, path: string, body?: unknown): Promise<Reply> =>
    serving.call(method, `${core}${path}`, { headers: eve, ...(body === undefined ? {} : { body }) });
  const tagsOf = async (path: string, query = ''): Promise<readonly ShownTag[]> =>
    (await send('GET', `${path}/tags${query}`)).json as readonly ShownTag[];
  const newAccount = async (): Promise<string> => createdId(await send('POST', '/accounts', {}));
  const newDefinition = async (name: string, ...types: readonly string[]): Promise<string> =>
    createdId(
      await send('POST', '/tagDefinitions', { name, description: 'd', applicableObjectTypes: types }),
    );

  it('are added once, validated by object type, and protected from deletion while in use (accounts E12 "Tags")', async () => {
    const account = `/accounts/${await newAccount()}`;
    for (let time = 1; time <= 2; time += 1)
      expect((await send('POST', `${account}/tags`, [AUTO_PAY_OFF])).status).to.equal(201);
    const [tag, ...others] = await tagsOf(account, '?audit=FULL');
    expect(others).to.eql([]);
    expect(tag?.auditLogs.map(({ changeType }) => changeType)).to.eql(['INSERT']);
    expectRefusal(await send('POST', `${account}/tags`, [WRITTEN_OFF]), 400, 3954);
    expectRefusal(await send('DELETE', `${account}/tags?tagDef=${AUTO_PAY_OFF}`), 400, 3951);

    const definition = { description: 'd', applicableObjectTypes: ['BUNDLE'] };
    const post = (name: string) => send('POST', '/tagDefinitions', { name, ...definition });
    expectRefusal(await post('Azure'), 400, 3904);
    const created = expectStatus(await post('azure'), 201);
    expectRefusal(await post('azure'), 409, 3901);
    const azure = createdId(created);
    expectRefusal(await send('POST', `${account}/tags`, [azure]), 400, 3954);
    const bundle = `/bundles/${world.bundleId}`;
    expect((await send('POST', `${bundle}/tags`, [azure])).status).to.equal(201);
    expectRefusal(await send('DELETE', `/tagDefinitions/${azure}`), 400, 3903);
    expect((await send('DELETE', `${bundle}/tags?tagDef=${azure}`)).status).to.equal(204);
    expect((await send('DELETE', `/tagDefinitions/${azure}`)).status).to.equal(204);

    // The name is free again, and the deleted tag still has it.
    expect((await post('azure')).status).to.equal(201);
    const [deleted] = await tagsOf(bundle, '?includedDeleted=true&audit=FULL');
    expect(deleted).to.deep.include({ tagDefinitionName: 'azure', objectType: 'BUNDLE' });
    expect(deleted?.auditLogs.map(({ changeType }) => changeType)).to.eql(['INSERT', 'DELETE']);
  });

  it('stay unchanged after DELETE without tagDef (R26)', async () => {
    const account = `/accounts/${await newAccount()}`;
    await send('POST', `${account}/tags`, [TEST]);
    expect((await send('DELETE', `${account}/tags`)).status).to.equal(204);
    expect(await tagsOf(account)).to.have.length(1);
  });

  it("list the tenant's own definitions, then __PARK__, then the nine control tags (accounts §12 rule 3)", async () => {
    const { json } = await send('GET', '/tagDefinitions');
    const definitions = json as {
      name: string;
      description: string;
      isControlTag: boolean;
      applicableObjectTypes: string[];
    }[];
    const own = definitions.slice(0, -10);
    expect(own[0]).to.deep.include({ name: 'blue', isControlTag: false });
    expect(own.filter(({ name }) => name !== name.toLowerCase())).to.eql([]);
    const [park, ...control] = definitions.slice(-10);
    expect(park).to.deep.include({
      name: '__PARK__',
      description: 'Accounts with invalid invoicing state',
      isControlTag: false,
      applicableObjectTypes: ['ACCOUNT'],
    });
    expect(control.map(({ name, description }) => [name, description])).to.eql([
      ['AUTO_PAY_OFF', 'Suspends payments until removed.'],
      ['AUTO_INVOICING_OFF', 'Suspends invoicing until removed.'],
      ['OVERDUE_ENFORCEMENT_OFF', 'Suspends overdue enforcement behaviour until removed.'],
      ['WRITTEN_OFF', 'Indicates that an invoice is written off. No billing or payment effect.'],
      ['MANUAL_PAY', 'Indicates that payments are not processed for that account (external payments only)'],
      ['TEST', 'Indicates that this is a test account'],
      ['PARTNER', 'Indicates that this is a partner account'],
      ['AUTO_INVOICING_DRAFT', 'Generate account invoices in DRAFT mode.'],
      ['AUTO_INVOICING_REUSE_DRAFT', 'Use existing draft invoice if exists.'],
    ]);
    expect(control.filter(({ isControlTag }) => !isControlTag)).to.eql([]);
    const ofInvoices = control.filter(({ applicableObjectTypes: [type] }) => type === 'INVOICE');
    expect(ofInvoices.map(({ name }) => name)).to.eql(['WRITTEN_OFF']);
  });

  it('have no audit history for __PARK__', async () => {
    const park = await send('GET', `/tagDefinitions/${PARK}/auditLogsWithHistory`);
    expect([park.status, park.json]).to.eql([200, []]);
  });

  it('are added and removed atomically, so that one invalid definition changes nothing and sends no event', async () => {
    const account = `/accounts/${await newAccount()}`;
    await nextEvents();
    for (const [bad, code] of [
      [
        [TEST, world.unknownId],
        [404, 3902],
      ],
      [
        [TEST, PARK],
        [400, 3953],
      ],
      [
        [TEST, WRITTEN_OFF],
        [400, 3954],
      ],
    ] as const)
      expect(outcomeOf(await send('POST', `${account}/tags`, bad))).to.eql(code);
    expect(await tagsOf(account)).to.eql([]);
    await send('POST', `${account}/tags`, [TEST]);
    for (const [bad, code] of [
      [
        [TEST, world.unknownId],
        [404, 3902],
      ],
      [
        [TEST, PARK],
        [400, 3953],
      ],
      [
        [TEST, WRITTEN_OFF],
        [404, 3950],
      ],
      [
        [TEST, AUTO_PAY_OFF],
        [404, 3950],
      ],
    ] as const)
      expect(outcomeOf(await send('DELETE', `${account}/tags?tagDef=${bad.join(',')}`))).to.eql(code);
    expect(await tagsOf(account)).to.have.length(1);
    expect(await nextEvents()).to.eql(['TAG_CREATION']);
  });

  it('are rejected with the matching error code and not stored if a definition is invalid', async () => {
    const good = { name: 'good', description: 'd', applicableObjectTypes: ['ACCOUNT'] };
    const before_ = (await send('GET', '/tagDefinitions')).text;
    await nextEvents();
    for (const [change, status, code] of [
      [{ name: '' }, 400, 60003],
      [{ name: null }, 400, 60003],
      [{ name: 'a'.repeat(21) }, 400, 60003],
      [{ name: 'a\u0000' }, 400, 60001],
      [{ name: 'auto_pay_off' }, 409, 3900],
      [{ name: '__park__' }, 409, 3900],
      [{ name: 'Ärger' }, 400, 3904],
      [{ name: 'blue' }, 409, 3901],
      [{ description: '' }, 400, 60003],
      [{ description: 'd'.repeat(201) }, 400, 60003],
      [{ applicableObjectTypes: [] }, 400, 60003],
      [{ applicableObjectTypes: null }, 400, 60003],
      [{ applicableObjectTypes: ['CUSTOMER'] }, 400, 60001],
      [{ applicableObjectTypes: 'ACCOUNT' }, 400, 60001],
    ] as const) {
      const reply = await send('POST', '/tagDefinitions', { ...good, ...change });
      expect([JSON.stringify(change), ...outcomeOf(reply)]).to.eql([JSON.stringify(change), status, code]);
    }
    for (const id of [AUTO_PAY_OFF, PARK, world.unknownId])
      expectRefusal(await send('DELETE', `/tagDefinitions/${id}`), 404, 3902);
    expect((await send('GET', '/tagDefinitions')).text).to.equal(before_);
    expect(await nextEvents()).to.eql([]);
  });

  it('store repeated object types once, and ignore the id and isControlTag in the body of a new definition', async () => {
    const id = createdId(
      await send('POST', '/tagDefinitions', {
        id: world.unknownId,
        isControlTag: true,
        name: 'mine',
        description: 'd',
        applicableObjectTypes: ['BUNDLE', 'ACCOUNT', 'BUNDLE'],
      }),
    );
    expect((await send('GET', `/tagDefinitions/${id}`)).json).to.eql({
      id,
      isControlTag: false,
      name: 'mine',
      description: 'd',
      applicableObjectTypes: ['BUNDLE', 'ACCOUNT'],
      auditLogs: [],
    });
    expect(id).to.not.equal(world.unknownId);
  });

  it('can be added to every type of object, with an invoice payment treated as its payment (R15)', async () => {
    const types = ['BUNDLE', 'SUBSCRIPTION', 'INVOICE', 'INVOICE_ITEM', 'PAYMENT', 'TRANSACTION'];
    const everywhere = await newDefinition('everywhere', ...types);
    const paths = [
      `/bundles/${world.bundleId}`,
      `/subscriptions/${world.subscriptionId}`,
      `/invoices/${world.invoiceId}`,
      `/invoiceItems/${world.invoiceItemId}`,
      `/invoicePayments/${world.paymentId}`,
      `/paymentTransactions/${world.transactionId}`,
    ];
    for (const path of paths) {
      const reply = await send('POST', `${path}/tags`, [everywhere]);
      expect(reply.headers.get('location')).to.equal(`${serving.url}${core}${path}/tags`);
      const [tag] = await tagsOf(path);
      expect(tag?.tagDefinitionName).to.equal('everywhere');
    }
    const ofPayment = await tagsOf(`/payments/${world.paymentId}`);
    expect(ofPayment).to.eql(await tagsOf(`/invoicePayments/${world.paymentId}`));
    expect(ofPayment[0]).to.deep.include({ objectType: 'PAYMENT', objectId: world.paymentId });
    const all = (await send('GET', `/accounts/${world.accountId}/allTags`)).json as ShownTag[];
    expect(all.map(({ objectType }) => objectType)).to.eql(['ACCOUNT', ...types]);
    const items = await send('GET', `/accounts/${world.accountId}/allTags?objectType=INVOICE_ITEM`);
    expect(items.json).to.have.length(1);
    const path = `/invoiceItems/${world.invoiceItemId}/tags?accountId=`;
    expect((await send('GET', `${path}${world.accountId}`)).json).to.have.length(1);
    expectRefusal(await send('GET', `${path}${await newAccount()}`), 404, 4011);
  });

  it("let the tenant's setting disable object type checks for user tags, but not for control tags", async () => {
    const bundlesOnly = await newDefinition('bundles only', 'BUNDLE');
    const account = `/accounts/${await newAccount()}`;
    const setting = { 'org.service.tags.enforceApplicableTypes': 'false' };
    const body = JSON.stringify(setting);
    await serving.post('/tenants/uploadPerTenantConfig', body, plainType);
    expect((await send('POST', `${account}/tags`, [bundlesOnly])).status).to.equal(201);
    expectRefusal(await send('POST', `${account}/tags`, [WRITTEN_OFF]), 400, 3954);
    await send('DELETE', '/tenants/uploadPerTenantConfig');
    const other = `/accounts/${await newAccount()}`;
    expectRefusal(await send('POST', `${other}/tags`, [bundlesOnly]), 400, 3954);
  });

  it('are found by id, object type, and name or description of the definition, ignoring case', async () => {
    const account = await newAccount();
    const path = `/accounts/${account}`;
    const odd = createdId(
      await send('POST', '/tagDefinitions', {
        name: 'odd 100%_',
        description: 'Größe',
        applicableObjectTypes: ['ACCOUNT'],
      }),
    );
    await send('POST', `${path}/tags`, [odd, TEST]);
    const [tag] = await tagsOf(path);
    const found = async (key: string): Promise<readonly string[]> => {
      const { json } = await send('GET', `/tags/search/${encodeURIComponent(key)}?limit=1000`);
      const own = (json as ShownTag[]).filter(({ objectId }) => objectId === account);
      return own.map(({ tagDefinitionName }) => tagDefinitionName);
    };
    expect(await found(tag?.tagId.toUpperCase() ?? '')).to.eql(['odd 100%_']);
    expect(await found('accOUNT')).to.eql(['odd 100%_', 'TEST']);
    expect(await found('0%_')).to.eql(['odd 100%_']);
    expect(await found('00_%')).to.eql([]);
    expect(await found('GRÖSSE')).to.eql([]);
    expect(await found('GRÖß')).to.eql(['odd 100%_']);
    expect(await found('test')).to.eql(['TEST']);
    expect(await found('this is a TEST')).to.eql(['TEST']);
    await send('DELETE', `${path}/tags?tagDef=${TEST}`);
    expect(await found('test')).to.eql([]);
  });

  it('are found by searches that return the number of matches and the total number', async () => {
    const total = ((await send('GET', '/tags/pagination?limit=10000')).json as unknown[]).length;
    const reply = await send('GET', '/tags/search/blue?limit=1');
    const header = (name: string) => reply.headers.get(`x-service-pagination-${name}`);
    expect(['CurrentOffset', 'TotalNbRecords', 'MaxNbRecords'].map(header)).to.eql(['0', '1', String(total)]);
    expect(header('NextOffset')).to.equal(null);
    const page = await send('GET', '/tags/pagination?offset=1&limit=2');
    expect(page.headers.get('x-service-pagination-nextoffset')).to.equal('3');
    expect(page.headers.get('x-killbill-pagination-nextpageuri')).to.equal(
      `${core}/tags/pagination?offset=3&limit=2&audit=NONE`,
    );
  });

  it('are unknown to another tenant', async () => {
    const same = async (call: [method: string, body?: unknown], path: (id: string) => string, id: string) => {
      const [method, body] = call;
      const [foreign, unknown] = [
        await asEve(method, path(id), body),
        await asEve(method, path(world.unknownId), body),
      ];
      expect(foreign.status, path(id)).to.equal(404);
      expect(foreign.text.replaceAll(id, world.unknownId)).to.equal(unknown.text);
    };
    await same(['GET'], (id) => `/tagDefinitions/${id}`, world.tagDefinitionId);
    await same(['DELETE'], (id) => `/tagDefinitions/${id}`, world.tagDefinitionId);
    for (const [type, id] of [
      ['tagDefinitions', world.tagDefinitionId],
      ['tags', world.tagId],
      ['customFields', world.customFieldId],
      ['bundles', world.bundleId],
      ['invoices', world.invoiceId],
      ['payments', world.paymentId],
      ['payments/attempts', world.paymentAttemptId],
      ['subscriptions/events', world.eventId],
    ] as const)
      await same(['GET'], (each) => `/${type}/${each}/auditLogsWithHistory`, id);
    for (const [type, id] of [
      ['bundles', world.bundleId],
      ['invoiceItems', world.invoiceItemId],
      ['paymentTransactions', world.transactionId],
    ] as const) {
      await same(['GET'], (each) => `/${type}/${each}/tags`, id);
      await same(['POST', [TEST]], (each) => `/${type}/${each}/tags`, id);
      await same(['DELETE'], (each) => `/${type}/${each}/tags`, id);
      await same(['GET'], (each) => `/${type}/${each}/customFields`, id);
      await same(['POST', [{ name: 'n', value: 'v' }]], (each) => `/${type}/${each}/customFields`, id);
      await same(['DELETE'], (each) => `/${type}/${each}/customFields`, id);
    }
    const own = `/accounts/${world.foreignAccountId}`;
    expectRefusal(await asEve('POST', `${own}/tags`, [world.tagDefinitionId]), 404, 3902);
    expect((await asEve('GET', '/tags/search/blue')).json).to.eql([]);
    expect((await asEve('GET', '/tags/pagination')).json).to.eql([]);
    expect((await asEve('GET', '/customFields/search/kept')).json).to.eql([]);
  });

  it('are created once, with one event, when many callers add the same tag', async () => {
    const id = await newAccount();
    await nextEvents();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => send('POST', `/accounts/${id}/tags`, [TEST])),
    );
    expect(new Set(replies.map(({ status }) => status))).to.eql(new Set([201]));
    const tags = await tagsOf(`/accounts/${id}`, '?audit=FULL&includedDeleted=true');
    expect(tags.map(({ auditLogs }) => auditLogs.length)).to.eql([1]);
    expect(await nextEvents()).to.eql(['TAG_CREATION']);
  });

  it('do not allow a definition to be used and deleted at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const id = await newAccount();
      const definition = await newDefinition(`race ${round}`, 'ACCOUNT');
      const [added, deleted] = await Promise.all([
        send('POST', `/accounts/${id}/tags`, [definition]),
        send('DELETE', `/tagDefinitions/${definition}`),
      ]);
      expect([added.status, deleted.status].join()).to.be.oneOf(['201,400', '404,204']);
      expect(await tagsOf(`/accounts/${id}`)).to.have.length(added.status === 201 ? 1 : 0);
    }
  });

  it('allow only one of several simultaneous definitions with the same name', async () => {
    const body = { name: 'contested', description: 'd', applicableObjectTypes: ['ACCOUNT'] };
    const replies = await Promise.all(Array.from({ length: 6 }, () => send('POST', '/tagDefinitions', body)));
    expect(replies.map(({ status }) => status).sort()).to.eql([201, 409, 409, 409, 409, 409]);
  });
});
