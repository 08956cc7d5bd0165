import { aliasHeaders, basic, bearer, documentHeaders, eve, textOf, xmlType } from '../support/http/index.ts';
import {
  exampleCatalog,
  expectStatus,
  type Reply,
  type Request,
  serveOnce,
  withServer,
} from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect } from '../support/index.ts';

const security = '/1.0/kb/security';
const read = '/1.0/kb/accounts/pagination';

eachDatabaseByTurns.describe('security API', (open) => {
  const serving = serveOnce(open);
  const { call, post } = serving;

  const as = (name: string, password = 'password') => ({ authorization: basic(name, password) });
  const newUser = async (username: string, more: object = {}): Promise<Reply> =>
    call('POST', `${security}/users`, { body: { username, password: 'password', roles: [], ...more } });
  const expectCode = (reply: Reply, status: number, code: number): void => {
    expect(reply.status, reply.text).to.equal(status);
    expect(reply.json).to.include({ code });
  };

  it('normalizes and validates the permissions of a role, and enforces them in each call (platform P8 "Permissions")', async () => {
    const define = (permissions: readonly string[], role = 'support') =>
      call('PUT', `${security}/roles`, { body: { role, permissions } });
    const stored = async () =>
      ((await call('GET', `${security}/roles/support`)).json as { permissions: unknown }).permissions;
    await define(['invoice:credit', 'invoice:item_adjust', 'user', 'tag:', '']);
    expect(await stored()).to.eql(['invoice:credit', 'invoice:item_adjust', 'user:*', 'tag:*']);
    await define(['account:create', '*']);
    expect(await stored()).to.eql(['*']);
    expectCode(await define(['a:b:c']), 400, 40005);
    const unknown = await define(['tag:add', 'account:fly']);
    expectCode(unknown, 400, 40005);
    expect((unknown.json as { message: string }).message).to.contain('did you mean account:create?');
    await define(['account:*'], 'clerk');
    await newUser('clerk', { roles: ['clerk'] });
    const upload = async (headers: Request['headers']) =>
      post('/catalog', await exampleCatalog(), { ...xmlType, ...headers });
    expectCode(await upload(as('clerk')), 403, 40000);
    expectCode(await upload({ ...aliasHeaders, ...as('clerk') }), 401, 40000);
    await define(['account:*', 'catalog:config_upload'], 'clerk');
    expect((await upload(as('clerk'))).status).to.equal(201);
  });

  it('lists every permission of the product to every user (platform §8)', async () => {
    await newUser('reader');
    const { json } = await call('GET', `${security}/permissions/all`, { headers: as('reader') });
    expect(json).to.include.members(['account:create', 'coupon:redeem', 'admin:health']);
    const role = { role: 'everything', permissions: json };
    expectStatus(await call('POST', `${security}/roles`, { body: role }), 201);
    expect((await call('GET', `${security}/roles/everything`)).json).to.eql(role);
  });

  it('limits a user to the granted tenants, and applies new grants immediately (platform P9 "Grants")', async () => {
    const bob = textOf((await call('GET', '/1.0/kb/tenants?apiKey=bob')).json, 'tenantId');
    expect((await newUser('granted', { tenants: [bob] })).status).to.equal(201);
    const readIn = (tenant: object = {}) => call('GET', read, { headers: { ...as('granted'), ...tenant } });
    expect((await readIn()).status).to.equal(200);
    expectCode(await readIn(eve), 401, 60005);
    const grants = `${security}/users/granted/tenants`;
    expect((await call('GET', grants)).json).to.eql({ allTenants: false, tenantIds: [bob] });
    await call('PUT', grants, { body: { allTenants: true, tenantIds: [] } });
    expect((await readIn(eve)).status).to.equal(200);
    await newUser('of no tenant', { tenants: [] });
    expectCode(await call('GET', read, { headers: as('of no tenant') }), 401, 60005);
    await newUser('of any tenant');
    expect((await call('GET', read, { headers: as('of any tenant') })).status).to.equal(200);
  });

  it('issues bearer tokens with the user’s permissions, and rejects these tokens after the user is deleted (platform P10)', async () => {
    await newUser('robot', { roles: ['admin'] });
    const authorization = await bearer(serving, 'robot');
    expect((await call('GET', read, { headers: { authorization } })).status).to.equal(200);
    expect((await call('DELETE', `${security}/users/robot`)).status).to.equal(204);
    expectCode(await call('GET', read, { headers: { authorization } }), 401, 60004);
    expectCode(await call('GET', read, { headers: as('robot') }), 401, 60004);
  });

  it('applies role, password and user changes to the next call with any credential', async () => {
    const define = (permissions: readonly string[]) =>
      call('PUT', `${security}/roles`, { body: { role: 'tagger', permissions } });
    await define(['tag:add']);
    await newUser('tara', { roles: ['tagger'] });
    const login = await call('GET', `${security}/permissions`, { headers: as('tara') });
    const cookie = login.headers.get('set-cookie')?.split(';', 1)[0];
    const credentials = [
      as('tara'),
      { authorization: await bearer(serving, 'tara') },
      { authorization: undefined, cookie },
    ];
    const codes = async () => {
      const path = '/1.0/kb/accounts/11111111-1111-4111-8111-111111111111/tags';
      const replies = credentials.map((headers) => call('POST', path, { body: [], headers }));
      return (await Promise.all(replies)).map(({ json }) => (json as { code: number }).code);
    };
    expect(await codes()).to.eql([3002, 3002, 3002]);
    await define([]);
    expect(await codes()).to.eql([40000, 40000, 40000]);
    await define(['tag:*']);
    expect(await codes()).to.eql([3002, 3002, 3002]);
    await call('PUT', `${security}/users/tara/password`, { body: { password: 'another one' } });
    expect(await codes()).to.eql([60004, 60004, 60004]);
    credentials[0] = as('tara', 'another one');
    expect((await codes())[0]).to.equal(3002);
    await call('DELETE', `${security}/users/tara`);
    expect((await codes())[0]).to.equal(60004);
  });

  it('shows a user with its roles and rejects a duplicate name', async () => {
    const made = await newUser('Mad Max', { roles: ['admin', 'admin'] });
    expect(made.headers.get('location')).to.equal(`${serving.url}${security}/users/Mad%20Max/roles`);
    expect((await call('GET', `${security}/users/Mad%20Max/roles`)).json).to.eql({
      username: 'Mad Max',
      password: null,
      roles: ['admin'],
    });
    expectCode(await newUser('Mad Max'), 400, 40002);
    expectCode(await newUser('other', { roles: ['no such role'] }), 400, 40003);
    for (const path of ['nobody/roles', 'nobody/tenants'])
      expectCode(await call('GET', `${security}/users/${path}`), 400, 40001);
    const body = { password: 'password' };
    expectCode(await call('PUT', `${security}/users/nobody/password`, { body }), 400, 40001);
    const missing = await call('POST', `${security}/users`, { body: { password: 'x' } });
    expect(missing.json).to.include({ code: 60003, message: 'UserRolesJson username needs to be set' });
  });

  it('replaces the roles of a user with known roles, and removes no role if the body omits the roles', async () => {
    await newUser('rolf', { roles: ['admin'] });
    const put = (body: object) => call('PUT', `${security}/users/rolf/roles`, { body });
    const roles = async () =>
      ((await call('GET', `${security}/users/rolf/roles`)).json as { readonly roles: unknown }).roles;
    expectCode(await put({ roles: ['admin', 'no such role'] }), 400, 40003);
    expectCode(await put({ username: 'rolf' }), 400, 60003);
    expectCode(await put({ roles: null }), 400, 60003);
    expect(await roles()).to.eql(['admin']);
    expect((await put({ roles: [] })).status).to.equal(204);
    expect(await roles()).to.eql([]);
  });

  it('replaces the permissions of a role, and removes no permission if the body omits the permissions', async () => {
    const put = (body: object) => call('PUT', `${security}/roles`, { body: { role: 'clerk', ...body } });
    const role = async () => (await call('GET', `${security}/roles/clerk`)).json;
    expect((await put({ permissions: ['tag:add'] })).status).to.equal(204);
    for (const body of [{}, { permissions: null }]) expectCode(await put(body), 400, 60003);
    expect(await role()).to.eql({ role: 'clerk', permissions: ['tag:add'] });
    expect((await put({ permissions: [] })).status).to.equal(204);
    expect(await role()).to.eql({ role: 'clerk', permissions: [] });
  });

  it('lists roles by name, including the built-in role, and returns an unknown role with no permissions', async () => {
    await call('POST', `${security}/roles`, { body: { role: 'a b', permissions: [] } });
    const { json } = await call('GET', `${security}/roles`);
    const names = (json as { role: string }[]).map(({ role }) => role);
    expect(names).to.eql(names.toSorted());
    expect(json).to.deep.include({ role: 'admin', permissions: ['*:*'] });
    expect(json).to.deep.include({ role: 'a b', permissions: [] });
    const unknown = await call('GET', `${security}/roles/unknown`);
    expect(unknown.json).to.eql({ role: 'unknown', permissions: [] });
    expectCode(await call('POST', `${security}/roles`, { body: { role: 'a b' } }), 400, 40004);
  });

  it('lets users read and change their own data with their current password', async () => {
    await newUser('self');
    await newUser('neighbour');
    const own = { headers: as('self') };
    expect((await call('GET', `${security}/users/self/roles`, own)).status).to.equal(200);
    expectCode(await call('GET', `${security}/users/neighbour/roles`, own), 403, 40000);
    const change = (name: string, body: object) =>
      call('PUT', `${security}/users/${name}/password`, { ...own, body });
    expectCode(await change('self', { password: 'another one' }), 403, 40000);
    expectCode(await change('self', { password: 'another one', currentPassword: 'wrong' }), 403, 40000);
    expectCode(
      await change('neighbour', { password: 'another one', currentPassword: 'password' }),
      403,
      40000,
    );
    expectStatus(await change('self', { password: 'another one', currentPassword: 'password' }), 204);
    expectCode(await call('GET', `${security}/subject`, own), 401, 60004);
    expectStatus(await call('GET', `${security}/subject`, { headers: as('self', 'another one') }), 200);
  });

  describe('session handling', () => {
    const login = async (name: string, path = '/permissions', more: object = {}) => {
      const reply = await call('GET', security + path, { headers: { ...as(name), ...more } });
      const cookie = reply.headers.get('set-cookie');
      return { reply, cookie, session: cookie?.split(';', 1)[0] ?? '' };
    };
    const withCookie = (cookie: string, path = read): Promise<Reply> =>
      call('GET', path, { headers: { authorization: undefined, cookie } });

    it('starts a cookie session when a login requests the permissions or the subject', async () => {
      const { cookie, session, reply } = await login('admin');
      expect(reply.json).to.eql(['*:*']);
      expect(cookie).to.match(/^JSESSIONID=[\w-]{43}; path=\/; samesite=lax; httponly$/);
      expect((await withCookie(`a=b; ${session}; c=d`)).status).to.equal(200);
      const subject = await withCookie(session, `${security}/subject`);
      expect(subject.json).to.deep.include({
        principal: 'admin',
        isAuthenticated: true,
        isRemembered: false,
      });
      const shown = (subject.json as { session: Record<string, unknown> }).session;
      expect(shown).to.include({
        id: session.slice('JSESSIONID='.length),
        timeout: 3_600_000,
        host: '127.0.0.1',
      });
      // An existing session is kept.
      expect(subject.headers.get('set-cookie')).to.equal(null);
      expect((await login('admin', '/subject', { cookie: session })).cookie).to.equal(null);
      expect((await call('GET', read)).headers.get('set-cookie')).to.equal(null);
    });

    it('uses a server-generated session token and ignores a cookie sent with the login', async () => {
      const fixed = `JSESSIONID=${'x'.repeat(43)}`;
      const { session } = await login('admin', '/permissions', { cookie: fixed });
      expect(session)
        .to.match(/^JSESSIONID=/)
        .and.to.not.equal(fixed);
      await newUser('other user');
      // Another user does not inherit the session either.
      expect((await login('other user', '/subject', { cookie: session })).cookie).to.not.equal(null);
      expect(textOf((await withCookie(session, `${security}/subject`)).json, 'principal')).to.equal('admin');
    });

    it('stores only a hash of a session id', async () => {
      const { session } = await login('admin');
      expect(await serving.storage.security.findSession(session.slice('JSESSIONID='.length))).to.equal(null);
    });

    it('sets Secure on the session cookie over https', async () => {
      const answered = await withServer(serving, { trustedProxies: ['127.0.0.1'] }, (url) =>
        fetch(`${url}${security}/subject`, { headers: { ...documentHeaders, 'x-forwarded-proto': 'https' } }),
      );
      expect(answered.headers.get('set-cookie')).to.match(/; secure\b/);
    });

    it('ends a session when the user is changed, and rejects an unknown session', async () => {
      for (const [name, change] of [
        ['p', { method: 'PUT', path: '/users/p/password', body: { password: 'another one' } }],
        ['r', { method: 'PUT', path: '/users/r/roles', body: { roles: ['admin'] } }],
        ['d', { method: 'DELETE', path: '/users/d', body: undefined }],
      ] as const) {
        await newUser(name);
        const { session } = await login(name);
        expect((await withCookie(session)).status).to.equal(200);
        const changed = await call(change.method, security + change.path, { body: change.body });
        expect(changed.status).to.equal(204);
        expectCode(await withCookie(session), 401, 60004);
      }
      expectCode(await withCookie(`JSESSIONID=${'x'.repeat(43)}`), 401, 60004);
      expectCode(await withCookie('JSESSIONID=short'), 401, 60004);
    });

    it('ends a session after the configured idle time', async () => {
      await withServer(serving, { sessionIdleMs: 50 }, async (url) => {
        const get = (headers: Record<string, string>) => fetch(`${url}${security}/subject`, { headers });
        const answer = await get({ authorization: basic('admin', 'password') });
        const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
        expect(((await answer.json()) as { session: object }).session).to.include({ timeout: 50 });
        await new Promise((resolve) => setTimeout(resolve, 60));
        expect((await get({ cookie })).status).to.equal(401);
      });
    });
  });

  describe('token endpoint', () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const token = (fields: Record<string, string>, authorization?: string): Promise<Reply> =>
      call('POST', '/oauth2/token', {
        body: new URLSearchParams(fields).toString(),
        headers: { ...form, authorization },
      });
    const expectRefusal = (reply: Reply, status: number, error: string): void => {
      expect([reply.status, (reply.json as { error: string }).error]).to.eql([status, error]);
      expect(Object.keys(reply.json as object)).to.have.members(['error', 'error_description']);
    };

    before(async () => {
      const bob = textOf((await call('GET', '/1.0/kb/tenants?apiKey=bob')).json, 'tenantId');
      await call('POST', `${security}/roles`, {
        body: { role: 'reader', permissions: ['tag:add', 'x:a b'] },
      });
      const body = { clientId: 'sync-1', clientSecret: 'a%41+b', roles: ['reader'], tenants: [bob] };
      expect((await call('POST', `${security}/clients`, { body })).status).to.equal(201);
    });

    it('issues tokens to clients with Basic or form credentials', async () => {
      const grant = { grant_type: 'client_credentials', scope: 'anything' };
      const encoded = basic(encodeURIComponent('sync-1'), encodeURIComponent('a%41+b'));
      for (const reply of [
        await token(grant, encoded),
        await token({ ...grant, client_id: 'sync-1', client_secret: 'a%41+b' }),
      ]) {
        expect(reply.status, reply.text).to.equal(200);
        expect(reply.json).to.include({ token_type: 'Bearer', expires_in: 3_600, scope: 'tag:add' });
        expect(reply.headers.get('cache-control')).to.equal('no-store');
        const authorization = `Bearer ${textOf(reply.json, 'access_token')}`;
        expect((await call('GET', read, { headers: { authorization } })).status).to.equal(200);
        expectCode(await call('GET', read, { headers: { authorization, ...eve } }), 401, 60005);
        const body = {};
        expectCode(await post('/accounts', body, { authorization }), 403, 40000);
      }
    });

    it('issues tokens to users', async () => {
      const grant = { grant_type: 'password', username: 'admin', password: 'password' };
      const authorization = `Bearer ${textOf((await token(grant)).json, 'access_token')}`;
      const subject = await call('GET', `${security}/subject`, { headers: { authorization } });
      expect(subject.json).to.deep.include({ principal: 'admin', session: null });
      expect(subject.headers.get('set-cookie')).to.equal(null);
      expectRefusal(await token({ ...grant, password: 'wrong' }), 400, 'invalid_grant');
      expectRefusal(
        await token({ ...grant, client_id: 'sync-1', client_secret: 'wrong' }),
        401,
        'invalid_client',
      );
      expectRefusal(await token({ grant_type: 'password', username: 'admin' }), 400, 'invalid_request');
    });

    it('reports errors in the format of RFC 6749', async () => {
      expectRefusal(await token({}), 400, 'invalid_request');
      expectRefusal(await token({ grant_type: 'implicit' }), 400, 'unsupported_grant_type');
      const unknown = await token({ grant_type: 'client_credentials' }, basic('nobody', 'x'));
      expectRefusal(unknown, 401, 'invalid_client');
      expect(unknown.headers.get('www-authenticate')).to.equal('Basic realm="service"');
    });

    it('rejects a deleted client and its tokens', async () => {
      const body = { clientId: 'gone', clientSecret: 'client secret', roles: [] };
      await call('POST', `${security}/clients`, { body });
      const grant = { grant_type: 'client_credentials', client_id: 'gone', client_secret: 'client secret' };
      const authorization = `Bearer ${textOf((await token(grant)).json, 'access_token')}`;
      const shown = await call('GET', `${security}/clients/gone`);
      expect(shown.json).to.eql({ clientId: 'gone', clientSecret: null, roles: [], tenants: null });
      expect((await call('DELETE', `${security}/clients/gone`)).status).to.equal(204);
      expectRefusal(await token(grant), 401, 'invalid_client');
      expectCode(await call('GET', read, { headers: { authorization } }), 401, 60004);
      expectCode(await call('GET', `${security}/clients/gone`), 400, 40001);
    });
  });

  it('locks out callers who guess passwords, but not callers who recently used valid credentials', async () => {
    await newUser('hugo');
    await withServer(serving, { lockOut: true }, async (url) => {
      const get = (password: string) =>
        fetch(url + read, { headers: { ...documentHeaders, authorization: basic('hugo', password) } });
      expect((await get('password')).status).to.equal(200);
      for (let guesses = 0; guesses < 10; guesses += 1)
        expect((await get(`guess ${guesses}`)).status).to.equal(401);
      const locked = expectStatus(await get('another guess'), 429);
      expect(await locked.json()).to.include({ code: 40006 });
      expect(Number(locked.headers.get('retry-after'))).to.be.within(890, 900);
      expect((await get('password')).status).to.equal(200);
      const grant = new URLSearchParams({ grant_type: 'password', username: 'hugo', password: 'guess' });
      const refused = await fetch(`${url}/oauth2/token`, { method: 'POST', body: grant });
      expect(refused.status).to.equal(429);
      expect(await refused.json()).to.include({ error: 'temporarily_unavailable' });
    });
  });

  it('does not lock out users in test mode', async () => {
    const wrong = { authorization: basic('admin', 'guess'), 'x-forwarded-for': '192.0.2.3' };
    for (let guesses = 0; guesses < 11; guesses += 1)
      expect((await call('GET', read, { headers: wrong })).status).to.equal(401);
    await withServer(serving, {}, async (url) => {
      const statuses: number[] = [];
      const nobody = { ...documentHeaders, authorization: basic('nobody at all', 'guess') };
      for (let guesses = 0; guesses < 11; guesses += 1)
        statuses.push((await fetch(url + read, { headers: nobody })).status);
      expect(statuses.slice(9)).to.eql([401, 429]);
    });
  });

  it('reads a user and hashes the password only once on a persistent connection', async () => {
    await call('GET', read);
    const before = serving.hashChecks.length;
    for (let calls = 0; calls < 5; calls += 1) await call('GET', read);
    expect(serving.hashChecks.length).to.equal(before);
  });

  it('logs the authenticated user and the specified author', async () => {
    const headers = { 'x-request-id': 'who-was-it', 'x-service-createdby': 'somebody' };
    await post('/accounts', {}, headers);
    const line = serving.log.lines.find(
      ({ fields }) => 'requestId' in fields && fields.requestId === 'who-was-it',
    );
    expect(line?.fields).to.include({ principal: 'admin', createdBy: 'somebody', status: 201 });
  });

  it('exposes no secret in responses, logs, audit rows or errors', async () => {
    const secrets = ['sEcret-of-a-user', 'sEcret-of-a-client', 'sEcret-of-a-tenant', 'sEcret-guess'];
    const [user, client, tenant, guess] = secrets;
    const replies = [
      await newUser('ida', { password: user }),
      await call('POST', `${security}/clients`, {
        body: { clientId: 'ida', clientSecret: client, roles: [] },
      }),
      await post('/tenants', { apiKey: 'ida', apiSecret: tenant }),
      await call('GET', read, { headers: as('ida', guess) }),
      await call('GET', read, { headers: { 'x-service-apisecret': guess } }),
      await call('GET', read, { headers: { authorization: `Bearer ${guess}` } }),
      await call('GET', read, { headers: as(guess ?? '') }),
      await call('PUT', `${security}/users/ida/password`, { body: { password: `${user} again`, roles: 7 } }),
      await call('POST', `${security}/users`, { body: `{"password":"${guess}"` }),
      await call('GET', '/1.0/kb/tenants?apiKey=ida'),
      await call('GET', `${security}/users/ida/roles`),
    ];
    const token = (await bearer(serving, 'admin')).slice('Bearer '.length);
    await call('GET', read, { headers: { authorization: `Bearer ${token}x` } });
    const output = JSON.stringify([replies.map(({ text }) => text), serving.log.lines]);
    for (const secret of [...secrets, token]) expect(output).to.not.include(secret);
    expect(output).to.not.match(/\$scrypt\$|plain:/);
  });
});
