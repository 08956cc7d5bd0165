import { addUser, aliasHeaders, basic, createdId, eve, exampleCatalog } from '../support/http/index.ts';
import { expectRefusal, expectStatus, type Reply, serveEach, xmlType } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect } from '../support/index.ts';

interface Listed {
  readonly accountId: string;
  readonly name: string;
}

eachDatabaseByTurns.describe('HTTP API', (open) => {
  const serving = serveEach(open);
  const { call, post, get, put } = serving;

  async function newAccount(body: object = { name: 'A', currency: 'USD' }): Promise<string> {
    return createdId(expectStatus(await post('/accounts', body), 201));
  }

  function header(reply: Reply, name: string): string | null {
    const value = reply.headers.get(`x-service-pagination-${name}`);
    expect(reply.headers.get(`x-killbill-pagination-${name}`)).to.equal(value);
    return value;
  }

  it('creates a tenant once, and returns it without its secret (http-api 15.1 "Tenant")', async () => {
    const onlyBasic = { 'x-service-apikey': undefined, 'x-service-apisecret': undefined };
    const request = { body: { apiKey: 'new', apiSecret: 'secret' }, headers: onlyBasic };
    const created = expectStatus(await call('POST', '/1.0/kb/tenants?useGlobalDefault=true', request), 201);
    expect(created.text).to.equal('');
    expect(created.headers.get('content-type')).to.equal('application/json');
    expect(created.headers.get('content-length')).to.equal('0');
    expect(created.headers.get('location')).to.match(
      new RegExp(`^${serving.url}/1\\.0/kb/tenants/[0-9a-f-]{36}$`),
    );
    const read = expectStatus(await get('/tenants/?apiKey=new', onlyBasic), 200);
    const hidden = { externalKey: null, apiSecret: null, auditLogs: [] };
    expect(read.json).to.eql({ tenantId: createdId(created), apiKey: 'new', ...hidden });
    const again = expectStatus(await call('POST', '/1.0/kb/tenants?useGlobalDefault=true', request), 409);
    expect(again.json).to.include({ code: 20000, className: 'TenantError' });
  });

  it('coerces scalars, ignores unknown fields and returns nulls (http-api 15.3 "Coercion and nulls")', async () => {
    const coerced = { postalCode: 94105, isMigrated: 'false', parentAccountId: '' };
    const id = await newAccount({ name: 'A', ...coerced, foo: 1 });
    const { json } = await get(`/accounts/${id}`);
    expect(json).to.include({ postalCode: '94105', isMigrated: false });
    expect(json).to.include({ parentAccountId: null, accountBalance: null });
    expect(json).to.deep.include({ auditLogs: [] });
    expect(json).to.not.have.property('foo');
  });

  it('rejects a write without an author, and names the header of the dialect (http-api 15.4 "Author")', async () => {
    const body = { name: 'A' };
    const inD = await post('/accounts', body, { 'x-service-createdby': undefined });
    expect(inD.status).to.equal(400);
    expect(inD.json).to.include({ code: 60003, message: 'Header X-Service-CreatedBy needs to be set' });
    const headers = { ...aliasHeaders, 'x-killbill-createdby': undefined };
    const inK = await post('/accounts', body, headers);
    expect(inK.status).to.equal(400);
    expect(inK.json).to.include({ code: 60003, message: 'Header X-Killbill-CreatedBy needs to be set' });
  });

  it('returns 204 with a content type but no body (http-api 15.5 "Response without a body")', async () => {
    const id = await newAccount();
    const reply = expectStatus(await put(`/accounts/${id}`, { notes: 'x' }), 204);
    expect(reply.text).to.equal('');
    expect(reply.headers.get('content-type')).to.equal('application/json');
  });

  it('returns pages with counts and a link to the next page (http-api 15.6 "Pages")', async () => {
    for (const name of ['1', '2', '3', '4', '5']) await newAccount({ name });
    const path = '/1.0/kb/accounts/pagination';
    const names = (reply: Reply) => (reply.json as Listed[]).map((account) => account.name);
    const middle = await call('GET', `${path}?offset=2&limit=2&audit=NONE`);
    expect(names(middle)).to.eql(['3', '4']);
    expect(header(middle, 'currentoffset')).to.equal('2');
    expect(header(middle, 'nextoffset')).to.equal('4');
    expect(header(middle, 'totalnbrecords')).to.equal('5');
    expect(header(middle, 'maxnbrecords')).to.equal('5');
    const next = new URL(header(middle, 'nextpageuri') ?? '', 'http://host');
    expect(next.pathname).to.equal(path);
    expect(Object.fromEntries(next.searchParams)).to.eql({
      offset: '4',
      limit: '2',
      accountWithBalance: 'false',
      accountWithBalanceAndCBA: 'false',
      audit: 'NONE',
    });
    const last = await call('GET', next.pathname + next.search);
    expect(names(last)).to.eql(['5']);
    expect(header(last, 'currentoffset')).to.equal('4');
    expect(header(last, 'nextoffset')).to.equal(null);
    expect(header(last, 'nextpageuri')).to.equal(null);
    expect(names(await call('GET', `${path}?limit=-2`))).to.eql(['5', '4']);
    const none = await call('GET', `${path}?limit=0`);
    expect(none.json).to.eql([]);
    expect(header(none, 'totalnbrecords')).to.equal('5');
    expect(header(none, 'maxnbrecords')).to.equal('5');
    expect(header(none, 'currentoffset')).to.equal('0');
    expect(header(none, 'nextoffset')).to.equal(null);
  });

  it('searches by text and by clauses, and rejects unknown columns and operators (http-api 15.7 "Search")', async () => {
    for (const [name, currency] of [
      ['alice', 'USD'],
      ['alicia', 'EUR'],
      ['bob', 'USD'],
    ] as const)
      await newAccount({ name, currency, email: `${name}@x.org` });
    const search = (key: string) => get(`/accounts/search/${key}`);
    const found = async (key: string) =>
      ((await search(key)).json as readonly Listed[]).map(({ name }) => name);
    expect(await found('ali')).to.eql(['alice', 'alicia']);
    const key = '_q%3D1%26currency%3DUSD%26email%5Blike%5D%3Dali%2525';
    expect(await found(key)).to.eql(['alice']);
    for (const refused of ['_q=1&nonsense=1', '_q=1&currency[about]=USD'])
      expect((await search(encodeURIComponent(refused))).status).to.equal(400);
    expect(await found('alice@x.org?offset=-1&limit=1')).to.eql(['alice']);
    expect(await found('ali?offset=-1&limit=1')).to.eql([]);
  });

  it('returns a start date in dialect D and an instant in dialect K (http-api 15.8 "Dates by dialect")', async () => {
    await post('/catalog', await exampleCatalog(), xmlType);
    serving.clock.set('2024-03-05T03:30:00Z');
    const accountId = await newAccount({ currency: 'USD', timeZone: 'America/Los_Angeles' });
    const created = await post('/subscriptions', { accountId, planName: 'sprout-monthly' });
    expect(created.status, created.text).to.equal(201);
    await serving.billing.settle();
    const path = `/1.0/kb/subscriptions/${createdId(created)}`;
    const inD = (await call('GET', path)).json;
    const inK = (await call('GET', path, { headers: aliasHeaders })).json;
    expect(inD).to.include({ startDate: '2024-03-04', billingStartDate: '2024-03-04' });
    const startDate = '2024-03-05T03:30:00.000Z';
    expect(inK).to.include({ startDate, billingStartDate: startDate });
    const { chargedThroughDate } = inD as { chargedThroughDate: unknown };
    expect(inK).to.have.property('chargedThroughDate', chargedThroughDate);
  });

  it('rejects missing credentials, wrong credentials and ids of another tenant (http-api 15.13 "Access")', async () => {
    const nobody = await get('/accounts/pagination', { authorization: undefined });
    expectRefusal(nobody, 401, 60004);
    expect(nobody.headers.get('www-authenticate')).to.equal('Basic realm="service"');
    const wrongSecret = await get('/accounts/pagination', { 'x-service-apisecret': 'wrong' });
    expectRefusal(wrongSecret, 401, 60005);
    const ofEve = await post('/accounts', {}, eve);
    expectRefusal(await get(`/accounts/${createdId(ofEve)}`), 404, 3002);
  });

  it('returns 403 in dialect D and 401 in dialect K without the permission (http-api 15.13 "Access")', async () => {
    await addUser(serving, 'limited', { permissions: ['payment:refund'] });
    const authorization = basic('limited', 'password');
    const inD = await post('/accounts', {}, { authorization });
    expect(inD.status).to.equal(403);
    expect(inD.json).to.include({ code: 40000, className: 'SecurityError' });
    const body = {};
    const inK = await post('/accounts', body, { ...aliasHeaders, authorization });
    expectRefusal(inK, 401, 40000);
    const read = await get('/accounts/pagination', { authorization });
    expect(read.status).to.equal(200);
  });

  it('returns the catalog version in force on a date, and by default all versions in dialect K (http-api 15.14)', async () => {
    serving.clock.set('2024-03-01');
    const january = (await exampleCatalog()).toString('utf8');
    const july = january.replace('2024-01-01T00:00:00Z', '2024-07-01T00:00:00Z');
    for (const body of [january, july]) {
      const reply = expectStatus(await post('/catalog/xml', body, xmlType), 201);
      expect(reply.headers.get('location')).to.equal(`${serving.url}/1.0/kb/catalog`);
    }
    const versions = async (query: string, headers = {}) =>
      ((await get(`/catalog${query}`, headers)).json as { effectiveDate: string }[]).map((version) =>
        version.effectiveDate.slice(0, 10),
      );
    expect(await versions('')).to.eql(['2024-01-01']);
    expect(await versions('', aliasHeaders)).to.eql(['2024-01-01', '2024-07-01']);
    for (const headers of [{}, aliasHeaders]) {
      expect(await versions('?requestedDate=2024-08-01', headers)).to.eql(['2024-07-01']);
      expect(await versions('?requestedDate=2023-06-01', headers)).to.eql(['2024-01-01']);
    }
    const xml = await get('/catalog', { accept: 'text/xml' });
    expect(xml.headers.get('content-type')).to.equal('text/xml; charset=utf-8');
    expect(xml.text).to.match(/^<(\?xml|catalogs)/);
    expect(xml.text.match(/<catalogName>Meadow/g)).to.have.lengthOf(2);
    const asJson = await get('/catalog', { accept: '*/*' });
    expect(asJson.headers.get('content-type')).to.equal('application/json');
  });

  it('returns 404 for a run and 204 for a dry run if there is nothing to invoice (http-api 15.15)', async () => {
    const accountId = await newAccount();
    const query = `accountId=${accountId}&targetDate=2024-03-01`;
    expectRefusal(await post(`/invoices?${query}`), 404, 4007);
    const dryRun = expectStatus(await post(`/invoices/dryRun?${query}`), 204);
    expect(dryRun.headers.get('content-type')).to.equal('application/json');
  });

  it('returns every field of a new account (json-models 17.1 "Account just created")', async () => {
    const id = await newAccount({ name: 'Ada', currency: 'USD' });
    const expected = {
      accountId: id,
      externalKey: id,
      referenceTime: '2024-02-10T08:15:30.000Z',
      parentAccountId: null,
      isPaymentDelegatedToParent: false,
      currency: 'USD',
      billCycleDayLocal: 0,
      paymentMethodId: null,
      name: 'Ada',
      firstNameLength: null,
      company: null,
      address1: null,
      address2: null,
      city: null,
      state: null,
      postalCode: null,
      country: null,
      locale: null,
      timeZone: 'UTC',
      phone: null,
      email: null,
      notes: null,
      isMigrated: null,
      accountCBA: null,
      accountBalance: 0,
      auditLogs: [],
    };
    const onlyInD = { legalName: null, taxId: null };
    for (const [headers, more] of [
      [{}, onlyInD],
      [aliasHeaders, {}],
    ] as const) {
      const reply = await get(`/accounts/${id}?accountWithBalance=true`, headers);
      expect(reply.json).to.eql({ ...expected, ...more });
    }
  });

  it('returns the audit entries of the requested level (json-models 17.2 "Audit levels")', async () => {
    const id = await newAccount({ name: 'Ada', currency: 'USD' });
    const logs = async (level: string) => {
      const { json } = await get(`/accounts/${id}?audit=${level}`);
      return (json as { auditLogs: Record<string, unknown>[] }).auditLogs;
    };
    const [first, ...others] = await logs('MINIMAL');
    expect(others).to.eql([]);
    expect(first).to.include({ changeType: 'INSERT', objectType: 'ACCOUNT', objectId: id, history: null });
    const headers = { 'x-service-createdby': 'bo', 'x-request-id': 'c0ffee00-0000-4000-8000-000000000001' };
    await put(`/accounts/${id}`, { notes: 'x' }, headers);
    expect(await logs('minimal')).to.have.lengthOf(1);
    const full = await logs('FULL');
    expect(full).to.have.lengthOf(2);
    expect(full[1]).to.include({
      changeType: 'UPDATE',
      changedBy: 'bo',
      userToken: 'c0ffee00-0000-4000-8000-000000000001',
    });
    expect(await logs('NONE')).to.eql([]);
  });

  it('resets null fields only with treatNullAsReset (json-models 17.3 "Null and reset")', async () => {
    const id = await newAccount({ name: 'Ada', currency: 'USD' });
    const read = async () => (await get(`/accounts/${id}`)).json as Record<string, unknown>;
    await put(`/accounts/${id}`, { name: null, notes: 'y' });
    expect(await read()).to.include({ name: 'Ada', notes: 'y' });
    const reset = `/1.0/kb/accounts/${id}?treatNullAsReset=true`;
    await call('PUT', reset, { body: { name: null, notes: 'y' } });
    const after = await read();
    expect(after).to.include({ name: null, notes: 'y', currency: 'USD' });
    expectRefusal(await call('PUT', reset, { body: { currency: null } }), 400, 3005);
    expect(await read()).to.eql(after);
  });

  it('accepts an account in the format that it returned (json-models 16.1)', async () => {
    const id = await newAccount({ name: 'Ada', currency: 'USD', timeZone: 'Europe/Vienna' });
    const read = await get(`/accounts/${id}?accountWithBalanceAndCBA=true&audit=FULL`);
    expectStatus(await put(`/accounts/${id}`, read.json), 204);
    const again = await get(`/accounts/${id}?accountWithBalanceAndCBA=true`);
    expect(again.json).to.eql({ ...(read.json as object), auditLogs: [] });
  });
});
