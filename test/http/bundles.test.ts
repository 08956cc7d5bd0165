import { aliasHeaders, createAccount, createdId, eve, exampleCatalog } from '../support/http/index.ts';
import { expectRefusal, expectStatus, type Reply, serveOnce, xmlType } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect } from '../support/index.ts';

const unknownId = '11111111-1111-4111-8111-111111111111';

interface BundleJson {
  readonly bundleId: string;
  readonly accountId: string;
  readonly externalKey: string;
  readonly subscriptions: readonly {
    readonly subscriptionId: string;
    readonly externalKey: string;
    readonly sourceType: string;
    readonly prices: readonly unknown[];
    readonly auditLogs: readonly unknown[];
    readonly events: readonly { readonly auditLogs: readonly unknown[] }[];
  }[];
  readonly timeline: {
    readonly externalKey: string;
    readonly events: readonly { readonly eventType: string }[];
    readonly auditLogs: readonly unknown[];
  };
  readonly auditLogs: readonly { readonly changeType: string }[];
}

eachDatabaseByTurns.describe('bundle API', (open) => {
  const serving = serveOnce(open);
  const { call, post, get, remove } = serving;
  let accountId: string;
  const names = new Map<string, string>();

  before(async () => {
    await post('/catalog', await exampleCatalog(), xmlType);
    accountId = await newAccount();
    for (const key of ['alpha', 'beta', 'Seat 100%']) await newBundle(accountId, key);
    await newBundle(await newAccount(), 'gamma');
  });

  const newAccount = async (): Promise<string> => createAccount({ call });

  async function newBundle(owner: string, bundleExternalKey: string, planName = 'canopy-monthly') {
    const body = { accountId: owner, bundleExternalKey, planName };
    const subscriptionId = createdId(await post('/subscriptions', body));
    const { json } = await get(`/subscriptions/${subscriptionId}`);
    const { bundleId } = json as { readonly bundleId: string };
    names.set(bundleId, bundleExternalKey);
    return bundleOf(await get(`/bundles/${bundleId}`));
  }

  const bundleOf = (reply: Reply): BundleJson => {
    expect(reply.status, reply.text).to.equal(200);
    return reply.json as BundleJson;
  };
  const bundlesOf = (reply: Reply): readonly BundleJson[] => {
    expect(reply.status, reply.text).to.equal(200);
    return reply.json as readonly BundleJson[];
  };
  const namesOf = (reply: Reply) => bundlesOf(reply).map(({ bundleId }) => names.get(bundleId));
  const idOf = (name: string): string => [...names].find(([, each]) => each === name)?.[0] ?? '';
  const header = (reply: Reply, name: string) => reply.headers.get(`x-service-pagination-${name}`);

  it('returns subscriptions and a timeline, with audit logs for both', async () => {
    const path = `/1.0/kb/bundles/${idOf('alpha')}`;
    const plain = bundleOf(await call('GET', path));
    expect(plain).to.deep.include({ accountId, externalKey: 'alpha', auditLogs: [] });
    expect(plain.subscriptions[0]?.prices).to.have.length.greaterThan(0);
    expect(plain.timeline.events.map(({ eventType }) => eventType)).to.eql([
      'START_ENTITLEMENT',
      'START_BILLING',
    ]);
    const full = bundleOf(await call('GET', `${path}?audit=FULL`));
    expect(full.auditLogs.map(({ changeType }) => changeType)).to.eql(['INSERT']);
    expect(full.timeline.auditLogs).to.eql(full.auditLogs);
    expect(full.subscriptions[0]?.auditLogs).to.have.length(1);
    expect(full.subscriptions[0]?.events.map(({ auditLogs }) => auditLogs.length)).to.eql([1, 1]);
    expect(bundlesOf(await get('/bundles?externalKey=alpha&audit=FULL'))).to.eql([full]);
  });

  it('returns instants instead of days in dialect K', async () => {
    const { json } = await get(`/bundles/${idOf('alpha')}`, aliasHeaders);
    const [subscription] = (json as { readonly subscriptions: readonly object[] }).subscriptions;
    expect(subscription).to.have.property('startDate').that.matches(/T.*Z$/);
  });

  const unknown = [
    ['GET', `/1.0/kb/bundles/${unknownId}`, 404, 1081],
    ['GET', '/1.0/kb/bundles/nothing', 404, 60_008],
    ['GET', '/1.0/kb/bundles?externalKey=nothing', 404, 1084],
    ['GET', '/1.0/kb/bundles?externalKey=nothing&includedDeleted=true', 404, 1084],
    ['GET', '/1.0/kb/bundles', 400, 60_003],
    ['GET', '/1.0/kb/bundles?externalKey=alpha&includedDeleted=maybe', 400, 60_002],
    ['GET', '/1.0/kb/bundles/pagination?offset=-1', 400, 60_002],
  ] as const;
  for (const [method, path, status, code] of unknown)
    it(`returns ${status} (${code}) for ${method} ${path}`, async () => {
      expectRefusal(await call(method, path), status, code);
    });

  describe('for lists', () => {
    it('lists bundles in creation order, without prices, with the headers of both dialects', async () => {
      const reply = await get('/bundles/pagination?offset=1&limit=2&audit=FULL');
      expect(namesOf(reply)).to.eql(['beta', 'Seat 100%']);
      expect(bundlesOf(reply).flatMap(({ subscriptions }) => subscriptions[0]?.prices)).to.eql([]);
      expect(bundlesOf(reply)[0]?.auditLogs).to.have.length(1);
      const facts = ['CurrentOffset', 'NextOffset', 'TotalNbRecords', 'MaxNbRecords'];
      expect(facts.map((name) => header(reply, name))).to.eql(['1', '3', '4', '4']);
      expect(reply.headers.get('x-killbill-pagination-nextoffset')).to.equal('3');
      expect(header(reply, 'NextPageUri')).to.match(/^\/1\.0\/kb\/bundles\/pagination\?.*offset=3/);
      const last = await get('/bundles/pagination?offset=3&limit=2');
      expect(namesOf(last)).to.eql(['gamma']);
      expect([header(last, 'NextOffset'), header(last, 'NextPageUri')]).to.eql([null, null]);
    });

    it('lists bundles in reverse order with a negative limit, and returns only the counts with limit 0', async () => {
      expect(namesOf(await get('/bundles/pagination?limit=-2'))).to.eql(['gamma', 'Seat 100%']);
      const none = await get('/bundles/pagination?limit=0');
      expect(bundlesOf(none)).to.eql([]);
      expect(header(none, 'TotalNbRecords')).to.equal('4');
    });
  });

  describe('for searches', () => {
    const search = (key: string) => get(`/bundles/search/${key}`);
    const cases: readonly (readonly [key: () => string, expected: readonly string[]])[] = [
      [() => 'alpha', ['alpha']],
      [() => 'ALPHA', []],
      [() => 'alph', []],
      [() => 'Seat%20100%25', ['Seat 100%']],
      [() => idOf('beta'), ['beta']],
      [() => idOf('beta').toUpperCase(), ['beta']],
      [() => accountId, ['alpha', 'beta', 'Seat 100%']],
      [() => unknownId, []],
      [() => '_q=1&external_key=beta', ['beta']],
      [() => `_q=1&externalKey%5Bneq%5D=beta&accountId=${accountId}`, ['alpha', 'Seat 100%']],
      [() => '_q=1&external_key%5Blike%5D=%25A', ['alpha', 'beta', 'gamma']],
      [() => `_q=1&id=${idOf('gamma')}`, ['gamma']],
      [() => `_q=1&bundleId=${idOf('gamma')}`, ['gamma']],
      [() => `_q=1&account_id%5Bneq%5D=${accountId}`, ['gamma']],
      [() => '_q=1&original_created_date%5Bgte%5D=2000-01-01&external_key=alpha', ['alpha']],
      [() => '_q=1&last_sys_update_date%5Blt%5D=2000-01-01', []],
      [
        () => '_q=1&created_date%5Bgt%5D=2000-01-01&updated_date%5Bgt%5D=2000-01-01&external_key=alpha',
        ['alpha'],
      ],
      [() => '_q=1&created_by=nobody', []],
      [() => '_q=1&updated_by%5Blike%5D=%25&external_key=beta', ['beta']],
    ];
    for (const [index, [key, expected]] of cases.entries())
      it(`finds ${expected.join(', ') || 'nothing'} by key ${index + 1}`, async () =>
        expect(namesOf(await search(key())), key()).to.eql(expected));

    for (const key of [
      '_q=1&',
      '_q=1&name=x',
      '_q=1&external_key',
      '_q=1&external_key%5Bin%5D=x',
      '_q=1&id=x',
    ])
      it(`rejects the search key ${key}`, async () => {
        expectRefusal(await search(key), 400, 60_002);
      });

    it('returns the number of matches and the total number of bundles', async () => {
      const reply = await search(`${accountId}?limit=1`);
      const facts = ['NextOffset', 'TotalNbRecords', 'MaxNbRecords'];
      expect(facts.map((name) => header(reply, name))).to.eql(['1', '3', '4']);
    });

    it('finds no bundles of other tenants', async () => {
      for (const key of ['alpha', accountId, idOf('alpha'), '_q=1&external_key=alpha']) {
        const reply = await get(`/bundles/search/${key}`, eve);
        expect(bundlesOf(reply)).to.eql([]);
        expect(header(reply, 'MaxNbRecords')).to.equal('0');
      }
    });
  });

  describe('for renames and transfers', () => {
    it('changes a key with renameKey', async () => {
      const { bundleId } = await newBundle(await newAccount(), 'delta');
      const path = `/1.0/kb/bundles/${bundleId}`;
      expectStatus(await call('PUT', `${path}/renameKey`, { body: { externalKey: 'delta 2' } }), 204);
      const renamed = bundleOf(await call('GET', `${path}?audit=FULL`));
      expect(renamed.externalKey).to.equal('delta 2');
      expect(renamed.timeline.externalKey).to.equal('delta 2');
      expect(renamed.auditLogs.map(({ changeType }) => changeType)).to.eql(['INSERT', 'UPDATE']);
      const listed = await get('/bundles?externalKey=delta&includedDeleted=true&audit=FULL');
      expect(bundlesOf(listed)).to.eql([renamed]);
      expectRefusal(await get('/bundles?externalKey=delta'), 404, 1084);
    });

    const bodies: readonly (readonly [name: string, body: unknown, code: number])[] = [
      ['a missing body', undefined, 60_003],
      ['a missing key', {}, 60_003],
      ['an empty key', { externalKey: '' }, 60_003],
      ['a key in use', { externalKey: 'alpha' }, 1014],
      ['a key that is too long', { externalKey: 'x'.repeat(256) }, 5],
    ];
    for (const [name, body, code] of bodies)
      it(`rejects ${name}`, async () => {
        const path = `/1.0/kb/bundles/${idOf('beta')}`;
        expectRefusal(await call('PUT', `${path}/renameKey`, body === undefined ? {} : { body }), 400, code);
        expect(bundleOf(await call('GET', path)).externalKey).to.equal('beta');
      });

    it('moves a bundle with a transfer and returns the new Location', async () => {
      const target = await newAccount();
      const { bundleId, subscriptions } = await newBundle(await newAccount(), 'epsilon');
      const body = {
        accountId: target,
        subscriptions: [{ subscriptionId: subscriptions[0]?.subscriptionId, externalKey: 'moved' }],
      };
      const query = 'billingPolicy=immediate&bcdTransfer=ALIGN_WITH_EFF_DT&pluginProperty=a%3Db';
      const reply = expectStatus(await post(`/bundles/${bundleId}?${query}`, body), 201);
      expect(reply.text).to.equal('');
      const made = bundleOf(await call('GET', new URL(reply.headers.get('location') ?? '').pathname));
      expect(made).to.include({ accountId: target, externalKey: 'epsilon' });
      expect(made.subscriptions[0]).to.include({ externalKey: 'moved', sourceType: 'TRANSFERRED' });
      const holder = bundlesOf(await get('/bundles?externalKey=epsilon'));
      expect(holder.map((each) => each.bundleId)).to.eql([made.bundleId]);
      const all = bundlesOf(await get('/bundles?externalKey=epsilon&includedDeleted=true'));
      expect(all.map((each) => [each.bundleId, each.externalKey])).to.eql([
        [bundleId, 'epsilon'],
        [made.bundleId, 'epsilon'],
      ]);
      const refused = await post(`/bundles/${bundleId}`, { accountId: target });
      expectRefusal(refused, 400, 1099);
    });

    it('creates a PENDING subscription with a transfer at a future date', async () => {
      const target = await newAccount();
      const { bundleId } = await newBundle(await newAccount(), 'zeta');
      const year = new Date().getFullYear() + 2;
      const path = `/1.0/kb/bundles/${bundleId}?requestedDate=${year}-07-01`;
      const reply = expectStatus(await call('POST', path, { body: { accountId: target } }), 201);
      const made = bundleOf(await call('GET', new URL(reply.headers.get('location') ?? '').pathname));
      expect(made.subscriptions[0]).to.include({ state: 'PENDING', startDate: `${year}-07-01` });
      const left = bundleOf(await get(`/bundles/${bundleId}`));
      expect(left.subscriptions[0]).to.include({ state: 'ACTIVE', cancelledDate: `${year}-07-01` });
    });

    it('rejects a key for an ended subscription in dialect D, but ignores the key in dialect K (http-api §4 line 16)', async () => {
      const target = await newAccount();
      const owner = await newAccount();
      const { bundleId, subscriptions } = await newBundle(owner, 'eta', 'bloom-monthly');
      const path = `/1.0/kb/bundles/${bundleId}`;
      const addOn = { accountId: owner, bundleId, planName: 'archive-monthly' };
      const ended = createdId(await post('/subscriptions', addOn));
      const policies = 'entitlementPolicy=IMMEDIATE&billingPolicy=IMMEDIATE';
      await remove(`/subscriptions/${ended}?${policies}`);
      const [base] = subscriptions;
      const keys = [
        { subscriptionId: base?.subscriptionId, externalKey: 'kept' },
        { subscriptionId: ended, externalKey: 'ignored' },
      ];
      const body = { accountId: target, subscriptions: keys };
      expectRefusal(await call('POST', path, { body }), 400, 60_003);
      const other = await newBundle(owner, 'theta');
      const ofAnother = [
        ...keys,
        { subscriptionId: other.subscriptions[0]?.subscriptionId, externalKey: 'x' },
      ];
      const foreign = await call('POST', path, {
        body: { ...body, subscriptions: ofAnother },
        headers: aliasHeaders,
      });
      expect(foreign.status, 'of another bundle').to.equal(400);
      const reply = expectStatus(await call('POST', path, { body, headers: aliasHeaders }), 201);
      const made = bundleOf(await call('GET', new URL(reply.headers.get('location') ?? '').pathname));
      expect(made.subscriptions.map(({ externalKey }) => externalKey)).to.eql(['kept']);
    });

    const refused: readonly (readonly [name: string, query: string, body: unknown, status: number])[] = [
      ['a missing body', '', undefined, 400],
      ['a missing account', '', {}, 400],
      ['an invalid UUID', '', { accountId: 'x' }, 400],
      ['an unknown account', '', { accountId: unknownId }, 404],
      ['an unknown policy', '?billingPolicy=SOON', { accountId: unknownId }, 400],
      [
        'a policy that transfers do not support',
        '?billingPolicy=START_OF_TERM',
        { accountId: unknownId },
        400,
      ],
      ['an unknown bcdTransfer', '?bcdTransfer=ALL', { accountId: unknownId }, 400],
      ['an invalid date', '?requestedDate=soon', { accountId: unknownId }, 400],
    ];
    for (const [name, query, body, status] of refused)
      it(`rejects ${name} and stores nothing`, async () => {
        const path = `/1.0/kb/bundles/${idOf('beta')}`;
        const before = await call('GET', `${path}?audit=FULL`);
        expectStatus(await call('POST', path + query, body === undefined ? {} : { body }), status);
        expect((await call('GET', `${path}?audit=FULL`)).text).to.equal(before.text);
      });

    it('rejects an account of another tenant like an unknown account', async () => {
      const foreign = await createAccount({ call }, {}, eve);
      const refused = await post(`/bundles/${idOf('beta')}`, { accountId: foreign });
      expectRefusal(refused, 404, 3002);
    });
  });
});
