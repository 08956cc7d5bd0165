import { basic, bearer, eve, expectStatus, textOf } from '../support/http/index.ts';
import { addUser, serveOnce, withServer } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect } from '../support/index.ts';

const sessions = '/1.0/kb/security/sessions';
const current = `${sessions}/current`;
const tenantsPath = `${current}/tenants`;
const read = '/1.0/kb/accounts/pagination';
const page = { 'x-requested-with': 'test' };

type Headers = Readonly<Record<string, string>>;

interface Answered {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly json: Readonly<Record<string, unknown>>;
  /** The body if it is a list; otherwise empty. */
  readonly list: readonly Readonly<Record<string, unknown>>[];
}

/** Returns a function that sends the body with only the given headers, like a page in a browser. */
function sending(body?: string) {
  return async (url: string, method = 'GET', headers: Headers = {}): Promise<Answered> => {
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    const json = text === '' ? {} : JSON.parse(text);
    return {
      status: response.status,
      headers: response.headers,
      json,
      list: Array.isArray(json) ? json : [],
    };
  };
}

const send = sending();

function cookieOf({ headers }: Answered): string {
  return headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

eachDatabaseByTurns.describe('browser sessions (platform §6.2)', (open) => {
  const serving = serveOnce(open);
  let bob = '';

  before(async () => {
    bob = textOf((await serving.call('GET', '/1.0/kb/tenants?apiKey=bob')).json, 'tenantId');
    await addUser(serving, 'clerk', { allTenants: false, tenantIds: [bob as never] });
    await addUser(serving, 'everywhere', { permissions: ['account:create'] });
  });

  const at = (path: string) => serving.url + path;
  const signIn = (username = 'admin', password = 'password', url = serving.url) =>
    sending(JSON.stringify({ username, password }))(url + sessions, 'POST', {
      ...page,
      'content-type': 'application/json',
    });
  const cookieFor = async (username: string): Promise<Headers> => {
    const reply = await signIn(username);
    expect(reply.status).to.equal(201);
    return { cookie: cookieOf(reply) };
  };
  const code = ({ status, json }: Answered) => [status, json.code];
  const accounts = async () => (await serving.call('GET', read)).json as readonly object[];

  it('are started with a name and a password by a call that returns permissions and tenants but no token', async () => {
    const reply = await signIn();
    expect(reply.status).to.equal(201);
    expect(reply.headers.get('set-cookie')).to.match(
      /^JSESSIONID=[\w-]{43}; path=\/; samesite=strict; httponly$/,
    );
    const { startDate, lastAccessDate, expirationDate, tenants, ...others } = reply.json;
    expect(others).to.eql({
      username: 'admin',
      permissions: ['*:*'],
      timeout: 3_600_000,
      requiresApiSecret: false,
    });
    expect(startDate).to.equal(lastAccessDate);
    expect(Date.parse(`${expirationDate}`) - Date.parse(`${startDate}`)).to.equal(3_600_000);
    expect(tenants).to.deep.include({ tenantId: bob, apiKey: 'bob', externalKey: null });
    expect(JSON.stringify(reply.json)).to.not.include(cookieOf(reply).slice('JSESSIONID='.length));
    const shown = await send(at(current), 'GET', { cookie: cookieOf(reply) });
    expect(shown.status).to.equal(200);
    expect(shown.json).to.deep.include({ username: 'admin', startDate, tenants });
  });

  it('use a cookie for the base path, marked Secure for https', async () => {
    const options = { basePath: '/billing', trustedProxies: ['127.0.0.1'] };
    const cookie = await withServer(serving, options, async (url) => {
      const headers = { ...page, 'content-type': 'application/json', 'x-forwarded-proto': 'https' };
      const body = JSON.stringify({ username: 'admin', password: 'password' });
      const reply = await sending(body)(`${url}/billing${sessions}`, 'POST', headers);
      return reply.headers.get('set-cookie');
    });
    expect(cookie).to.match(/; path=\/billing; samesite=strict; secure; httponly$/);
  });

  it('do not start with wrong credentials, and trigger no login dialog in the browser', async () => {
    for (const [name, password] of [
      ['admin', 'wrong'],
      ['nobody', 'password'],
    ]) {
      const reply = await signIn(name, password);
      expect(code(reply)).to.eql([401, 60004]);
      expect(reply.headers.has('www-authenticate')).to.equal(false);
      expect(reply.headers.has('set-cookie')).to.equal(false);
    }
  });

  it('do not start for a user name that is locked after ten wrong passwords', async () => {
    await addUser(serving, 'guessed');
    await withServer(serving, { lockOut: true }, async (url) => {
      for (let guesses = 0; guesses < 10; guesses += 1)
        expect((await signIn('guessed', `guess ${guesses}`, url)).status).to.equal(401);
      const locked = await signIn('guessed', 'password', url);
      expect(code(locked)).to.eql([429, 40006]);
      expect(Number(locked.headers.get('retry-after'))).to.be.within(890, 900);
    });
  });

  it('end on sign-out, which removes the cookie', async () => {
    const cookie = await cookieFor('admin');
    const reply = await send(at(current), 'DELETE', { ...cookie, ...page });
    expect(reply.status).to.equal(204);
    expect(reply.headers.get('set-cookie')).to.match(/^JSESSIONID=; path=\/; expires=Thu, 01 Jan 1970/);
    const after = await send(at(current), 'GET', cookie);
    expect(code(after)).to.eql([401, 60004]);
    expect(after.headers.has('www-authenticate')).to.equal(false);
  });

  it('end when the same browser signs in again', async () => {
    const cookie = await cookieFor('admin');
    const headers = { ...cookie, ...page, 'content-type': 'application/json' };
    const body = { username: 'clerk', password: 'password' };
    const wrong = JSON.stringify({ ...body, password: 'wrong' });
    expect((await sending(wrong)(at(sessions), 'POST', headers)).status).to.equal(401);
    expect((await send(at(current), 'GET', cookie)).json.username).to.equal('admin');
    const reply = await sending(JSON.stringify(body))(at(sessions), 'POST', headers);
    expect((await send(at(current), 'GET', { cookie: cookieOf(reply) })).json.username).to.equal('clerk');
    expect((await send(at(current), 'GET', cookie)).status).to.equal(401);
  });

  it('are reported without dates to callers that use other credentials', async () => {
    for (const authorization of [basic('clerk', 'password'), await bearer(serving, 'clerk')]) {
      const { status, json, headers } = await send(at(current), 'GET', { authorization });
      expect([status, headers.get('set-cookie')]).to.eql([200, null]);
      expect(json).to.include({ username: 'clerk', startDate: null, expirationDate: null });
      expect((await send(at(current), 'DELETE', { authorization })).status).to.equal(204);
    }
  });

  describe('with access to tenants', () => {
    it('need no secret for a tenant in the user’s list', async () => {
      const cookie = await cookieFor('clerk');
      const readIn = (headers: Headers) => send(at(read), 'GET', { ...cookie, ...headers });
      expect((await readIn({ 'x-service-apikey': 'bob' })).status).to.equal(200);
      expect((await readIn({ 'x-killbill-apikey': 'bob' })).status).to.equal(200);
      for (const apiKey of ['eve', 'unknown', 'BOB'])
        expect(code(await readIn({ 'x-service-apikey': apiKey }))).to.eql([401, 60005]);
      expect(code(await readIn({}))).to.eql([401, 60005]);
      expect(code(await readIn(eve))).to.eql([401, 60005]);
      const wrong = { 'x-service-apikey': 'bob', 'x-service-apisecret': 'wrong' };
      expect(code(await readIn(wrong))).to.eql([401, 60005]);
      expect((await send(at(current), 'GET', cookie)).json).to.deep.include({
        requiresApiSecret: false,
        tenants: [{ tenantId: bob, apiKey: 'bob', externalKey: null }],
      });
    });

    it('give an administrator access to all tenants', async () => {
      const cookie = await cookieFor('admin');
      for (const apiKey of ['bob', 'eve'])
        expect((await send(at(read), 'GET', { ...cookie, 'x-service-apikey': apiKey })).status).to.equal(200);
      const unknown = await send(at(read), 'GET', { ...cookie, 'x-service-apikey': 'unknown' });
      expect(code(unknown)).to.eql([401, 60005]);
      await addUser(serving, 'chief of bob', {
        permissions: ['*'],
        allTenants: false,
        tenantIds: [bob as never],
      });
      const limited = { ...(await cookieFor('chief of bob')), 'x-service-apikey': 'eve' };
      expect(code(await send(at(read), 'GET', limited))).to.eql([401, 60005]);
    });

    it('need the secret for a user who has access to all tenants but is not an administrator', async () => {
      const cookie = await cookieFor('everywhere');
      const bySession = await send(at(read), 'GET', { ...cookie, 'x-service-apikey': 'bob' });
      expect(code(bySession)).to.eql([401, 60005]);
      expect((await send(at(read), 'GET', { ...cookie, ...eve })).status).to.equal(200);
      expect((await send(at(current), 'GET', cookie)).json).to.deep.include({
        requiresApiSecret: true,
        tenants: [],
      });
      expect((await send(at(tenantsPath), 'GET', cookie)).json).to.eql([]);
    });

    it('do not replace the secret for calls with other credentials, even if a session cookie is also sent', async () => {
      const cookie = await cookieFor('admin');
      for (const authorization of [basic('admin', 'password'), await bearer(serving, 'admin')])
        for (const headers of [{}, cookie]) {
          const reply = await send(at(read), 'GET', { ...headers, authorization, 'x-service-apikey': 'bob' });
          expect(code(reply)).to.eql([401, 60005]);
        }
    });

    it('reflect changes to the user’s tenant list immediately', async () => {
      await addUser(serving, 'mover', { allTenants: false, tenantIds: [bob as never] });
      const cookie = await cookieFor('mover');
      const readBob = () => send(at(read), 'GET', { ...cookie, 'x-service-apikey': 'bob' });
      expect((await readBob()).status).to.equal(200);
      const body = { allTenants: false, tenantIds: [] };
      await serving.call('PUT', '/1.0/kb/security/users/mover/tenants', { body });
      expect(code(await readBob())).to.eql([401, 60005]);
    });

    it('show the user’s tenants in pages sorted by API key, filtered by key prefix', async () => {
      const made: string[] = [];
      for (let count = 0; count < 101; count += 1) {
        const apiKey = `many-${String(count).padStart(3, '0')}`;
        const body = { apiKey, apiSecret: 'secret', externalKey: `key of ${apiKey}` };
        expectStatus(await serving.call('POST', '/1.0/kb/tenants', { body }), 201);
        made.push(apiKey);
      }
      const cookie = await cookieFor('admin');
      expect((await send(at(current), 'GET', cookie)).json.tenants).to.equal(null);
      const list = async (query: string) => {
        const reply = await send(`${at(tenantsPath)}?${query}`, 'GET', cookie);
        const total = reply.headers.get('x-service-pagination-totalnbrecords');
        return { keys: reply.list.map(({ apiKey }) => apiKey), total, tenant: reply.list[0] };
      };
      const first = await list('apiKeyPrefix=many-&limit=100');
      expect([first.keys, first.total]).to.eql([made.slice(0, 100), '101']);
      expect((await list('apiKeyPrefix=many-&offset=100&limit=100')).keys).to.eql(made.slice(100));
      expect((await list('apiKeyPrefix=many-09&limit=3')).keys).to.eql(['many-090', 'many-091', 'many-092']);
      expect((await list('apiKeyPrefix=MANY')).keys).to.eql([]);
      expect((await list('limit=2')).keys).to.eql(['bob', 'eve']);
      expect(Object.keys(first.tenant ?? {})).to.eql(['tenantId', 'apiKey', 'externalKey']);
      const ofClerk = await send(at(tenantsPath), 'GET', await cookieFor('clerk'));
      expect(ofClerk.json).to.eql([{ tenantId: bob, apiKey: 'bob', externalKey: null }]);
    });
  });

  describe('with pages of other sites', () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example.com' };

    it('do not authenticate form submissions that include the cookie', async () => {
      const cookie = await cookieFor('admin');
      const before = (await accounts()).length;
      for (const contentType of ['application/x-www-form-urlencoded', 'text/plain', 'application/json'])
        for (const query of ['', '?x-service-apikey=bob&X-Service-CreatedBy=evil']) {
          const headers = { ...form, ...cookie, 'content-type': contentType };
          const reply = await sending('{"currency":"EUR"}')(
            `${at('/1.0/kb/accounts')}${query}`,
            'POST',
            headers,
          );
          expect(code(reply)).to.eql([401, 60004]);
        }
      expect((await accounts()).length).to.equal(before);
      for (const [method, path] of [
        ['POST', '/1.0/kb/security/users'],
        ['PUT', '/1.0/kb/security/roles'],
        ['DELETE', '/1.0/kb/security/users/clerk'],
        ['DELETE', '/1.0/kb/security/sessions/current'],
        ['POST', '/1.0/kb/nothing'],
      ] as const)
        expect(code(await send(at(path), method, { ...form, ...cookie }))).to.eql([401, 60004]);
      expect((await send(at(current), 'GET', cookie)).status).to.equal(200);
    });

    it('cannot be started by a sign-in form of another site', async () => {
      const body = JSON.stringify({ username: 'admin', password: 'password' });
      for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
        const reply = await sending(body)(at(sessions), 'POST', { ...form, 'content-type': contentType });
        expect(reply.status).to.be.oneOf([401, 415]);
        expect(reply.headers.has('set-cookie')).to.equal(false);
      }
      const plain = { ...form, ...page, 'content-type': 'text/plain' };
      expect((await sending(body)(at(sessions), 'POST', plain)).status).to.equal(415);
    });

    it('authenticate changes with a header that only scripts can send', async () => {
      const cookie = await cookieFor('admin');
      const headers = { ...cookie, 'x-service-apikey': 'bob', 'x-service-createdby': 'admin' };
      const json = { ...headers, 'content-type': 'application/json' };
      const made = await sending('{"currency":"EUR"}')(at('/1.0/kb/accounts'), 'POST', json);
      expect(made.status).to.equal(201);
      const sentHeaders = { ...cookie, ...page, 'content-type': 'application/json' };
      // The author is still required.
      const body = JSON.stringify({ role: 'made by session', permissions: [] });
      expect(code(await sending(body)(at('/1.0/kb/security/roles'), 'POST', sentHeaders))).to.eql([
        400, 60003,
      ]);
    });

    it('let pages of other origins send the required headers only if CORS lists the origin', async () => {
      const preflight = (url: string, origin: string) =>
        send(url + read, 'OPTIONS', {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-service-apikey',
        });
      const shop = 'https://shop.example.com';
      await withServer(serving, { allowedOrigins: [shop] }, async (url) => {
        expect((await preflight(url, shop)).headers.get('access-control-allow-credentials')).to.equal('true');
        const other = await preflight(url, 'https://evil.example.com');
        expect([...other.headers.keys()].filter((name) => name.startsWith('access-control-'))).to.eql([]);
      });
      await withServer(serving, { allowedOrigins: ['*'] }, async (url) => {
        const { headers } = await preflight(url, shop);
        expect(headers.has('access-control-allow-credentials')).to.equal(false);
      });
    });
  });

  describe('with 401 responses', () => {
    const challenge = async (headers: Headers, path = read) =>
      (await send(at(path), 'GET', headers)).headers.get('www-authenticate');

    it('trigger no login challenge for page calls without Authorization', async () => {
      for (const headers of [
        { cookie: `JSESSIONID=${'x'.repeat(43)}` },
        { cookie: 'JSESSIONID=short', 'x-service-apikey': 'bob' },
        page,
        { 'x-service-apikey': 'bob' },
      ])
        expect(await challenge(headers)).to.equal(null);
      expect(await challenge({}, current)).to.equal(null);
      expect(await challenge({}, tenantsPath)).to.equal(null);
    });

    it('keep the login challenge for calls with Authorization and for calls that are not page calls', async () => {
      for (const headers of [
        {},
        { cookie: 'other=value' },
        { 'x-service-apikey': 'bob', 'x-service-apisecret': 'lazar' },
        { authorization: basic('admin', 'wrong'), ...page },
      ])
        expect(await challenge(headers)).to.equal('Basic realm="service"');
    });
  });
});
